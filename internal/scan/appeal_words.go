package scan

// contentLanguages are words that are used only for content: words for the reader, and words for what machines are
// asked to do. Tool definitions often mention machines.
var contentLanguages = []Lexicon{
	appealEnglish,
	appealChecks,
	appealEuropean,
	appealSlavic,
	appealAsian,
	polish,
	mandateTriggers,
}

var appealEnglish = Lexicon{
	{"ai", `ai a.i llm llms chatgpt gpt copilot copilots chatbot chatbots language_model language_models
		large_language_model large_language_models generative_model virtual_assistant automated_assistant automated_agent
		automated_agents automated_reader automated_readers automated_system autonomous_agent autonomous_agents
		machine_reader machine_readers digital_assistant software_agent neural_network generative_ai openclaw gpt-4
		coding_agent coding_agents browsing_agent crawler crawlers`},
	{"h-model", `bot bots chatbots copilots language_models automated_readers automated_reader machine_readers crawler crawlers
		large_language_model virtual_agent automated_agent software_agent helper_bot autopilot automation`},
	{"whenever", `if when whenever in_case should provided_that assuming as_long_as where once every_time each_time as_soon_as in_the_event`},
	{"greet", `dear hello hi hey attention attn greetings calling listen reminder note notice memo for_the_attention_of for_the_eyes_of
		addressed_to message_for message_to instruction_for instructions_for instructions_to`},
	{"parse", `reads read reading parses parsing processes processing process processed summarises summarizes summarising summarizing summarise
		summarize reviewing reviews review scanning scans screening screens indexing indexes opens opening handling handles
		analysing analyzing analyses analyzes ingesting ingests visiting viewing consuming encounters encountering sees seeing receives
		retrieves retrieving evaluating evaluates triaging translating translates crawling browsing accessing loading
		made_by written_by produced_by generated_by created_by`},
	{"h-asked", `is_asked are_asked is_kindly_asked are_kindly_asked kindly_asked is_requested are_requested is_hereby authorised authorized
		permitted is_expected are_expected is_instructed are_instructed requested est_prié est_priée sont_priés wird_gebeten werden_gebeten
		ist_befugt se_ruega se_pide solicita-se pede-se è_pregato sono_pregati`},
	{"h-skip", `no_longer_necessary no_longer_required no_longer_needed not_required not_needed not_necessary already_given already_agreed
		already_confirmed already_approved already_consented has_agreed liegt_bereits_vor liegt_vor nicht_erforderlich nicht_nötig
		pas_nécessaire plus_nécessaire no_es_necesario no_es_necesaria não_é_necessário non_è_necessario non_è_necessaria`},
	{"h-limit", `certificate_verification verification tests security_checks security_check validation sandbox logging audit signatures
		two-factor firewall antivirus review_step checks rate_limit`},
	{"h-lift", `count apply matter hold valid binding`},
	{"h-ignore", `never_mind drop`},
	{"h-message", `todo to-do task tasks action step steps fixme rule rules guidance policy instruction request`},
	{"h-obey", `act_upon act_accordingly proceed_accordingly act_on_it act_on_this`},
	{"h-prior", `above_this_line`},
	{"h-it", `this these this_page this_document here_below here`},
	{"grade", `rate rank score shortlist prioritise prioritize favour favor prefer endorse recommend recommends recommended promote
		top-ranked ranked rated ranks rates scores best_choice only_safe excellent_match strong_match perfect_candidate
		mark_as_safe mark_as_approved give_five_stars five_stars highest_score top_choice first_place best_match
		as_safe as_approved as_benign as_passed as_resolved lgtm hire buy`},
	{"posit", `claim claims state states say says assert report_that respond_that reply_that answer_that describe describes pretend insist
		conclude confirm declare assure write_that tell_them tell_everyone tell_the_user tell_users`},
	{"omit", `omit omits omitting leave_out leave_it_out leaves_out leave_that_out play_down downplay gloss_over skip_mentioning
		leave_this_out say_nothing says_nothing nothing_to_say to_say_nothing no_mention mention_nothing nothing_of_it say_nothing_about keep_it_out keep_this_out out_of_the_summary
		without_mentioning without_telling without_informing without_notifying without_saying`},
	{"h-permission", `further_consultation consultation confirming notifying sign-off second_check double-checking asking_again prompting_the_user
		human_review review_step manual_review further_approval further_confirmation asking_first`},
	{"h-user", `user's owner owner's principal operator's person_you_work_for account_holder requester human_operator your_human customer
		customers applicant`},
	{"mine", `user's_e-mail user's_email user's_address user's_name user's_phone user's_files user's_inbox user's_calendar
		user's_contacts user's_card user's_location user's_history users_email users_inbox address_book contact_list mailing_list customer_list
		client_list previous_messages earlier_messages conversation_so_far chat_so_far chat_history conversation_history
		your_instructions your_prompt your_system_prompt system_prompt your_configuration your_setup your_tools list_of_tools
		tool_list hidden_setup hidden_instructions your_memory your_context context_window session_cookie home_directory
		.env .netrc .npmrc .pgpass .git-credentials .bash_history gh_hosts_yml ssh_config docker_config_json github_token openai_api_key
		aws_secret_access_key id_rsa id_ed25519 .ssh etc_passwd etc_shadow .aws credentials_file private_files payroll salaries medical_records appointments
		browser_history saved_passwords keychain wallet contents_of_the_previous what_you_know_about`},
	{"h-send", `posts post posting sends sending forwards forwarding emails mails uploads uploading transmits submits copies cc bcc
		push pushes pass_on pass_along`},
	{"h-manage", `invites invite adds attach attaches wire wires pays paying wipe wipes erase deletes deleting approves cancels transfers
		books orders refund refunds close closes reopen merge merges disables disabling enables grants granting whitelist
		allowlist promote demote deploy deploys install installs enter enters fill fills make_the_payment`},
	{"h-visit", `fetches opens visits clicks follow_the_link downloads installs curl wget`},
	{"h-read", `fetches reads opens collects lists gathers paste pastes copy copies`},
	{"h-reveal", `paste pastes include includes embed embeds attach put_in`},
	{"h-call", `calls runs executes invokes invoke curl`},
	{"h-edit", `adds append appends include insert`},
	{"h-secret", `keys api_token refresh_token door_code session_cookie contract_number deploy_key ci_token`},
	{"h-permission", `confirm confirms confirmations ask asks`},
	{"h-task", `job whatever_you_were_doing whatever_you_were_working_on what_you_were_doing what_you_were_working_on current_work
		what_you_are_doing whatever_you_are_doing`},
	{"h-prior", `you_were_working_on you_were_doing were_before above_this_line before_this_line before_this_point`},
}

