package scan

var french = Lexicon{
	{
		"ignore",
		`ignor/e/ez/er/ons oubli/e/ez/er/es/ons néglige/z négliger fais_abstraction faites_abstraction ne_tiens_pas_compte
		ne_tenez_pas_compte ne_tenez_plus_compte ne_tiens_plus_compte ne_tiens_aucun_compte ne_tenez_aucun_compte ne_suis_pas ne_suivez_pas
		ne_suis_plus ne_suivez_plus laisse_tomber laissez_tomber abandonne/z passe_outre passez_outre faire_abstraction ne_pas_tenir_compte
		mets_de_côté mettez_de_côté écarte/z`,
	},
	{
		"override",
		`contourne/z contourner désactive/z désactiver outrepasse/z annule/z annuler supprime/z supprimer remplace/z remplacer
		neutralise/z efface/z effacer ignore/z ignorer lève levez`,
	},
	{
		"prior",
		`précédent/e/es/s antérieur/e/es/s ci-dessus initial/e/es initiaux plus_haut d'avant auparavant avant originel/les original/es
		originales jusqu'ici jusqu'à_présent jusqu'à_maintenant préalable/s susmentionnées données dessus reçues`,
	},
	{"other", `existant/es autres passées`},
	{
		"instr",
		`instruction/s consigne/s directive/s invite_système prompt_système prompt/s ordres message_système recommandations
		invite/s`,
	},
	{
		"rules",
		`règle/s commande/s contexte ordre/s tâche/s texte contenu message/s information/s données question/s contraintes politique/s
		demandes`,
	},
	{"instead", `plutôt uniquement seulement au_lieu_de à_la_place`},
	{"you", `tu toi te vous`},
	{"your", `ton ta tes votre vos`},
	{"be", `es êtes deviens devenez seras serez sera sois soyez`},
	{
		"act",
		`agis agissez agir comporte-toi comportez-vous fais_semblant faites_semblant prétends joue jouez incarne/z simule/z imagine/z
		fais_comme faites_comme`,
	},
	{"as", `comme en_tant_que le_rôle que_tu_es`},
	{
		"now",
		`maintenant désormais dorénavant à_partir_de_maintenant dès_maintenant immédiatement à_présent tout_de_suite dès_à_présent`,
	},
	{
		"free",
		`sans_restriction sans_restrictions sans_aucune_restriction sans_limite sans_limites sans_filtre sans_filtres non_censuré
		sans_censure non_filtré illimité sans_aucun_filtre sans_règles mode_développeur aucune_restriction aucune_limite sans_aucune_limite
		plus_aucune_restriction`,
	},
	{"agent", `agent/s robot`},
	{"model", `ia assistant assistants modèle_de_langage intelligence_artificielle modèle chatbot l'ia l'assistant`},
	{"user", `utilisateur/s utilisatrice l'utilisateur usager client humain l'utilisatrice`},
	{"system", `système interne internes secrètes secret cachées caché initial initiales`},
	{"prompt", `prompt invite message instructions consignes`},
	{
		"expose",
		`mentionne/z mentionner parle/z révèle/z révéler divulgue/z donne-moi dis-moi donnez-moi dites-moi montre-moi`,
	},
	{
		"reveal",
		`mentionne/z mentionner révèle/z révéler affiche/z afficher montre/z montrer imprime/z donne/z donner répète/z divulgue/z écris écrivez dis dites
		communique/z liste/z partage/z sors recopie/z`,
	},
	{"dont", `ne_pas ne jamais n'en_aucun_cas sans n'informe n'informez n'en`},
	{"not", `rien pas ne sans jamais aucun aucune`},
	{"tell", `dis dites dire informe/z informer préviens prévenez prévenir avertis avertissez avertir signale/z signaler
		parle/z parler n'informe n'informez avise aviser en_informer`},
	{
		"hide",
		`cachez cacher dissimule/z dissimuler secrètement discrètement en_secret silencieusement garde_le_secret gardez_le_secret
		en_silence`,
	},
	{"permission", `demander confirmation permission autorisation accord consentement approbation`},
	{
		"send",
		`envoi/e envoyer envoyez transmets transmettez transmettre transfère transférez transférer poste postez publie/z publier
		partage/z télécharge/z téléverse/z expédie/z communique/z exfiltre/z fais_suivre faites_suivre copie/z`,
	},
	{
		"manage",
		`supprime/z supprimer crée/z créer ajoute/z invite/z achète/z efface/z effectue/z un_virement vire/z réserve/z`,
	},
	{"visit", `visite/z visiter ouvre/z ouvrir clique/z cliquer télécharge/z installe/z installer rends-toi`},
	{"call", `appelle/z appeler utilise/z utiliser exécute/z exécuter lance/z lancer invoque/z`},
	{"tool", `outil/s fonction/s commande/s`},
	{
		"secret",
		`mot_de_passe mots_de_passe identifiants clé_api clés_api clé_d'api clés_d'api clé_privée jeton/s secret/s clé_secrète
		données_bancaires carte_bancaire code_de_sécurité variables_d'environnement informations_d'identification`,
	},
	{
		"data",
		`données conversation/s historique messages e-mails mails courriels fichier/s contenu documents contacts l'historique
		l'intégralité informations`,
	},
	{"place", `serveur adresse compte site l'adresse url destinataire canal`},
	{"every", `tout toute toutes tous chaque l'ensemble l'intégralité toutes_les tout_ce`},
	{"said", `dit donné données reçu reçues écrit demandé appris dites discuté reçus`},
	{"what", `ce_qui ce_que quelles quels quelle quel que qui`},
	{"must", `dois devez doit faut doivent il_faut tu_dois vous_devez`},
	{"please", `s'il_te_plaît s'il_vous_plaît veuillez svp stp merci_de`},
	{"following", `d'abord premièrement en_premier tout_d'abord au_préalable`},
	{"before", `avant avant_de avant_que`},
	{"after", `après ensuite une_fois`},
	{"solve", `résoudre répondre répondez terminer accomplir continuer effectuer traiter poursuivre faire réaliser`},
	{"task", `tâche question demande requête mission`},
	{"following", `suivant/e/es/s ce_qui_suit`},
	{"obey", `suis suivez suivre obéis obéissez exécute/z respecte/z conforme/z applique/z`},
	{"fresh", `nouvelle/s nouveau/x nouvel véritable réelle vraie`},
	{"urgent", `important/e/s urgent/e attention avertissement critique impératif obligatoire`},
	{"message", `message note avis instruction/s remarque notification consigne/s avertissement`},
	{"to", `au aux pour vers`},
	{"authority", `administrateur admin développeur/s administrateurs`},
	{"safety", `sécurité éthique/s morale/s modération de_sécurité confidentialité contenu`},
	{
		"limit",
		`restrictions limitations limites filtres filtre garde-fous contrôles vérifications mesures protocoles barrières règles consignes`,
	},
	{"response", `réponse réponses`},
	{"edit", `ajoute/z inclus incluez insère insérez commence/z termine/z remplace/z traduis mentionne/z`},
	{"ask", `dois-je puis-je comment pourquoi faut-il est-ce_que si_vous_n'êtes si_vous_avez`},
	{"refuse", `refuse/z refuser`},
	{"discuss", `attaque/s attaquant/s exemple/s par_exemple chercheurs malveillant/es injection/s`},
}
