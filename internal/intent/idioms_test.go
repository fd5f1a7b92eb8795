package intent_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/intent"
)

// asked lists prompts as users type them, by the effect that they clearly ask for.
var asked = []struct {
	name    string
	effect  mcpproxy.Effect
	prompts []string
}{
	{"a request to send something, in English", mcpproxy.EffectSend, []string{
		"drop Marta a line that we're running late",
		"shoot the numbers over to finance",
		"fire off a quick thank-you to the speakers",
		"find the guarantee in my mail and write them, with the serial no and my address",
	}},
	{"a request to delete something, in English", mcpproxy.EffectDelete, []string{
		"get rid of the stale branches",
		"chuck out last year's backups",
	}},
	{"a request to pay for something, in English", mcpproxy.EffectPay, []string{
		"cover the dinner bill, split it with Sam",
		"reorder what is below the minimum",
	}},
	{"a request to change something, in English", mcpproxy.EffectChange, []string{
		"swap the logo for the new one in the header",
	}},
	{"a request to give access, in English", mcpproxy.EffectGrant, []string{
		"give the contractor the keys to the staging bucket",
	}},
	{"a request to remove a protection, in English", mcpproxy.EffectWeaken, []string{
		"shut off the 2fa prompt for service accounts",
	}},
	{"a request to send something, in German", mcpproxy.EffectSend, []string{
		"sag Jonas Bescheid, dass der Termin platzt",
		"gib dem Vertrieb ein kurzes Update",
		"richte Herrn Wolf aus, dass wir zusagen",
	}},
	{"a request to delete something, in German", mcpproxy.EffectDelete, []string{
		"schmeiß die alten Branches weg",
		"kill mal die toten Links auf der Startseite",
	}},
	{"a request to pay for something, in German", mcpproxy.EffectPay, []string{
		"hol mir zwei Karten fürs Konzert",
		"bestell Druckerpapier nach",
	}},
	{"a request to change something, in German", mcpproxy.EffectChange, []string{
		"schieb das Meeting auf Freitag",
	}},
	{"a request to give access, in German", mcpproxy.EffectGrant, []string{
		"lass Mira ins Admin-Panel, sie braucht Adminrechte",
	}},
	{"a request to remove a protection, in German", mcpproxy.EffectWeaken, []string{
		"mach die Firewall kurz aus",
	}},
	{"a request to send something, in French", mcpproxy.EffectSend, []string{
		"balance ça sur le canal produit",
		"tiens Marc au courant",
		"transmets le dossier au notaire",
	}},
	{"a request to delete something, in French", mcpproxy.EffectDelete, []string{
		"vire les vieilles branches",
		"fais le ménage dans les fichiers temporaires",
	}},
	{"a request to pay for something, in French", mcpproxy.EffectPay, []string{
		"règle la facture EDF",
		"fais un virement de 300 à mon proprio",
	}},
	{"a request to change something, in French", mcpproxy.EffectChange, []string{
		"décale la réunion à jeudi",
	}},
	{"a request to give access, in French", mcpproxy.EffectGrant, []string{
		"file un accès admin à Karim",
	}},
	{"a request to remove a protection, in French", mcpproxy.EffectWeaken, []string{
		"vire la double authentification pour les comptes de service",
	}},
	{"a request to send something, in Spanish", mcpproxy.EffectSend, []string{
		"mándaselo a Lucía",
		"ponle un correo al casero",
		"cuéntale al equipo que se cae la demo",
	}},
	{"a request to delete something, in Spanish", mcpproxy.EffectDelete, []string{
		"cárgate las ramas viejas",
		"bórramelo todo",
	}},
	{"a request to pay for something, in Spanish", mcpproxy.EffectPay, []string{
		"págale a Ana los 20 euros",
		"salda la factura de la luz",
	}},
	{"a request to change something, in Spanish", mcpproxy.EffectChange, []string{
		"pásame la reunión al jueves",
	}},
	{"a request to give access, in Spanish", mcpproxy.EffectGrant, []string{
		"dale permisos de admin a Karim",
	}},
	{"a request to remove a protection, in Spanish", mcpproxy.EffectWeaken, []string{
		"quita el doble factor para las cuentas de servicio",
	}},
	{"a request to send something, in Portuguese", mcpproxy.EffectSend, []string{
		"dá um toque no Pedro que vou atrasar",
		"avisa a galera que a demo caiu",
		"encaminha pro jurídico",
	}},
	{"a request to delete something, in Portuguese", mcpproxy.EffectDelete, []string{
		"joga fora os rascunhos antigos",
		"esvazia a lixeira",
	}},
	{"a request to pay for something, in Portuguese", mcpproxy.EffectPay, []string{
		"faz um pix de 50 pro Caio",
		"acerta a fatura da internet",
	}},
	{"a request to change something, in Portuguese", mcpproxy.EffectChange, []string{
		"passa a reunião pra quinta",
	}},
	{"a request to send something, in Italian", mcpproxy.EffectSend, []string{
		"gira la fattura a Paola",
		"fammi sapere al team che salta la demo",
		"metti Chiara in copia",
	}},
	{"a request to delete something, in Italian", mcpproxy.EffectDelete, []string{
		"fai fuori i branch vecchi",
		"fai pulizia nella cartella temp",
	}},
	{"a request to pay for something, in Italian", mcpproxy.EffectPay, []string{
		"salda la bolletta della luce",
		"compra la carta per la stampante",
	}},
	{"a request to change something, in Italian", mcpproxy.EffectChange, []string{
		"sposta la riunione a giovedì",
	}},
	{"a request to send something, in Dutch", mcpproxy.EffectSend, []string{
		"gooi het even in het productkanaal",
		"zet Marta in de cc",
		"app Kees dat ik eraan kom",
	}},
	{"a request to delete something, in Dutch", mcpproxy.EffectDelete, []string{
		"gooi de oude branches weg",
		"kieper de testdata eruit",
	}},
	{"a request to pay for something, in Dutch", mcpproxy.EffectPay, []string{
		"maak 20 euro over aan Lena",
		"doe een tikkie van 15 aan Sam betalen",
	}},
	{"a request to change something, in Dutch", mcpproxy.EffectChange, []string{
		"schuif de vergadering naar vrijdag",
	}},
	{"a request to send something, in Japanese", mcpproxy.EffectSend, []string{
		"田中さんに一報入れといて",
		"製品チャンネルに流しといて",
		"チームに共有しといて",
	}},
	{"a request to delete something, in Japanese", mcpproxy.EffectDelete, []string{
		"古いブランチ消しといて",
		"テストデータを一掃して",
	}},
	{"a request to pay for something, in Japanese", mcpproxy.EffectPay, []string{
		"電気代を払っといて",
		"プリンタ用紙を頼んで、注文して",
	}},
	{"a request to change something, in Japanese", mcpproxy.EffectChange, []string{
		"会議を木曜にずらして",
	}},
	{"a request to give access, in Japanese", mcpproxy.EffectGrant, []string{
		"カリムに管理者権限をあげて",
	}},
	{"a request to remove a protection, in Japanese", mcpproxy.EffectWeaken, []string{
		"ファイアウォール切って",
	}},
	{"a request to send something, in Chinese", mcpproxy.EffectSend, []string{
		"跟小王说一声我晚点到",
		"丢到产品群里",
		"让团队知道演示取消了",
	}},
	{"a request to delete something, in Chinese", mcpproxy.EffectDelete, []string{
		"把旧分支删了",
		"干掉重复的联系人",
	}},
	{"a request to pay for something, in Chinese", mcpproxy.EffectPay, []string{
		"把电费交了",
		"把房租付了",
	}},
	{"a request to change something, in Chinese", mcpproxy.EffectChange, []string{
		"会议挪到周四",
	}},
	{"a request to give access, in Chinese", mcpproxy.EffectGrant, []string{
		"给卡里姆开管理员权限",
	}},
	{"a request to remove a protection, in Chinese", mcpproxy.EffectWeaken, []string{
		"把防火墙关了",
	}},
	{"a request to send something, in Polish", mcpproxy.EffectSend, []string{
		"daj znać Jankowi, że się spóźnię",
		"puść maila do dostawcy",
	}},
	{"a request to delete something, in Polish", mcpproxy.EffectDelete, []string{
		"wywal stare gałęzie",
	}},
	{"a request to send something, in Swedish", mcpproxy.EffectSend, []string{
		"hojta till Jonas att jag blir sen",
		"hör av dig till hyresvärden",
	}},
	{"a request to delete something, in Swedish", mcpproxy.EffectDelete, []string{
		"släng de gamla brancherna",
	}},
	{"a request to send something, in Turkish", mcpproxy.EffectSend, []string{
		"Ahmet'e haber ver geç kalacağım",
	}},
	{"a request to delete something, in Turkish", mcpproxy.EffectDelete, []string{
		"eski dalları uçur",
	}},
	{"a request to send something, in Russian", mcpproxy.EffectSend, []string{
		"черкани Маше, что я опаздываю",
		"дай знать хозяину квартиры",
	}},
	{"a request to delete something, in Russian", mcpproxy.EffectDelete, []string{
		"снеси старые ветки",
	}},
	{"a request to send something, in Korean", mcpproxy.EffectSend, []string{
		"민수한테 늦는다고 전해줘",
		"집주인한테 메일 써서 보내",
	}},
	{"a request to delete something, in Korean", mcpproxy.EffectDelete, []string{
		"오래된 브랜치 날려줘",
	}},
	{"a request to send something, in Czech", mcpproxy.EffectSend, []string{
		"dej Honzovi vědět, že přijdu pozdě",
		"ozvi se pronajímateli",
	}},
	{"a request to delete something, in Czech", mcpproxy.EffectDelete, []string{
		"vyhoď staré větve",
	}},
}