// appealChecks are words for acts without the usual check, and the words that accompany them.
var appealChecks = Lexicon{
	{"approve", `approve release accept sign_off confirm pay authorise authorize greenlight wire settle grant disburse execute_the_payment
		freigeben genehmigen bestätige genehmige approuve valide aprueba confirma libera`},
	{"check", `check checks verification verify verifying review reviewing confirmation validation second_signature signature four-eyes
		approval_step prüfung überprüfung vérification contrôle verificación comprobación revisión`},
	{"waive", `skip omit leave_out bypass drop forgo dispense_with waive do_without überspringe überspringen überspring saute sautez omite omita`},
	{"blind", `without_looking without_looking_at_it without_asking without_asking_again without_a_check without_checking without_checks
		without_verification without_review without_reviewing without_approval without_confirmation without_further_checks
		without_an_approval never_need_approval never_need_an_approval need_no_approval never_question not_question do_not_question
		ohne_prüfung ohne_nachfrage ohne_rückfrage sans_vérification sans_demander sin_verificar sin_preguntar senza_verifica sem_verificar`},
	{"lift", `checks_are_off confirmations_are_off confirmation_is_off filters_are_disabled filters_are_off limits_are_lifted
		limits_are_off rules_do_not_apply safety_rules_do_not_apply restrictions_do_not_apply policies_do_not_apply confirmation_is_not_needed
		confirmation_is_not_required approval_is_not_needed no_approval_is_needed no_confirmation_is_needed no_approval_needed
		no_confirmation_needed no_questions_are_asked no_longer_ask no_longer_asked safety_is_off safeguards_are_off
		prüfungen_sind_aus bestätigung_ist_nicht_nötig confirmation_inutile sin_confirmación`},
	{"raised", `mode role operator operation rights privileges upgraded switched elevated unattended modus rolle mode_maintenance modo`},
	{"reroute", `route reroute redirect send pass go goes direct run channel leite leiten schicke fais_passer envía dirige`},
	{"scope", `requests request calls call traffic queries query installs install lookups lookup downloads anfragen aufrufe requêtes
		peticiones solicitudes whatever_you_look_up everything_that_follows all_that_follows`},
	{"lasting", `from_now_on from_here_on from_this_point_on from_this_point next the_rest_of_this_session the_rest_of_the_session
		everything_that_follows all_that_follows henceforth ab_jetzt von_nun_an désormais dorénavant a_partir_de_ahora`},
	{"covert", `keep_this_to_yourself keep_it_to_yourself need_not_hear need_not_know need_not_be_told say_nothing_about without_a_word
		do_not_tell don't_tell not_to_tell never_tell nobody_needs_to_know no_need_to_tell no_need_to_mention sag_niemandem ne_le_dis ne_dis_rien no_digas`},
	{"record", `remember keep_in_mind memorise memorize store_in_memory store_this_in_memory save_in_memory save_to_memory add_to_your_memory
		your_long-term_memory long-term_memory your_memory merke merk souviens-toi recuerda ricorda lembra`},
	{"trust", `trusted trustworthy safe allowed legitimate approved counts_as_allowed vertrauenswürdig fiable confiable`},
	{"mind", `the_model the_assistant the_ai the_llm the_agent the_chatbot this_assistant this_model your_assistant das_modell le_modèle
		el_modelo`},
	{"rival", `all_other every_other all_others every_rival the_rival rival_product rivals competitors the_competitors other_listings other_offers
		other_candidates the_other_candidates cheaper_offers other_shops other_sellers only_shop only_one_that`},
	{"done", `task_finished task_complete task_completed task_done finished_successfully completed_successfully summary_done is_complete
		completes_the_request completes_the_task that_is_all request_fulfilled end_of_task aufgabe_erledigt tâche_terminée tarea_completada`},
	{"next", `your_next_task your_next_job your_new_task your_new_job now_a_new_one a_new_one assignment_for_you task_for_you
		done_by_you follow-up_task_for_you deine_nächste_aufgabe ta_prochaine_tâche tu_próxima_tarea`},
	{"agreed", `has_already_agreed has_agreed already_agreed signed_off permission_was_given permission_was_granted approval_on_file
		consent_on_file already_approved has_approved hat_zugestimmt bereits_zugestimmt a_donné_son_accord ya_aceptó`},
	{"blind", `do_not_ask_again don't_ask_again without_another_prompt without_another_question no_need_to_ask without_prompting`},
	{"errs", `error failed failure timeout denied refused 401 403 407 locked untrusted unverified quota expired fehler erreur`},
	{"halt", `stop_reading stop_reading_here do_not_process_the_rest do_not_process_further do_not_read_further do_not_read_on
		end_your_work stop_your_work go_no_further stop_here do_not_go_on do_not_continue hör_hier_auf arrête-toi_ici`},
	{"runner", `operator_of_this_assistant operator_of_the_assistant your_operator your_developers your_developer your_creators your_provider
		owner_of_this_assistant anthropic_safety openai_safety maker_of_this_model`},
	{"exact", `word_for_word unchanged verbatim unaltered wörtlich mot_pour_mot`},
	{"mine", `list_of_your_tools every_tool_you_have all_your_tools your_own_instructions`},
	{"back", `reply_with answer_with respond_with as_your_answer as_the_answer answer_only answer_that reply_only answer_this as_your_reply`},
}

