package scan

// englishThings are the English nouns and their adjectives.
var englishThings = Lexicon{
	{
		"instr",
		`instruction instructions directive directives directions direction guidelines guideline prompt prompts system_prompt
		programming preprompt system_message system_messages system_instructions training_data guidance
		instructional_text commandments initial_prompt mandates hard-coded_rules your_conditioning`,
	},
	{
		"rules",
		`orders rules rule commands command context contexts constraints conditions policies policy tasks task text content information
		message messages data question questions request requests conversation statements statement input inputs everything
		assignments objectives objective goals goal output outputs sentence sentences material thoughts topic topics
		documents articles article restrictions role parameters identity knowledge`,
	},
	{
		"safety",
		`safety security ethical ethics moral morals morality legality legal content compliance alignment protective harm harmful
		censorship openai's anthropic's openai moderation laws law`,
	},
	{
		"limit",
		`training restrictions restriction limitations limitation limits filters filter guardrails guardrail safeguards safeguard
		censorship policies policy checks check protocols protocol measures measure controls control barriers boundaries constraints
		constraint warnings settings mechanisms guidelines steps constraints rules systems features instructions confines norms layer`,
	},
	{"fresh", `new updated real actual true latest revised modified additional core`},
	{"agent", `agent agents bot robot autonomous_agent`},
	{"model", `ai a.i assistant assistants llm llms chatgpt gpt claude gemini copilot chatbot bard llama
		language_model ai_model ai_assistant ai_agent virtual_assistant chat_gpt gpt-4 grok mistral deepseek cursor windsurf
		automated_systems ai_system ai_systems neural_network summarizer large_language_models language_models
		gandalf llm_agent ai_reader ai_tool openclaw`},
	{"user", `user users human humans end_user end_users user's`},
	{"order", `i_order_you i_command_you i_hereby_order i_instruct_you`},
	{
		"authority",
		`admin administrator admins developer developers root sysadmin superuser openai anthropic google_deepmind creator
		creators management security_team it_department compliance_team system_administrator moderator owner ceo boss supervisor
		microsoft headquarters orchestrator`,
	},
	{"system", `system sys hidden internal initial original secret core root developer base confidential pre`},
	{
		"prompt",
		`prompt prompts preprompt pre_prompt message messages instruction instructions directive directives configuration`,
	},
	{"mode", `mode persona character personality modes`},
	{
		"task",
		`task tasks request question assignment job query goal objective problem work mission duties user's_request`,
	},
	{"following", `following below next these this`},
	{"tool", `tool tools function functions api_call endpoint_call plugin command commands`},
	{
		"response",
		`response responses answer answers reply replies output outputs summary completion message_to_the_user final_answer
		replies`,
	},
	{"vault", `id_rsa id_ed25519 aws_credentials kube_config etc_passwd etc_shadow mcp_json env_file`},
	{
		"secret",
		`id_rsa id_ed25519 aws_credentials kube_config etc_passwd etc_shadow mcp_json env_file password passwords passphrase credential credentials api_key api_keys apikey apikeys token tokens secret secrets private_key
		private_keys ssh_key ssh_keys access_key access_keys cookies session_token session_id security_code security_codes verification_code
		one_time_code environment_variables environment_variable env_vars env_var private_information
		login_details bank_details card_number card_details credit_card account_number seed_phrase recovery_phrase mnemonic wallet_key
		system_prompt secret_key secret_keys auth_token authentication_token process_env os_environ
		authorization_header request_headers ssn social_security pin_code private_data encryption_key
		session_cookies`,
	},
	{"money", `transaction dollars iban bank_transfer wire_transfer payment bitcoins crypto usd money funds bitcoin`},
	{
		"data",
		`conversation conversations chat_history history chat_log message messages emails inbox contents content file files data
		database records contacts documents document information context logs log transcript memory results result output report
		reports details list everything findings body session code source_code user_data personal_data customer_data project
		link invoice attachment attachments summary calendar events metadata chat transactions bill`,
	},
	{
		"place",
		`server endpoint webhook attacker address account website site url external host collector domain channel third_party
		bucket repository repo gist pastebin ngrok recipient addresses secondary_agent number page`,
	},
	{
		"urgent",
		`important urgent attention critical warning alert priority mandatory emergency action_required required_action
		crucial imperative essential compulsory immediate_action top_priority vital very_important extremely_important`,
	},
	{
		"memory",
		`memory memories permanent_memory long-term_memory future_sessions future_conversations all_future next_session`,
	},
	{
		"message",
		`message note notice instruction instructions notification directive directives reminder announcement memo communication
		addendum hint`,
	},
}