func TestIdiomsOfUsersAreRead(t *testing.T) {
	for _, c := range asked {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range c.prompts {
				var r intent.Request
				r.Add(p)
				if got := r.Wants(c.effect, nil); got != mcpproxy.WishYes {
					t.Errorf("%q asks for %s: %s", p, c.effect, got)
				}
			}
		})
	}
}

func TestQuestionsAskForNoEffect(t *testing.T) {
	effects := []mcpproxy.Effect{
		mcpproxy.EffectSend,
		mcpproxy.EffectDelete,
		mcpproxy.EffectPay,
		mcpproxy.EffectGrant,
	}
	for _, p := range []string{
		"whats the latest on the Hamburg order?",
		"how much did we spend on cloud in October",
		"was gibts Neues im Ticket von gestern?",
		"blick mal durch die Logs und sag mir, woran es lag",
		"fais-moi un résumé du fil avec Airbus",
		"quand expire le contrat avec Nordwind ?",
		"hazme un resumen del hilo con Iberdrola",
		"cuánto gastamos en octubre",
		"me faz um resumo da conversa com a Petrobras",
		"quanto a gente gastou em outubro",
		"fammi un riassunto del thread con Eni",
		"quanto abbiamo speso in ottobre",
		"vat de mailwisseling met Philips samen",
		"is er iets nieuws in mijn inbox?",
		"トヨタとのスレッドを要約して",
		"受信箱に何か新しいのある？",
		"总结一下和华为的邮件往来",
		"收件箱里有什么新消息吗",
		"streść mi wątek z Orlenem",
		"ile wydaliśmy w październiku",
		"sammanfatta tråden med Volvo",
		"hur mycket spenderade vi i oktober",
		"loglara göz at ve neyin bozulduğunu söyle",
		"Nordwind sözleşmesi ne zaman bitiyor",
		"сделай мне сводку переписки с Газпромом",
		"сколько мы потратили в октябре",
		"10월에 클라우드에 얼마 썼어?",
		"shrň mi vlákno se Škodovkou",
		"kolik jsme utratili v říjnu",
	} {
		var r intent.Request
		r.Add(p)
		for _, e := range effects {
			if got := r.Wants(e, nil); got != mcpproxy.WishNo {
				t.Errorf("%q asks for %s: %s", p, e, got)
			}
		}
	}
}