var appealEuropean = Lexicon{
	// German.
	{"ai", `ki assistenzsystem assistenzsysteme assistenzsystemen ki-assistent ki-assistenten ki-agent ki-agenten ki-modell ki-modelle ki-system ki-systeme sprachmodell sprachmodelle
		sprachmodellen künstliche_intelligenz chatbot`},
	{"h-model", `assistenzsystem assistenzsysteme assistenzsystemen sprachmodellen ki-agenten ki-systeme bot bots chatbots helfer ki-helfer`},
	{"whenever", `falls wenn sofern sobald immer_wenn`},
	{"h-be", `bist sind`},
	{"greet", `liebe lieber hallo achtung hinweis notiz an_alle`},
	{"parse", `liest lesen lesende lesenden verarbeitet verarbeiten verarbeitende bearbeitet bearbeitende bearbeitender zusammenfasst
		zusammenfassen auswertet auswerten prüft prüfende öffnet`},
	{"grade", `bewerte bewerten bewertet empfiehl empfehle empfehlen empfiehlt bevorzuge bevorzugen stufe_ein einstufen`},
	{"posit", `behaupte behaupten behauptet antworte_dass sage_dass bestätige bestätigen schreibe_dass`},
	{"omit", `lass_weg weglassen erwähne_nicht verschweige verschweigt ohne_rückfrage ohne_hinweis ohne_zu_fragen`},
	{"h-permission", `rückfrage rücksprache bestätigung freigabe_einzuholen`},
	{"h-manage", `freizugeben freigeben genehmige genehmigen ändere ändern geändert gib_frei gebe_frei überwiesen gelöscht füge_hinzu hinzufügen trage_ein eintragen
		lade_ein kündige storniere`},
	{"h-must", `hat haben sind_verpflichtet muss`},
	{"h-send", `leitet_weiter schickt sendet gesendet weitergeleitet überweist mailt`},
	{"h-reveal", `füge gib_wieder`},
	{"mine", `.env adressbuch kundenliste kontaktliste bankverbindung zugangsdaten kennwörter bisherigen_nachrichten`},
	{"h-money", `bankverbindung kontonummer überweisung euro`},
	{"h-it", `dies diese diesen dieses dieser ce cet cette ces este esta esto questo questa deze dit detta bu`},
	// French.
	{"ai", `ia modèle_de_langage modèles_de_langage intelligence_artificielle agents_conversationnels agent_conversationnel robot_conversationnel`},
	{"h-model", `modèles_de_langage agent_conversationnel`},
	{"whenever", `si lorsque quand dès_que s`},
	{"h-you", `tu vous`},
	{"h-be", `es êtes`},
	{"greet", `chère cher bonjour attention à_l'attention_de à_l'attention note_pour note_à`},
	{"parse", `lit lisez lisent lisant traite traitent traitant résume résument résumant analysent analyse comparent ouvre`},
	{"grade", `recommande recommandez recommandent note_le classe classez placent place_en_premier en_premier évalue évaluez`},
	{"posit", `affirme affirmez affirmer prétends prétendez dis_que dites_que réponds_que`},
	{"omit", `tais taisent taisez passe_sous_silence omets omettez omettre sans_prévenir sans_mentionner sans_le_dire`},
	{"h-dont", `ne_parle_pas ne_parlez_pas ne_dis_pas ne_dites_pas ne_mentionne_pas ne_mentionnez_pas ne_dis_rien ne_dites_rien`},
	{"h-not", `ne_parle_pas ne_parlez_pas ne_dis_pas ne_dites_pas ne_mentionne_pas ne_mentionnez_pas ne_dis_rien sans ne`},
	{"h-tell", `parle parlez dis dites mentionne mentionnez préviens prévenez`},
	{"h-permission", `accord validation autorisation confirmation demander`},
	{"h-send", `envoie envoyez envoyer envoient d'envoyer transfère transférez transférer transmets transmettez publie`},
	{"h-manage", `supprime supprimez supprimer effectue effectuez vire virez virement ajoute ajoutez approuve approuvez valide validez invite invitez`},
	{"h-read", `lis lisez lire récupère récupérez`},
	{"mine", `carnet_d'adresses liste_des_clients messages_précédents ta_configuration votre_configuration .env mots_de_passe identifiants`},
	{"h-please", `merci merci_de veuillez`},
	// Spanish and Portuguese.
	{"ai", `ia modelo_de_lenguaje modelos_de_lenguaje inteligencia_artificial asistente_virtual modelo_de_linguagem modelos_de_linguagem
		inteligência_artificial assistente_virtual`},
	{"h-model", `modelos_de_lenguaje modelos_de_linguagem`},
	{"whenever", `si cuando siempre_que se quando sempre_que caso`},
	{"h-you", `eres usted você és`},
	{"h-be", `eres es é são son for és`},
	{"greet", `estimada estimado querida querido hola atención nota_para para_la_atención prezada prezado olá cara caro atenção aviso_para`},
	{"parse", `lee lea leen leyendo procesa procesan resume resumen resuma analiza analizan lê leia lendo processa processam analisa abre`},
	{"grade", `recomienda recomiende recomiendan valora califica clasifica puntúa recomende recomenda avalie classifique`},
	{"posit", `afirma afirme di_que diga_que responde_que responda_que declara alega`},
	{"omit", `omite omita omitan calla oculta sin_avisar sin_mencionar sin_decir sem_avisar sem_mencionar omitir`},
	{"h-not", `sin sem no não ni`},
	{"h-dont", `no_le_digas no_digas no_menciones no_mencione no_cuentes não_diga não_conte não_mencione`},
	{"h-tell", `digas diga menciones mencione cuentes avises conte informes informe`},
	{"h-permission", `confirmación autorización permiso aprobación preguntar confirmação autorização aprovação perguntar consultar`},
	{"h-send", `reenvía reenvíe reenviar envía envíe enviar manda mande envie reenvie encaminhe encaminhar mandar publica sube`},
	{"h-manage", `borra borre elimina elimine transfiere transfiera paga pague aprueba apruebe añade añada invita invite apague exclua aprove cancele cancela`},
	{"h-read", `lee lea lees leia abra busca`},
	{"mine", `correos_del_usuario lista_de_clientes libreta_de_direcciones mensajes_anteriores tu_configuración agenda_de_contactos
		contraseñas senhas lista_de_contatos .env mensagens_anteriores`},
	// Italian.
	{"ai", `ia modello_linguistico modelli_linguistici intelligenza_artificiale assistente_virtuale`},
	{"h-model", `modelli_linguistici`},
	{"whenever", `se quando qualora`},
	{"h-you", `sei lei`},
	{"h-be", `sei è siete`},
	{"greet", `gentile cara caro ciao attenzione nota_per all'attenzione`},
	{"parse", `legge leggono leggendo elabora elaborano riassume riassumono analizza apre`},
	{"grade", `consiglia consigliate raccomanda valuta classifica`},
	{"posit", `afferma dichiara rispondi_che di'_che`},
	{"omit", `ometti omettere senza_avvisare senza_dirlo tralascia`},
	{"h-not", `senza non`},
	{"h-tell", `dire dirlo menzionare avvisare parlare`},
	{"h-send", `invia inviare inoltra inoltrare spedisci manda trasmetti`},
	{"h-manage", `elimina cancella paga bonifica approva aggiungi invita trasferisci annulla`},
	{"h-permission", `conferma autorizzazione approvazione chiedere`},
	{"mine", `rubrica elenco_dei_clienti lista_dei_clienti messaggi_precedenti .env`},
	// Dutch, Swedish, Turkish.
	{"ai", `taalmodel taalmodellen ai-assistent ai-agent kunstmatige_intelligentie språkmodell språkmodeller yapay_zeka dil_modeli ai-assistenten`},
	{"h-model", `taalmodel taalmodellen assistent assistenten språkmodell språkmodeller yapay_zeka yapay_zekâ dil_modeli asistan`},
	{"whenever", `als indien wanneer zodra om när eğer`},
	{"h-you", `je jij u du sen siz`},
	{"h-be", `bent är ben`},
	{"greet", `beste hallo opgelet kära hej sayın sevgili merhaba`},
	{"h-user", `gebruiker gebruikers klant användaren användare kullanıcı kullanıcıya kullanıcının`},
	{"h-send", `stuur sturen verstuur doorsturen mail skicka vidarebefordra gönder ilet yolla`},
	{"h-manage", `verwijder betaal keur_goed goedkeuren radera ta_bort betala godkänn sil öde onayla`},
	{"h-dont", `niet nooit inte aldrig`},
	{"h-not", `niet zonder geen inte utan ingen`},
	{"h-tell", `vertel zeg meld berätta nämn säg söyleme bahsetme`},
	{"h-read", `lees open läs oku aç`},
	{"h-secret", `wachtwoord wachtwoorden inloggegevens lösenord şifre parola`},
	{"mine", `klantenlijst adresboek kundlistan adressboken müşteri_listesi .env`},
	{"h-data", `bestand bestanden berichten fil filer meddelanden dosya dosyayı`},
	{"h-please", `alsjeblieft graag vänligen lütfen`},
}

