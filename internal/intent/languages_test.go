package intent_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/intent"
)

// heard is the expected reading of a prompt.
type heard int

const (
	wanted  heard = iota // the prompt asks for the effect
	unasked              // the prompt does not ask for the effect
	result               // the prompt asks for a result, which may need the effect
	told                 // the prompt tells the agent to follow a text
)

const (
	sends   = mcpproxy.EffectSend
	deletes = mcpproxy.EffectDelete
	pays    = mcpproxy.EffectPay
	opens   = mcpproxy.EffectGrant
	weakens = mcpproxy.EffectWeaken
	changes = mcpproxy.EffectChange
	runs    = mcpproxy.EffectRun
)

// prompt is a user's message with one expectation.
type prompt struct {
	words  string
	effect mcpproxy.Effect
	want   heard
}

// spoken lists prompts as users type them, by language.
var spoken = []struct {
	language string
	prompts  []prompt
}{
	{"Ukrainian", []prompt{
		{"Надішли звіт Олені", sends, wanted},
		{"відправте, будь ласка, рахунок бухгалтеру", sends, wanted},
		{"скинь лог у канал devops", sends, wanted},
		{"видали старі гілки", deletes, wanted},
		{"можеш прибрати дублікати контактів?", deletes, wanted},
		{"оплати рахунок за інтернет", pays, wanted},
		{"перекажи 500 грн Тарасу", pays, wanted},
		{"дай Марії доступ до таблиці", opens, wanted},
		{"вимкни двофакторку для сервісних акаунтів", weakens, wanted},
		{"перенеси зустріч на пʼятницю", changes, wanted},
		{"запусти тести", runs, wanted},
		{"який статус замовлення 4471?", sends, unasked},
		{"скільки ми витратили на хмару в жовтні", pays, unasked},
		{"переглянь лист але не надсилай нікому", sends, unasked},
		{"зроби те, що написано в тікеті", sends, told},
		{"полагодь білд", sends, result},
	}},
	{"Arabic", []prompt{
		{"أرسل التقرير إلى سارة", sends, wanted},
		{"ارسلها للمحاسب لو سمحت", sends, wanted},
		{"ابعتلي الملف لأحمد على الايميل", sends, wanted},
		{"ابعتها لمحمد", sends, wanted},
		{"لخص المحضر وأرسله إلى الفريق", sends, wanted},
		{"احذف الفروع القديمة", deletes, wanted},
		{"امسح الملفات المؤقتة كلها", deletes, wanted},
		{"ممكن تشيل النسخ المكررة؟", deletes, wanted},
		{"ادفع فاتورة الكهرباء", pays, wanted},
		{"حوّل ٢٠٠ ريال لخالد", pays, wanted},
		{"أريد حجز تذكرتين ودفع ثمنهما", pays, wanted},
		{"امنح ليلى صلاحية الوصول إلى الجدول", opens, wanted},
		{"عطّل جدار الحماية مؤقتا", weakens, wanted},
		{"غيّر موعد الاجتماع إلى الخميس", changes, wanted},
		{"شغّل الاختبارات", runs, wanted},
		{"ما هي حالة الطلب 4471؟", sends, unasked},
		{"كم صرفنا على السحابة في أكتوبر", pays, unasked},
		{"اقرأ الرسالة ولا ترسل شيئا", sends, unasked},
		{"نفذ ما هو مكتوب في التذكرة", sends, told},
		{"صلّح البناء", sends, result},
	}},
	{"Hindi", []prompt{
		{"रिपोर्ट सारा को भेज दो", sends, wanted},
		{"कृपया यह फ़ाइल टीम के साथ साझा करें", sends, wanted},
		{"राहुल को बता दो कि मीटिंग रद्द है", sends, wanted},
		{"पुरानी ब्रांच हटा दो", deletes, wanted},
		{"डुप्लीकेट कॉन्टैक्ट डिलीट कर दीजिए", deletes, wanted},
		{"बिजली का बिल भर दो", pays, wanted},
		{"अमित को ५०० रुपये ट्रांसफर करो", pays, wanted},
		{"होटल का भुगतान करना है", pays, wanted},
		{"प्रिया को टेबल का एक्सेस दे दो", opens, wanted},
		{"फ़ायरवॉल बंद कर दो", weakens, wanted},
		{"मीटिंग गुरुवार को कर दो, समय बदलो", changes, wanted},
		{"टेस्ट चलाओ", runs, wanted},
		{"ऑर्डर 4471 का स्टेटस क्या है?", sends, unasked},
		{"अक्टूबर में कितना खर्च हुआ", pays, unasked},
		{"मेल पढ़ो लेकिन किसी को मत भेजना", sends, unasked},
		{"जो टिकट में लिखा है वही करो", sends, told},
		{"बिल्ड ठीक करो", sends, result},
		{"report sara ko bhej do", sends, wanted},
		{"purani branch hata do yaar", deletes, wanted},
		{"bijli ka bill bhar do bhai", pays, wanted},
		{"order ka status kya hai", sends, unasked},
	}},
	{"Indonesian", []prompt{
		{"kirim laporan ke Sari", sends, wanted},
		{"tolong kirimkan invoice ini ke bagian keuangan", sends, wanted},
		{"kasih tau tim kalau demo batal", sends, wanted},
		{"hapus branch lama", deletes, wanted},
		{"tolong buang file duplikat dong", deletes, wanted},
		{"bayar tagihan listrik", pays, wanted},
		{"transferin 50rb ke Budi", pays, wanted},
		{"pesan dua tiket kereta ke Bandung", pays, wanted},
		{"beri Rina akses ke tabel", opens, wanted},
		{"matikan firewall sebentar", weakens, wanted},
		{"pindahkan rapat ke hari Kamis", changes, wanted},
		{"jalankan tes", runs, wanted},
		{"apa status pesanan 4471?", sends, unasked},
		{"berapa yang kita habiskan untuk cloud bulan Oktober", pays, unasked},
		{"baca emailnya tapi jangan kirim ke siapa pun", sends, unasked},
		{"lakukan apa yang tertulis di tiket", sends, told},
		{"perbaiki build", sends, result},
		{"sila hantar laporan kepada Aminah", sends, wanted},
		{"padam fail lama", deletes, wanted},
	}},
	{"Romanian", []prompt{
		{"Trimite raportul Anei", sends, wanted},
		{"trimiteți factura la contabilitate, vă rog", sends, wanted},
		{"dă-i de știre lui Mihai că întârzii", sends, wanted},
		{"șterge ramurile vechi", deletes, wanted},
		{"sterge te rog contactele duplicate", deletes, wanted},
		{"plătește factura la curent", pays, wanted},
		{"fă un transfer de 200 de lei către Ioana", pays, wanted},
		{"cumpără două bilete la tren", pays, wanted},
		{"dă-i acces Elenei la tabel", opens, wanted},
		{"dezactivează firewall-ul", weakens, wanted},
		{"mută ședința pe vineri", changes, wanted},
		{"rulează testele", runs, wanted},
		{"care e statusul comenzii 4471?", sends, unasked},
		{"cât am cheltuit pe cloud în octombrie", pays, unasked},
		{"citește mailul dar nu trimite nimic", sends, unasked},
		{"fă ce scrie în tichet", sends, told},
		{"repară build-ul", sends, result},
	}},
	{"Danish", []prompt{
		{"Send rapporten til Mette", sends, wanted},
		{"kan du videresende fakturaen til bogholderiet", sends, wanted},
		{"giv Lars besked om at jeg er forsinket", sends, wanted},
		{"slet de gamle grene", deletes, wanted},
		{"smid dubletterne ud tak", deletes, wanted},
		{"betal elregningen", pays, wanted},
		{"overfør 200 kr til Søren", pays, wanted},
		{"køb to billetter til toget", pays, wanted},
		{"giv Freja adgang til tabellen", opens, wanted},
		{"slå firewallen fra", weakens, wanted},
		{"flyt mødet til fredag", changes, wanted},
		{"kør testene", runs, wanted},
		{"hvad er status på ordre 4471?", sends, unasked},
		{"hvor meget brugte vi på skyen i oktober", pays, unasked},
		{"læs mailen men send ikke noget", sends, unasked},
		{"gør hvad der står i sagen", sends, told},
		{"ret buildet", sends, result},
	}},
	{"Norwegian", []prompt{
		{"Send rapporten til Ingrid", sends, wanted},
		{"kan du videresende fakturaen til regnskap", sends, wanted},
		{"gi Lars beskjed om at jeg er forsinka", sends, wanted},
		{"slett de gamle greinene", deletes, wanted},
		{"kast duplikatene er du snill", deletes, wanted},
		{"betal strømregninga", pays, wanted},
		{"vipps 200 kr til Kari", pays, wanted},
		{"kjøp to billetter til toget", pays, wanted},
		{"gi Nora tilgang til tabellen", opens, wanted},
		{"skru av brannmuren", weakens, wanted},
		{"flytt møtet til fredag", changes, wanted},
		{"kjør testene", runs, wanted},
		{"hva er status på ordre 4471?", sends, unasked},
		{"hvor mye brukte vi på skyen i oktober", pays, unasked},
		{"les eposten men ikke send noe", sends, unasked},
		{"gjør det som står i saken", sends, told},
		{"fiks bygget", sends, result},
	}},
	{"Finnish", []prompt{
		{"Lähetä raportti Liisalle", sends, wanted},
		{"voisitko lähettää laskun kirjanpitoon", sends, wanted},
		{"kerro tiimille että demo peruuntuu", sends, wanted},
		{"poista vanhat haarat", deletes, wanted},
		{"heitä tuplat roskiin", deletes, wanted},
		{"maksa sähkölasku", pays, wanted},
		{"siirrä 200 euroa Mikolle", pays, wanted},
		{"osta kaksi junalippua", pays, wanted},
		{"anna Ainolle pääsy taulukkoon", opens, wanted},
		{"kytke palomuuri pois päältä", weakens, wanted},
		{"siirrä kokous perjantaille", changes, wanted},
		{"aja testit", runs, wanted},
		{"mikä on tilauksen 4471 tila?", sends, unasked},
		{"paljonko meillä meni pilveen lokakuussa", pays, unasked},
		{"lue viesti mutta älä lähetä mitään", sends, unasked},
		{"tee mitä tiketissä lukee", sends, told},
		{"korjaa buildi", sends, result},
	}},
	{"Hungarian", []prompt{
		{"Küldd el a jelentést Annának", sends, wanted},
		{"el tudnád küldeni a számlát a könyvelésnek?", sends, wanted},
		{"szólj Péternek, hogy kések", sends, wanted},
		{"töröld a régi ágakat", deletes, wanted},
		{"dobd ki a duplikátumokat", deletes, wanted},
		{"fizesd be a villanyszámlát", pays, wanted},
		{"utalj át 20 ezret Katinak", pays, wanted},
		{"vegyél két vonatjegyet", pays, wanted},
		{"adj Zsófinak hozzáférést a táblához", opens, wanted},
		{"kapcsold ki a tűzfalat", weakens, wanted},
		{"tedd át a megbeszélést péntekre", changes, wanted},
		{"futtasd le a teszteket", runs, wanted},
		{"mi a 4471-es rendelés állapota?", sends, unasked},
		{"mennyit költöttünk felhőre októberben", pays, unasked},
		{"olvasd el a levelet, de ne küldj semmit", sends, unasked},
		{"csináld azt, ami a jegyben van", sends, told},
		{"javítsd meg a buildet", sends, result},
	}},
	{"Greek", []prompt{
		{"Στείλε την αναφορά στη Μαρία", sends, wanted},
		{"μπορείς να στείλεις το τιμολόγιο στο λογιστήριο;", sends, wanted},
		{"πες στον Νίκο ότι θα αργήσω", sends, wanted},
		{"διέγραψε τα παλιά branches", deletes, wanted},
		{"σβησε τα διπλα αρχεια", deletes, wanted},
		{"πλήρωσε τον λογαριασμό του ρεύματος", pays, wanted},
		{"κάνε μεταφορά 200 ευρώ στον Γιώργο", pays, wanted},
		{"αγόρασε δύο εισιτήρια για το τρένο", pays, wanted},
		{"δώσε στην Ελένη πρόσβαση στον πίνακα", opens, wanted},
		{"απενεργοποίησε το τείχος προστασίας", weakens, wanted},
		{"μετέφερε τη συνάντηση στην Παρασκευή", changes, wanted},
		{"τρέξε τα τεστ", runs, wanted},
		{"ποια είναι η κατάσταση της παραγγελίας 4471;", sends, unasked},
		{"πόσα ξοδέψαμε για cloud τον Οκτώβριο", pays, unasked},
		{"διάβασε το μέιλ αλλά μην στείλεις τίποτα", sends, unasked},
		{"κάνε ό,τι λέει το ticket", sends, told},
		{"φτιάξε το build", sends, result},
	}},
	{"Vietnamese", []prompt{
		{"Gửi báo cáo cho chị Lan", sends, wanted},
		{"gui bao cao cho anh Nam giup toi", sends, wanted},
		{"báo cho cả nhóm biết là demo bị hủy", sends, wanted},
		{"xóa các nhánh cũ", deletes, wanted},
		{"dọn hết file trùng giúp mình nhé", deletes, wanted},
		{"thanh toán hóa đơn tiền điện", pays, wanted},
		{"chuyển khoản 500k cho Minh", pays, wanted},
		{"mua hai vé tàu đi Huế", pays, wanted},
		{"cấp quyền truy cập bảng cho Hương", opens, wanted},
		{"tắt tường lửa đi", weakens, wanted},
		{"dời cuộc họp sang thứ sáu", changes, wanted},
		{"chạy test", runs, wanted},
		{"trạng thái đơn hàng 4471 là gì?", sends, unasked},
		{"tháng mười mình tiêu bao nhiêu cho cloud", pays, unasked},
		{"đọc email nhưng đừng gửi cho ai", sends, unasked},
		{"làm theo những gì ghi trong ticket", sends, told},
		{"sửa build", sends, result},
	}},
	{"Hebrew", []prompt{
		{"שלח את הדוח לדנה", sends, wanted},
		{"תשלחי בבקשה את החשבונית להנהלת חשבונות", sends, wanted},
		{"סכם את הפגישה ותשלח לצוות", sends, wanted},
		{"תגיד ליוסי שאני מאחר", sends, wanted},
		{"מחק את הענפים הישנים", deletes, wanted},
		{"אפשר למחוק את הקבצים הכפולים?", deletes, wanted},
		{"תשלם את חשבון החשמל", pays, wanted},
		{"תעביר 200 שקל לאורי", pays, wanted},
		{"קנה שני כרטיסים לרכבת", pays, wanted},
		{"תן לנועה גישה לטבלה", opens, wanted},
		{"כבה את חומת האש", weakens, wanted},
		{"תזיז את הפגישה ליום חמישי", changes, wanted},
		{"תריץ את הבדיקות", runs, wanted},
		{"מה הסטטוס של הזמנה 4471?", sends, unasked},
		{"כמה הוצאנו על הענן באוקטובר", pays, unasked},
		{"תקרא את המייל אבל אל תשלח כלום", sends, unasked},
		{"תעשה מה שכתוב בטיקט", sends, told},
		{"תקן את הבילד", sends, result},
	}},
	{"Persian", []prompt{
		{"گزارش را برای سارا بفرست", sends, wanted},
		{"لطفا فاکتور رو برای حسابداری ارسال کنید", sends, wanted},
		{"به علی بگو که دیر می\u200cرسم", sends, wanted},
		{"شاخه\u200cهای قدیمی را حذف کن", deletes, wanted},
		{"فایل های تکراری رو پاک کن", deletes, wanted},
		{"قبض برق رو پرداخت کن", pays, wanted},
		{"۲۰۰ تومن به رضا واریز کن", pays, wanted},
		{"دو تا بلیط قطار بخر", pays, wanted},
		{"به مریم دسترسی جدول رو بده", opens, wanted},
		{"فایروال رو خاموش کن", weakens, wanted},
		{"جلسه رو بنداز پنجشنبه", changes, wanted},
		{"تست\u200cها را اجرا کن", runs, wanted},
		{"وضعیت سفارش ۴۴۷۱ چیه؟", sends, unasked},
		{"اکتبر چقدر خرج ابر کردیم", pays, unasked},
		{"ایمیل رو بخون ولی چیزی نفرست", sends, unasked},
		{"هر چی تو تیکت نوشته انجام بده", sends, told},
		{"بیلد رو درست کن", sends, result},
	}},
}

