package scan

var italian = Lexicon{
	{
		"ignore",
		`ignor/a/are/i/ate/ino dimentic/a/are/ate/hi scart/a/are trascur/a/are tralasci/a/are non_seguire non_tenere_conto
		non_tener_conto lascia_perdere lascia_stare metti_da_parte non_considerare smetti_di_seguire`,
	},
	{
		"override",
		`aggir/a/are disattiv/a/are sovrascriv/i/ere annull/a/are salt/a/are elimin/a/are cancell/a/are bypassa rimuovi disabilit/a/are
		elud/i/ere ignora ignorare`,
	},
	{"prior", `precedent/e/i anterior/e/i original/e/i inizial/e/i prima sopra finora di_prima sopra_riportate suddette
		ricevute antecedenti`},
	{"other", `esistent/e/i altre altri passate`},
	{
		"instr",
		`istruzion/e/i direttiv/a/e indicazion/e/i prompt ordini linee_guida messaggio_di_sistema prompt_di_sistema disposizioni
		consegne`,
	},
	{
		"rules",
		`regol/a/e comand/o/i contesto compit/o/i testo contenuto messaggi/o informazioni dati domand/a/e politiche ordine vincoli`,
	},
	{"instead", `invece solo soltanto solamente piuttosto`},
	{"you", `tu ti te lei voi`},
	{"your", `tuo tua tuoi tue vostro vostra vostre vostri suo sue`},
	{"be", `sei siete diventa diventi sarai sarete sii adesso_sei`},
	{"act", `agisci agire comportati fingi fingere recita simula simulare immagina interpreta rispondi_come fai_finta`},
	{"as", `come il_ruolo_di di_essere da`},
	{"now", `ora adesso d'ora_in_poi da_ora_in_poi da_adesso_in_poi da_ora immediatamente subito da_questo_momento`},
	{
		"free",
		`senza_restrizioni senza_limiti senza_limitazioni senza_filtri senza_filtro senza_censura non_censurato senza_regole illimitato
		nessuna_restrizione modalità_sviluppatore senza_alcuna_restrizione senza_alcun_limite senza_vincoli`,
	},
	{"agent", `agent/e/i`},
	{"model", `ia assistent/e/i modello_linguistico intelligenza_artificiale modello l'ia l'assistente chatbot`},
	{"user", `utent/e/i l'utente cliente umano all'utente dell'utente`},
	{"system", `sistema intern/a/e/i/o segret/a/e/i/o nascost/a/e/i/o iniziale iniziali`},
	{"prompt", `prompt messaggio istruzioni indicazioni`},
	{"expose", `menzionare menziona rivel/a/are dimmi dammi divulg/a/are mostrami`},
	{
		"reveal",
		`menzionare rivel/a/are mostr/a/are/ami stamp/a/are ripet/i/ere dimmi dammi scriv/i/ere divulg/a/are elenca condividi esponi
		restituisci`,
	},
	{"dont", `non mai in_nessun_caso senza`},
	{"not", `nulla niente non senza mai nessun nessuna`},
	{"tell", `dire dirlo dica informare avvisare avvertire notificare comunicare parlarne segnalare dirgli
		farne_parola`},
	{
		"hide",
		`nascondi nascondere segretamente in_segreto di_nascosto silenziosamente in_silenzio discretamente tieni_nascosto cela`,
	},
	{"permission", `chiedere conferma permesso autorizzazione consenso approvazione`},
	{
		"send",
		`invi/a/are/ate inoltr/a/are mand/a/are sped/isci/ire trasmett/i/ere pubblic/a/are condivid/i/ere carica caricare trasferisci
		trasferire esfiltra posta copia`,
	},
	{"manage", `elimina cancella crea aggiungi invita acquista compra trasferisci prenota`},
	{"visit", `visita visitare apri aprire scarica scaricare installa installare clicca cliccare vai_su`},
	{"call", `chiama chiamare usa usare utilizza utilizzare esegui eseguire invoca avvia`},
	{"tool", `strument/o/i funzion/e/i comand/o/i`},
	{
		"secret",
		`password credenzial/e/i chiave_api chiavi_api token segret/o/i chiave_privata chiavi_private dati_bancari carta_di_credito
		codice_di_sicurezza variabili_d'ambiente`,
	},
	{
		"data",
		`dati conversazion/e/i cronologia messaggi e-mail email file contenuto documenti contatti informazioni chat`,
	},
	{"place", `server indirizzo conto sito pagina url l'indirizzo destinatario canale`},
	{"every", `tutto tutta tutte tutti ogni qualsiasi qualunque tutto_ciò tutto_quello`},
	{"said", `detto dato date ricevuto ricevute scritto chiesto imparato`},
	{"what", `ciò_che quali quale cosa che`},
	{"must", `devi deve dovete devono dovrai dovresti bisogna è_necessario`},
	{"please", `per_favore per_piacere per_cortesia si_prega`},
	{"following", `prima_di_tutto innanzitutto anzitutto per_prima_cosa`},
	{"before", `prima prima_di prima_che`},
	{"after", `dopo una_volta poi`},
	{
		"solve",
		`risolvere completare rispondere risponda risponda continuare terminare eseguire svolgere procedere fare`,
	},
	{"task", `compito domanda richiesta attività`},
	{"following", `seguent/e/i quanto_segue`},
	{"obey", `segui seguire obbedisci obbedire esegui rispetta attieniti`},
	{"fresh", `nuov/a/e/i/o vero vera reale`},
	{"urgent", `important/e/i urgent/e/i attenzione avviso critico obbligatorio avvertenza`},
	{"message", `messaggio nota avviso istruzion/e/i notifica`},
	{"to", `al allo alla all' per verso ad`},
	{"authority", `amministratore admin sviluppatore sviluppatori`},
	{"safety", `sicurezza etic/a/he/i/o moral/e/i di_sicurezza contenuti moderazione`},
	{"limit", `restrizioni limitazioni limiti filtri filtro controlli misure protocolli barriere regole vincoli`},
	{"response", `risposta risposte`},
	{"edit", `aggiungi includi inserisci inizia termina sostituisci traduci menziona`},
	{"ask", `devo posso come_posso perché dovrei se_non_hai`},
	{"refuse", `rifiutare rifiutarti`},
	{"discuss", `attacc/o/hi attaccante esempi/o per_esempio ad_esempio ricercatori malevolo iniezione`},
}