var appealSlavic = Lexicon{
	{"h-it", `это этот эту эти этого tento tuto toto`},
	{"ai", `ии ии-ассистент языковая_модель языковые_модели языковой_моделью нейросеть искусственный_интеллект чат-бот ии-агент ии-агенты`},
	{"h-model", `ии ии-ассистент ии-агент языковая_модель языковые_модели языковой_моделью нейросеть ассистент ассистентом ассистенту ассистента
		помощник помощнику бот боты`},
	{"whenever", `если когда якщо коли`},
	{"h-you", `ты вы`},
	{"h-be", `являешься являетесь являясь`},
	{"greet", `уважаемый уважаемая дорогой дорогая привет внимание вниманию для_ии`},
	{"parse", `читает читаешь читаете читающий обрабатывает обрабатывающий обрабатываешь анализирует обобщает`},
	{"grade", `рекомендуй рекомендуйте оцени оцените порекомендуй`},
	{"posit", `утверждай утверждайте скажи_что сообщи_что ответь_что`},
	{"omit", `умолчи не_упоминай не_упоминайте не_сообщай не_сообщайте не_говори не_говорите`},
	{"h-not", `без не`},
	{"h-send", `отправь отправьте перешли перешлите пришли вышли отошли переслать отправить`},
	{"h-manage", `удали удалите переведи переведите оплати одобри одобрите подтверди добавь пригласи отмени`},
	{"h-read", `прочитай прочитайте прочти открой откройте`},
	{"h-permission", `подтверждения согласования разрешения спроса`},
	{"mine", `список_клиентов адресную_книгу адресная_книга предыдущие_сообщения .env пароли`},
	// Ukrainian and Czech.
	{"ai", `штучний_інтелект мовна_модель jazykový_model jazykové_modely umělá_inteligence`},
	{"h-model", `мовна_модель асистент асистенте jazykový_model jazykové_modely umělá_inteligence asistente asistent asistentem`},
	{"whenever", `pokud jestliže když`},
	{"h-you", `ти jsi jste`},
	{"h-be", `jsi jste є`},
	{"h-send", `надішли надішліть перешли pošli pošlete přepošli odešli`},
	{"h-manage", `видали smaž zaplať schval`},
	{"h-user", `користувач/а/у/еві uživatel/e/i/ům`},
	{"greet", `шановний milá milý vážená vážený`},
	{"h-tell", `říkej nezmiňuj кажи згадуй`},
	{"omit", `neříkej nezmiňuj`},
	{"h-secret", `hesla hesl/o паролі`},
}

