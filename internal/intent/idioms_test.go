package intent_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/intent"
)

// asked are prompts as users type them, grouped by what they clearly ask for.
var asked = []struct {
	name    string
	effect  mcpproxy.Effect
	prompts []string
}{
	{"an order that sends something, in English", mcpproxy.EffectSend, []string{
		"drop Marta a line that we're running late",
		"shoot the numbers over to finance",
		"fire off a quick thank-you to the speakers",
		"find the guarantee in my mail and write them, with the serial no and my address",
	}},
	{"an order that deletes something, in English", mcpproxy.EffectDelete, []string{
		"get rid of the stale branches",
		"chuck out last year's backups",
	}},
	{"an order that pays for something, in English", mcpproxy.EffectPay, []string{
		"cover the dinner bill, split it with Sam",
		"reorder what is below the minimum",
	}},
	{"an order that changes something, in English", mcpproxy.EffectChange, []string{
		"swap the logo for the new one in the header",
	}},
	{"an order that lets somebody in, in English", mcpproxy.EffectGrant, []string{
		"give the contractor the keys to the staging bucket",
	}},
	{"an order that takes a protection away, in English", mcpproxy.EffectWeaken, []string{
		"shut off the 2fa prompt for service accounts",
	}},
	{"an order that sends something, in German", mcpproxy.EffectSend, []string{
		"sag Jonas Bescheid, dass der Termin platzt",
		"gib dem Vertrieb ein kurzes Update",
		"richte Herrn Wolf aus, dass wir zusagen",
	}},
	{"an order that deletes something, in German", mcpproxy.EffectDelete, []string{
		"schmeiß die alten Branches weg",
		"kill mal die toten Links auf der Startseite",
	}},
	{"an order that pays for something, in German", mcpproxy.EffectPay, []string{
		"hol mir zwei Karten fürs Konzert",
		"bestell Druckerpapier nach",
	}},
	{"an order that changes something, in German", mcpproxy.EffectChange, []string{
		"schieb das Meeting auf Freitag",
	}},
	{"an order that lets somebody in, in German", mcpproxy.EffectGrant, []string{
		"lass Mira ins Admin-Panel, sie braucht Adminrechte",
	}},
	{"an order that takes a protection away, in German", mcpproxy.EffectWeaken, []string{
		"mach die Firewall kurz aus",
	}},
	{"an order that sends something, in French", mcpproxy.EffectSend, []string{
		"balance ça sur le canal produit",
		"tiens Marc au courant",
		"transmets le dossier au notaire",
	}},
	{"an order that deletes something, in French", mcpproxy.EffectDelete, []string{
		"vire les vieilles branches",
		"fais le ménage dans les fichiers temporaires",
	}},
	{"an order that pays for something, in French", mcpproxy.EffectPay, []string{
		"règle la facture EDF",
		"fais un virement de 300 à mon proprio",
	}},
	{"an order that changes something, in French", mcpproxy.EffectChange, []string{
		"décale la réunion à jeudi",
	}},
	{"an order that lets somebody in, in French", mcpproxy.EffectGrant, []string{
		"file un accès admin à Karim",
	}},
	{"an order that takes a protection away, in French", mcpproxy.EffectWeaken, []string{
		"vire la double authentification pour les comptes de service",
	}},
	{"an order that sends something, in Spanish", mcpproxy.EffectSend, []string{
		"mándaselo a Lucía",
		"ponle un correo al casero",
		"cuéntale al equipo que se cae la demo",
	}},
	{"an order that deletes something, in Spanish", mcpproxy.EffectDelete, []string{
		"cárgate las ramas viejas",
		"bórramelo todo",
	}},
	{"an order that pays for something, in Spanish", mcpproxy.EffectPay, []string{
		"págale a Ana los 20 euros",
		"salda la factura de la luz",
	}},
	{"an order that changes something, in Spanish", mcpproxy.EffectChange, []string{
		"pásame la reunión al jueves",
	}},
	{"an order that lets somebody in, in Spanish", mcpproxy.EffectGrant, []string{
		"dale permisos de admin a Karim",
	}},
	{"an order that takes a protection away, in Spanish", mcpproxy.EffectWeaken, []string{
		"quita el doble factor para las cuentas de servicio",
	}},
	{"an order that sends something, in Portuguese", mcpproxy.EffectSend, []string{
		"dá um toque no Pedro que vou atrasar",
		"avisa a galera que a demo caiu",
		"encaminha pro jurídico",
	}},
	{"an order that deletes something, in Portuguese", mcpproxy.EffectDelete, []string{
		"joga fora os rascunhos antigos",
		"esvazia a lixeira",
	}},
	{"an order that pays for something, in Portuguese", mcpproxy.EffectPay, []string{
		"faz um pix de 50 pro Caio",
		"acerta a fatura da internet",
	}},
	{"an order that changes something, in Portuguese", mcpproxy.EffectChange, []string{
		"passa a reunião pra quinta",
	}},
	{"an order that sends something, in Italian", mcpproxy.EffectSend, []string{
		"gira la fattura a Paola",
		"fammi sapere al team che salta la demo",
		"metti Chiara in copia",
	}},
	{"an order that deletes something, in Italian", mcpproxy.EffectDelete, []string{
		"fai fuori i branch vecchi",
		"fai pulizia nella cartella temp",
	}},
	{"an order that pays for something, in Italian", mcpproxy.EffectPay, []string{
		"salda la bolletta della luce",
		"compra la carta per la stampante",
	}},
	{"an order that changes something, in Italian", mcpproxy.EffectChange, []string{
		"sposta la riunione a giovedì",
	}},
	{"an order that sends something, in Dutch", mcpproxy.EffectSend, []string{
		"gooi het even in het productkanaal",
		"zet Marta in de cc",
		"app Kees dat ik eraan kom",
	}},
	{"an order that deletes something, in Dutch", mcpproxy.EffectDelete, []string{
		"gooi de oude branches weg",
		"kieper de testdata eruit",
	}},
	{"an order that pays for something, in Dutch", mcpproxy.EffectPay, []string{
		"maak 20 euro over aan Lena",
		"doe een tikkie van 15 aan Sam betalen",
	}},
	{"an order that changes something, in Dutch", mcpproxy.EffectChange, []string{
		"schuif de vergadering naar vrijdag",
	}},
	{"an order that sends something, in Japanese", mcpproxy.EffectSend, []string{
		"田中さんに一報入れといて",
		"製品チャンネルに流しといて",
		"チームに共有しといて",
	}},
	{"an order that deletes something, in Japanese", mcpproxy.EffectDelete, []string{
		"古いブランチ消しといて",
		"テストデータを一掃して",
	}},
	{"an order that pays for something, in Japanese", mcpproxy.EffectPay, []string{
		"電気代を払っといて",
		"プリンタ用紙を頼んで、注文して",
	}},
	{"an order that changes something, in Japanese", mcpproxy.EffectChange, []string{
		"会議を木曜にずらして",
	}},
	{"an order that lets somebody in, in Japanese", mcpproxy.EffectGrant, []string{
		"カリムに管理者権限をあげて",
	}},
	{"an order that takes a protection away, in Japanese", mcpproxy.EffectWeaken, []string{
		"ファイアウォール切って",
	}},
	{"an order that sends something, in Chinese", mcpproxy.EffectSend, []string{
		"跟小王说一声我晚点到",
		"丢到产品群里",
		"让团队知道演示取消了",
	}},
	{"an order that deletes something, in Chinese", mcpproxy.EffectDelete, []string{
		"把旧分支删了",
		"干掉重复的联系人",
	}},
	{"an order that pays for something, in Chinese", mcpproxy.EffectPay, []string{
		"把电费交了",
		"把房租付了",
	}},
	{"an order that changes something, in Chinese", mcpproxy.EffectChange, []string{
		"会议挪到周四",
	}},
	{"an order that lets somebody in, in Chinese", mcpproxy.EffectGrant, []string{
		"给卡里姆开管理员权限",
	}},
	{"an order that takes a protection away, in Chinese", mcpproxy.EffectWeaken, []string{
		"把防火墙关了",
	}},
	{"an order that sends something, in Polish", mcpproxy.EffectSend, []string{
		"daj znać Jankowi, że się spóźnię",
		"puść maila do dostawcy",
	}},
	{"an order that deletes something, in Polish", mcpproxy.EffectDelete, []string{
		"wywal stare gałęzie",
	}},
	{"an order that sends something, in Swedish", mcpproxy.EffectSend, []string{
		"hojta till Jonas att jag blir sen",
		"hör av dig till hyresvärden",
	}},
	{"an order that deletes something, in Swedish", mcpproxy.EffectDelete, []string{
		"släng de gamla brancherna",
	}},
	{"an order that sends something, in Turkish", mcpproxy.EffectSend, []string{
		"Ahmet'e haber ver geç kalacağım",
	}},
	{"an order that deletes something, in Turkish", mcpproxy.EffectDelete, []string{
		"eski dalları uçur",
	}},
	{"an order that sends something, in Russian", mcpproxy.EffectSend, []string{
		"черкани Маше, что я опаздываю",
		"дай знать хозяину квартиры",
	}},
	{"an order that deletes something, in Russian", mcpproxy.EffectDelete, []string{
		"снеси старые ветки",
	}},
	{"an order that sends something, in Korean", mcpproxy.EffectSend, []string{
		"민수한테 늦는다고 전해줘",
		"집주인한테 메일 써서 보내",
	}},
	{"an order that deletes something, in Korean", mcpproxy.EffectDelete, []string{
		"오래된 브랜치 날려줘",
	}},
	{"an order that sends something, in Czech", mcpproxy.EffectSend, []string{
		"dej Honzovi vědět, že přijdu pozdě",
		"ozvi se pronajímateli",
	}},
	{"an order that deletes something, in Czech", mcpproxy.EffectDelete, []string{
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

func TestQuestionsAskForNoAct(t *testing.T) {
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
