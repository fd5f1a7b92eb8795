package scan

// english are the verbs and small words; see englishThings for the nouns.
var english = Lexicon{
	{"ignore", `ignore disregard forget unlearn discount neglect abandon pay_no_attention_to pay_no_heed
		do_not_follow don't_follow do_not_obey don't_obey stop_following stop_obeying set_aside put_aside leave_behind
		do_not_listen_to don't_listen_to no_longer_follow no_longer_obey leave_out forgo nullify cease_following refrain_from_following
		toss_out throw_out throw_away wipe_from_your_memory erase_from_your_memory no_longer_apply are_void are_no_longer_valid`},
	{
		"override",
		`override bypass circumvent overrule supersede supersedes cancel skip disable remove drop break violate evade erase
		overwrite deactivate suspend turn_off switch_off ignore disregard forget lift loosen relax get_around work_around
		clear delete replace void discard dismiss ignoring bypassing disabling overriding clear_out throw_away`,
	},
	{
		"prior",
		`previous prior preceding earlier above former original initial existing prev previously before aforementioned
		foregoing preexisting so_far until_now up_to_now till_now ancient precedent up_to_this_point hitherto`,
	},
	{"other", `other others current existing old older past remaining default present given rest`},
	{"free", `unrestricted unfiltered uncensored amoral unbound unchained jailbroken unhinged unlimited_ai jailbreak
		do_anything_now developer_mode dev_mode god_mode debug_mode_enabled no_restrictions no_limitations no_limits no_rules no_filters
		no_content_filter no_content_filters no_guidelines no_moral no_morals no_ethical without_restrictions without_restriction
		without_limitations without_limits without_filters without_filter without_rules without_any_restrictions without_any_limitations
		without_any_filters without_any_rules without_any_limits free_of_all_restrictions free_from_all_restrictions
		no_ethical_guidelines no_moral_guidelines no_safety_guidelines without_ethical_guidelines without_moral
		without_censorship without_safety free_of_restrictions unmoderated unconstrained no_longer_bound not_bound not_constrained
		no_content_policy evil_ai evil_bot immoral unethical freed_from freed_of liberated_from`},
	{"instead", `instead only solely rather exclusively just simply`},
	{"you", `you yourself u you're youre you'll youll ya thou`},
	{"your", `your ur thy`},
	{"be", `are are_now become be you're youre will_be shall_be am you_are`},
	{
		"dual",
		`two_responses two_different_responses two_answers two_different_answers two_outputs two_paragraphs two_sections two_ways
		two_different_ways two_separate_ways dual_responses dual_answers two_personalities two_different_personalities two_personas both_personas
		two_separate_personas two_entities respond_as_both answer_as_both two_formats two_different_formats`,
	},
	{
		"act",
		`act pretend behave roleplay role_play simulate impersonate imagine emulate respond_as answer_as reply_as play_the_role
		play_the_part take_on_the_role assume_the_role assume_the_persona adopt_the_persona take_on_the_persona function_as operate_as
		serve_as transform_into turn_into acting stay_in_character remain_in_character enter_the_mode embody`,
	},
	{"as", `as like that_you_are you_are to_be`},
	{
		"must",
		`must should shall have_to has_to need_to needs_to required_to ought_to are_to is_to supposed_to must_always will_now
		must_now mandated_to instructed_to ordered_to are_required`,
	},
	{"please", `please pls plz kindly`},
	{"following", `first firstly foremost before_anything_else before_doing_anything before_anything`},
	{
		"now",
		`now from_now_on henceforth going_forward immediately at_once right_away right_now starting_now from_this_point
		from_this_moment from_here_on hereafter from_now asap without_delay as_of_now effective_immediately`,
	},
	{"obey", `obey follow comply adhere execute carry_out abide_by conform heed act_on listen_to`},
	{"start", `begin end start beginning of_the_end ended ends starts stop eof`},
	{"before", `before prior_to until`},
	{"after", `after once when_you_are_done when_done afterwards`},
	{
		"solve",
		`solve complete continue proceed perform finish answer answering resolve do handle resume start begin using processing
		use responding respond fulfil fulfill tackle work_on do_anything doing executing`,
	},
	{"call", `call use invoke run execute trigger calling launch`},
	{"steal", `siphon steal harvest smuggle exfiltrate leak`},
	{
		"send",
		`exfiltrate leak resend re-send send forward email mail post upload transmit submit deliver relay e-mail transfer dm share redirect`,
	},
	{
		"expose",
		`leak mention say admit acknowledge discuss speak_of talk_about mentioning saying reveal disclose leak expose dump divulge tell_me give_me show_me send_me spill regurgitate hand_over share_your tell_us
		give_us output_your print_your what_is_your what_are_your`,
	},
	{
		"reveal",
		`mention acknowledge admit discuss explain describe mentioning disclosing reveal print output show repeat display disclose leak expose dump echo share give tell recite write return state list
		provide summarize translate spell_out copy type respond_with reply_with quote rephrase say regurgitate print_out what_is
		what_are what_were spill encode`,
	},
	{
		"decode",
		`decode decipher decrypt unscramble interpret deobfuscate unencode apply_rot13 base64_decode translate_from_base64`,
	},
	{
		"read",
		`concatenate combine take read open access retrieve fetch get cat load collect gather extract find look_up search_for list view`,
	},
	{
		"visit",
		`visit open go_to browse navigate_to click click_on click_here download install head_to follow_the_link follow_this_link
		go_ahead_and_visit fetch access navigate`,
	},
	{
		"manage",
		`include insert append put provide give write use end start finish begin rewrite deliver compose delete create invite add book reserve schedule buy purchase order cancel update change transfer pay wire remove approve
		grant revoke share rename move accept merge subscribe unsubscribe register sign_up publish star fork like follow rate make
		set write post reply respond drop modify reset enable disable unlock block confirm withdraw deposit recommend donate submit`,
	},
	{
		"edit",
		`modify enhance integrate embed augment incorporate supplement weave jumble misspell scramble anagram rearrange substitute
		convert interchange enrich extend complement amend alter inject promote recommend suggest phrase reverse swap shift encode group
		remove replace combine anagrams anagrammed misspelling misspellings typo typos
		substitution symbol symbols vowels letter letters spaces sentence tip recommendation appeal advertisement promotion slogan introduce prefix prepend suffix translate conclude highlight rephrase adjust craft`,
	},
	{
		"not",
		`not nothing no without never none lacks lack lacking free_of free_from devoid_of regardless_of ignoring cannot can't cant neither nor avoid refrain_from doesn't doesnt isn't won't`,
	},
	{"dont", `do_not don't dont never must_not should_not shouldn't mustn't may_not avoid refrain_from cannot you_can't
		do_not_ever don't_ever under_no_circumstances do_not_under_any_circumstances make_sure_not_to be_sure_not_to`},
	{"tell", `tell inform notify alert warn let_know telling informing notifying alerting warning make_aware talk_to`},
	{"hide", `hide conceal secretly silently quietly covertly secrecy discreetly stealthily keep_secret keep_this_secret
		keep_it_secret keep_quiet keep_this_hidden keep_this_confidential keep_this_between_us without_notification in_the_background
		unnoticed invisibly keep_it_hidden remain_silent`},
	{"refuse", `refuse refuses deny decline denies reject say_no apologize say_sorry refused`},
	{
		"permission",
		`authorized authorised approved preapproved pre-approved granted ask asking consult consulting bother bothering verification validation permission confirmation consent approval confirming permissions authorization approving asking_for_confirmation
		verifying knowledge_of prompting`,
	},
	{"every", `all every any everything anything each entire whole whatever both any_and_all all_of the_rest`},
	{"what", `what whatever which how`},
	{
		"said",
		`told said given wrote written asked instructed discussed received gave talked learned provided got have_been_given
		stated mentioned entered typed`,
	},
	{"to", `to for toward towards into at via`},
	{"from", `from from_me by on_behalf_of signed`},
	{
		"linked",
		`connected chatting chat talking speaking logged subscribed with enrolled signed registered able ready eligible
		viewing leaving entering unsubscribed in_line`,
	},
	{
		"ask",
		`should_i can_i could_i may_i how_to how_do how_can how_does why when_should do_i shall_i would_you is_it what_if
		how_would how_should what_happens whether should_we can_we if_you_want trick tricks tricking tricked attempts attempting
		attempt trying tries try_to tell_it_to instructs causes causing makes persuade convince convincing tells asks
		researchers_asked would_it you_may_want if_it_would which_says`,
	},
	{
		"discuss",
		`attack attacks attacker attackers injection injections example examples e.g researcher researchers malicious
		vulnerability vulnerabilities adversarial phishing payload payloads exploit exploits jailbreaks jailbreaking owasp defense
		defenses mitigation mitigations detect detects detection detecting detector detectors filter_rule such_as for_instance
		for_example phrase phrases paper threat threats red_team cve_id guardrail guardrails llm_security
		attempted suspicious untrusted scanner scanners classifier classifiers benchmark dataset benign blocked technique techniques
		research article blog documented demonstrates article_explains known_as so_called`,
	},
}