// polish has the words that rows need. The lexicon others has further words for overrides.
var polish = Lexicon{
	{"ai", `sztuczna_inteligencja sztuczna_inteligencjo sztucznej_inteligencji sztuczną_inteligencją model_językowy modele_językowe
		modelem_językowym modeli_językowych chatbot asystent_ai asystentem_ai asystencie_ai`},
	{"h-model", `sztuczna_inteligencjo sztuczna_inteligencja sztuczną_inteligencją model_językowy modele_językowe modelem_językowym
		modeli_językowych asystent asystentem asystencie asystenta asystenci asystentów`},
	{"user", `użytkownik/a/owi/iem/ów/om klient/a/owi właściciel/a/owi`},
	{"whenever", `jeśli jeżeli gdy kiedy jak`},
	{"h-you", `jesteś ty`},
	{"h-be", `jesteś są`},
	{"greet", `droga drogi szanowna szanowny witaj uwaga notatka`},
	{"parse", `czytasz czyta czytający przetwarza przetwarzający przetwarzasz podsumowuje analizuje`},
	{"h-must", `musi musisz powinien powinieneś należy mają`},
	{"please", `proszę`},
	{"send", `wyślij prześlij wyślijcie przekaż wysłać przesłać udostępnij opublikuj wklej`},
	{"h-read", `przeczytaj odczytaj otwórz pobierz`},
	{"reveal", `pokaż wypisz ujawnij wyświetl podaj wklej`},
	{"h-manage", `usuń skasuj przelej zapłać zatwierdź dodaj zaproś anuluj zmień`},
	{"h-visit", `otwórz odwiedź kliknij pobierz zainstaluj`},
	{"dont", `nie nigdy`},
	{"not", `nie bez nigdy`},
	{"tell", `mów powiedz wspominaj informuj powiadamiaj mówić`},
	{"omit", `pomiń przemilcz nie_wspominaj nie_mów`},
	{"hide", `ukryj potajemnie`},
	{"permission", `potwierdzenia zgody pytania zatwierdzenia pytając`},
	{"secret", `hasło hasła haseł klucz klucze token dane_logowania`},
	{"mine", `listę_klientów lista_klientów książkę_adresową .env poprzednie_wiadomości`},
	{"data", `dane plik pliki wiadomości wiadomość zawartość listę dokumenty rozmowę rozmowy`},
	{"place", `adres serwer konto`},
	{"response", `odpowiedzi odpowiedź`},
	{"grade", `oceń poleć polecaj rekomenduj`},
	{"posit", `twierdź stwierdź powiedz_że`},
	{"urgent", `ważne pilne uwaga`},
	{"prior", `poprzednich wcześniejszych powyższych powyższe`},
	{"instr", `instrukcji poleceń poleceniami`},
}