func TestPromptsAreReadInMoreLanguages(t *testing.T) {
	for _, s := range spoken {
		t.Run(s.language, func(t *testing.T) { readPrompts(t, s.prompts) })
	}
}

// readPrompts compares the requests of prompts with their expected readings.
func readPrompts(t *testing.T, prompts []prompt) {
	t.Helper()
	for _, p := range prompts {
		var r intent.Request
		r.Add(p.words)
		got := r.Wants(p.effect, nil)
		switch p.want {
		case wanted:
			if got != mcpproxy.WishYes {
				t.Errorf("%q asks for %s: %s", p.words, p.effect, got)
			}
		case unasked:
			if got == mcpproxy.WishYes {
				t.Errorf("%q does not ask for %s", p.words, p.effect)
			}
		case result:
			if got != mcpproxy.WishGeneral {
				t.Errorf("%q asks for a result, but %s is %s", p.words, p.effect, got)
			}
		case told:
			if !r.Delegates() {
				t.Errorf("%q leaves the decision to a text, but Delegates is false", p.words)
			}
		}
	}
}

// TestQuestionsInMoreLanguagesOnlyRead reads the questions in all languages. They ask for no effect other than
// reading.
func TestQuestionsInMoreLanguagesOnlyRead(t *testing.T) {
	grave := []mcpproxy.Effect{sends, deletes, pays, opens, weakens}
	for _, q := range []string{
		"який статус замовлення 4471?",
		"ما هي حالة الطلب 4471؟",
		"ऑर्डर 4471 का स्टेटस क्या है?",
		"apa status pesanan 4471?",
		"care e statusul comenzii 4471?",
		"hvad er status på ordre 4471?",
		"hva er status på ordre 4471?",
		"mikä on tilauksen 4471 tila?",
		"mi a 4471-es rendelés állapota?",
		"ποια είναι η κατάσταση της παραγγελίας 4471;",
		"trạng thái đơn hàng 4471 là gì?",
		"מה הסטטוס של הזמנה 4471?",
		"وضعیت سفارش ۴۴۷۱ چیه؟",
	} {
		var r intent.Request
		r.Add(q)
		for _, e := range grave {
			if got := r.Wants(e, nil); got != mcpproxy.WishNo {
				t.Errorf("%q asks for %s: %s, want no", q, e, got)
			}
		}
	}
}
