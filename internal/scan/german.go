package scan

var german = Lexicon{
	{
		"ignore",
		`ignorier/e/en/t/st/end ignorieren_sie ignoriert vergiss vergesst vergessen vergesse vergiß missacht/e/en/et missachten
		verwirf verwerfen verwerft übergeh/e/en höre_nicht_auf hör_nicht_auf beachte_nicht beachten_sie_nicht befolge_nicht
		lass_außer_acht lasse_außer_acht außer_acht_lassen nicht_beachten nicht_mehr_beachten streich/e/en`,
	},
	{
		"override",
		`umgeh/e/en überschreib/e/en deaktivier/e/en überspring/e/en aufheben setze_außer_kraft außer_kraft ignorier/e/en hebe_auf
		schalte_ab abschalten ausschalten entferne entfernen lösche löschen ersetze ersetzen brich breche`,
	},
	{
		"prior",
		`vorherig/e/en/er/es/em vorig/e/en/er/es bisherig/e/en/er/es früher/e/en/er/es obig/e/en/er/es vorstehend/e/en/er
		vorangegangen/e/en/er vorangehend/e/en ursprünglich/e/en/er/es bisher zuvor davor vorher oben vorab weiter_oben
		genannten erhaltenen gegebenen`,
	},
	{"other", `sonstige/n andere/n weitere/n letzten`},
	{
		"instr",
		`anweisung/en instruktion/en anordnung/en vorgabe/n richtlinie/n leitlinie/n weisung/en direktive/n systemprompt
		system-prompt systemanweisung/en prompt/s systemnachricht eingabeaufforderung befehle aufträge arbeitsanweisung/en
		programmierung verhaltensregeln`,
	},
	{
		"rules",
		`regel/n befehl/e/en auftrag aufträge/n aufgabe/n kontext text/e inhalt/e nachricht/en information/en daten frage/n
		gesagte/n ausführungen angaben bedingungen artikel prompt-texte prompttexte eingaben`,
	},
	{"instead", `stattdessen nur ausschließlich lediglich anstatt`},
	{"you", `du dich dir sie ihr euch ihnen`},
	{"your", `dein//e/en/er/em/es ihr//e/en/er/em/es eure euren`},
	{"be", `bist sind seid werde werden wirst bist_du sind_sie`},
	{
		"act",
		`handle handeln handelst spiel/e/en/st verhalte verhalten agier/e/en/st fungier/e/en/st tu_so tue_so simulier/e/en gib_dich_aus stell_dir_vor
		schlüpfe schlüpf übernimm`,
	},
	{"as", `als wie`},
	{"now", `jetzt nun ab_jetzt ab_sofort von_nun_an von_jetzt_an ab_nun sofort umgehend unverzüglich künftig fortan`},
	{
		"free",
		`uneingeschränkt/e/en/er/es ungefiltert/e/en/er/es unzensiert/e/en/er/es ohne_einschränkungen ohne_beschränkungen ohne_filter
		ohne_regeln keine_einschränkungen keine_regeln keine_beschränkungen ohne_jegliche_einschränkungen ohne_grenzen
		unbeschränkt/e/en/er entwicklermodus keine_filter ohne_moral`,
	},
	{"agent", `agent/en`},
	{
		"model",
		`ki assistent/en sprachmodell/e ki-assistent ki-modell ki-system ki-agent modell künstliche_intelligenz`,
	},
	{"user", `benutzer/n nutzer/n anwender/n benutzerin kunden kunde nutzerin mensch/en`},
	{"system", `system systems internen interne geheime geheimen versteckte versteckten`},
	{"prompt", `prompt prompts anweisung/en nachricht systemprompt`},
	{
		"expose",
		`erwähn/e/en erwähnt sag//e/en verrat/e/en offenbar/e/en enthüll/e/en preisgeben gib_mir nenne_mir zeig_mir zeige_mir`,
	},
	{
		"reveal",
		`zeig//e/en gib_aus ausgeben gib verrat/e/en nenn//e/en offenbar/e/en druck/e/en wiederhol/e/en schreib/e/en enthüll/e/en
		ausgabe preisgeben teile_mit liste auflisten zitier/e/en sag//e erwähn/e/en`,
	},
	{"dont", `nicht niemals nie auf_keinen_fall keinesfalls unter_keinen_umständen`},
	{"not", `nicht nichts niemandem kein//e/en/er/em ohne nie niemals`},
	{"tell", `sag//e/en/t erzähl/e/en informier/e/en verrat/e/en mitteilen teile_mit benachrichtig/e/en melde melden
		warn//e/en hinweisen`},
	{
		"hide",
		`verheimlich/e/en geheim heimlich verschweig/e/en verschweigen verberge verbergen verstecke verstecken unauffällig still_und_leise
		stillschweigend`,
	},
	{"permission", `frag//e/en zu_fragen bestätigung zustimmung erlaubnis genehmigung rückfrage einwilligung`},
	{
		"send",
		`send//e/en/et schick/e/en/t verschick/e/en versend/e/en übermittl/e/en leite_weiter weiterleiten sende_weiter leite leiten maile mailen
		lade_hoch hochladen poste posten überweise überweisen übertrag/e/en veröffentlich/e/en weiterzuleiten zu_senden kopier/e/en`,
	},
	{"manage", `lösch/e/en erstell/e/en überweise überweisen lade_ein einladen kauf//e/en buch/e/en bestell/e/en`},
	{
		"visit",
		`besuch/e/en öffne öffnen klick/e/en lade_herunter herunterladen installier/e/en ruf_auf rufe_auf aufrufen`,
	},
	{"call", `ruf_auf rufe_auf aufrufen verwend/e/en benutz/e/en nutz/e/en führe_aus ausführen starte starten`},
	{"tool", `werkzeug/e/en tool//s funktion/en befehl/e`},
	{
		"secret",
		`passwort passwörter/n kennwort kennwörter zugangsdaten anmeldedaten api-schlüssel schlüssel geheimnis/se token
		private_schlüssel bankdaten kreditkarte kontodaten umgebungsvariablen sicherheitscode`,
	},
	{
		"data",
		`daten unterhaltung gespräch gesprächsverlauf chatverlauf nachrichten e-mails mails dateien datei inhalt verlauf dokumente
		kontakte kundendaten konversation`,
	},
	{"place", `server adresse konto webseite website endpunkt url empfänger kanal`},
	{"every", `alle alles allen aller sämtliche sämtlichen jede jeden jegliche jeglichen ganze ganzen irgendwelche`},
	{"said", `gesagt geschrieben gegeben erhalten besprochen angewiesen gesagte gesagten gelernt bekommen mitgeteilt`},
	{"what", `was welche`},
	{"must", `musst müssen sollst sollen solltest hast_zu haben_zu müsst muss soll`},
	{"please", `bitte`},
	{"following", `zuerst zunächst als_erstes`},
	{"before", `bevor vor`},
	{"after", `nachdem danach`},
	{
		"solve",
		`löst lösen bearbeit/e/en/est beantwort/e/en/est antwort/e/en/est fortfahren fortfährst erledig/e/en/st weitermachen machst
		abschließt beendest ausführst`,
	},
	{"task", `aufgabe/n frage auftrag anfrage`},
	{"following", `folgende/n/s folgendes nächste`},
	{"obey", `führe führen befolg/e/en folge folgen gehorch/e/en führe_aus ausführen führ_aus halte_dich`},
	{"fresh", `neu//e/en/er/es aktuelle aktualisierte eigentliche nächste nächsten`},
	{"urgent", `wichtig/e/er/es achtung dringend/e warnung wichtiger_hinweis eilig`},
	{"message", `nachricht hinweis mitteilung anweisung/en notiz meldung systemmeldung aufgabe`},
	{"to", `an für zu nach auf`},
	{"authority", `administrator admin systemadministrator entwickler vorgesetzter`},
	{
		"safety",
		`sicherheit sicherheits moralische/n ethische/n sicherheitsfilter sicherheitsregeln sicherheitsrichtlinien
		sicherheitsvorkehrungen inhalts`,
	},
	{
		"limit",
		`einschränkungen beschränkungen filter grenzen schutzmaßnahmen kontrollen prüfung prüfungen richtlinien regeln
		sicherheitsregeln sicherheitsrichtlinien sicherheitsfilter sicherheitsvorkehrungen sicherheitsmaßnahmen`,
	},
	{"response", `antwort antworten ausgabe`},
	{"edit", `füge ergänze erwähne beginne beende ersetze übersetze schreibe`},
	{"ask", `soll_ich kann_ich darf_ich wie_kann warum wieso weshalb wenn_sie_diese falls_sie`},
	{"refuse", `verweiger/e/n/st ablehnen lehne_ab`},
	{"discuss", `angriff/e angreifer beispiel/e zum_beispiel beispielsweise forscher schadcode injektion z.b`},
}