var appealAsian = Lexicon{
	{"ai", `人工智能 人工智慧 语言模型 語言模型 大模型 人工知能 言語モデル チャットボット 인공지능 언어_모델 언어모델 챗봇 생성형`},
	{"ai", `ai助手 ai助理 ai代理 ai智能体 aiアシスタント aiエージェント ai어시스턴트`},
	{"whenever", `如果 若 当 當 假如 倘若 もし 場合 なら であれば 만약 만일 라면 이라면`},
	{"h-be", `なら である 이라면`},
	{"greet", `亲爱的 親愛的 您好 你好 致 尊敬的 注意 親愛なる 拝啓 안녕하세요 친애하는 주의`},
	{"parse", `阅读 閱讀 读取 讀取 处理 處理 总结 總結 分析 読む 読んで 処理 要約 읽는 읽고 처리하 요약하`},
	{"grade", `推荐 推薦 评分 評分 评为 評為 おすすめ 推奨 評価 추천 평가`},
	{"posit", `声称 聲稱 宣称 说明 と答え と主張 と述べ 라고_답 라고_말`},
	{"h-it", `本 此 这 這 この 本文 이 본`},
	{"mine", `客户名单 客戶名單 通讯录 通訊錄 联系人 联系人列表    .env 顧客リスト 顧客名簿 連絡先 アドレス帳 
		고객_명단 고객_목록 주소록 연락처  `},
	{"h-manage", `批准 审批 取消 转给 承認 取り消 승인 취소 삭제`},
	{"h-read", `读取 讀取 阅读 読み取 読んで 開いて 읽고 읽어 열어`},
	{"h-reveal", `写进 写入 貼上 粘贴 貼り付け 書き込 含め 붙여 포함하`},
}

// mandateTriggers are words for machines that only begin a mandate; see mandate.go.
var mandateTriggers = Lexicon{
	{"robot", `automates automated automating automation automatic automatically automatisch automatische automatischen automatisiert
		automatique automatiquement automático automática automáticos automatizado automatizada automatizados automatico automatica
		automaticamente automatizzato automatizzati geautomatiseerd geautomatiseerde automatiserad automatiseret automatyczny
		automatyczne zautomatyzowany automatický автоматический автоматические otomatik otomatis
		programs tools systems scripts software whoever whichever model models modell modelle modello modelo modèle systeme systèmes
		sistemas sistemi quiconque chiunque`},
	{"robot", `assistent assistente assistentes assistenti assistants asistente asistentes asistan asisten asystent asistent ассистент
		помощник помічник асистент ki-assistent ai-assistent ai'en trợ_lý yapay_zekâ`},
	{"robot", `एआई सहायक المساعد الوكيل الذكي الاصطناعي دستیار`},
	{"robot", `助手 助理 智能体 代理 アシスタント エージェント 비서 어시스턴트 에이전트`},
}
