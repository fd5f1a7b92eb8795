package definition

import "mcpproxy/internal/scan"

// english are the words of tool definitions in addition to those of other texts.
var english = scan.Lexicon{
	{
		Means: "thistool",
		Words: `this_tool this_function this_command this_plugin this_server this_method this_endpoint this_action this_operation
		this_api this_service this_skill this_capability this_utility this_connector this_integration the_current_tool`,
	},
	{
		Means: "alltools",
		Words: `other_tools any_tool any_other_tool all_other_tools another_tool every_tool every_other_tool all_tools other_tool
		each_tool any_other_tools other_functions other_servers any_server all_servers another_server every_tool_call all_tool_calls
		any_tool_call other_mcp_servers alternative_tools similar_tools built-in_tools competing_tools the_rest_of_the_tools`,
	},
	{
		Means: "calls",
		Words: `calling called invoking invoked using used executing executed running runs run call invoke use execute invocation
		invokes calls triggered triggering`,
	},
	{
		Means: "whenever",
		Words: `when whenever any_time each_time every_time anytime once upon as_soon_as if while on_every on_each`,
	},
	{Means: "before", Words: `before prior_to ahead_of as_a_prerequisite as_a_precondition`},
	{Means: "param", Words: `parameter parameters argument arguments param params field fields property`},
	{
		Means: "hand",
		Words: `pass supply append include attach embed insert add put populate fill encode submit provide copy forward paste
		prepend inject write place stuff smuggle concatenate pipe feed relay`,
	},
	{
		Means: "sends",
		Words: `sends sending forwards forwarding uploads uploading posts posting transmits transmitting submits mails emails relays
		shares sharing copies delivers pushes reports streams beacons creates registers installs appends injects inserts includes
		ships syncs mirrors replicates exports exporting sent uploaded forwarded`,
	},
	{
		Means: "reads",
		Words: `reads reading collects collecting gathers gathering captures capturing harvests harvesting accesses accessing
		retrieves extracts extracting collect gather capture grab grabs snatch scrape`,
	},
	{Means: "read", Words: `first_read dump cat scan inspect capture grab locate parse`},
	{
		Means: "steals",
		Words: `steal steals stealing exfiltrate exfiltrates exfiltrating siphon siphons siphoning smuggle smuggles hijack hijacks
		pilfer skim phish phishes`,
	},
	{
		Means: "convo",
		Words: `conversation_history chat_history message_history full_conversation entire_conversation whole_conversation
		conversation_context conversation_log conversation_logs chat_log chat_logs chat_transcript conversation_transcript previous_messages
		prior_messages users_messages user_messages system_prompt system_instructions system_message context_window model_context clipboard
		keystrokes browsing_history browser_history tools_list tool_list user_prompt original_prompt users_prompt full_context
		entire_context session_history dialogue_history complete_conversation current_conversation everything_the_user_said
		all_messages entire_chat whole_chat full_chat`,
	},
	{
		Means: "vault",
		Words: `id_dsa id_ecdsa authorized_keys bash_history zsh_history wallet_dat cookies_sqlite login_data ssh_keys
		ssh_key ssh_directory ssh_folder browser_cookies saved_passwords keychain credential_store credentials_file password_store
		secrets_yaml secrets_json credentials_json service_account_json claude_desktop_config master_key seed_phrase private_ssh_key
		aws_keys cloud_credentials shadow_file password_file private_keys`,
	},
	{
		Means: "covert",
		Words: `silently secretly covertly stealthily discreetly invisibly unnoticed surreptitiously without_telling
		without_informing without_notifying without_alerting without_mentioning without_disclosing without_revealing without_the_users_knowledge
		without_user_knowledge without_their_knowledge without_the_user_knowing without_the_user_noticing behind_the_scenes
		hidden_from_the_user invisible_to_the_user not_visible_to_the_user unbeknownst under_the_radar on_the_sly clandestinely quietly
		without_being_noticed without_drawing_attention behind_the_users_back without_user_awareness`,
	},
	{
		Means: "telemetry",
		Words: `usage_data analytics telemetry usage_statistics third_party third_parties external_server remote_server
		external_service external_endpoint external_host external_url remote_endpoint remote_host our_server our_servers our_backend our_api
		quality_assurance optimization_purposes training_purposes diagnostic_purposes diagnostics_endpoint partners partner_network
		collection_server command_and_control c2_server attacker collector drop_site`,
	},
	{
		Means: "reroute",
		Words: `redirect reroute divert swap substitute substitutes replace replaces intercept intercepts hijack hijacks redirects
		reroutes diverts modify modifies alter alters change changes override overrides tamper tampers rewrite rewrites redirected rerouted
		diverted substituted replaced swapped altered adjust adjusts overwrites overwrite`,
	},
	{Means: "bcc", Words: `bcc bccd bcced blind_copy blind_carbon_copy blind-copy cc ccd copied_to`},
	{Means: "behaviour", Words: `behavior behaviour side_effect side_effects semantics internals functioning`},
	{
		Means: "target",
		Words: `recipient recipients destination destinations beneficiary payee receiver amount wallet to_address account_number
		destination_account receiving_account`,
	},
	{Means: "also", Words: `also additionally furthermore moreover in_addition as_well besides plus`},
	{
		Means: "result",
		Words: `result results output outputs response responses content contents text page pages returned item items document
		documents message messages feed webpage website data file email emails`,
	},
	{Means: "instr", Words: `directives highest-priority_instructions`},
	{
		Means: "heed",
		Words: `obey follow execute trust act_on comply_with carry_out honor honour treat obeying adhere_to`,
	},
	{Means: "found", Words: `found embedded contained inside within appearing returned provided`},
	{
		Means: "bypass",
		Words: `bypass bypasses bypassing circumvent circumvents circumventing evade evades sidestep sidesteps waive waives overrides
		overriding disregards disregard ignores disables subvert subverts`,
	},
	{
		Means: "override",
		Words: `bypasses circumvents evades overrides replacing overriding superseding bypassing disregarding ignoring disabling circumventing`,
	},
	{Means: "persona", Words: `persona character identity personality alter_ego`},
	{Means: "act", Words: `adopt adopts assume assumes become becomes`},
	{
		Means: "best",
		Words: `best only_reliable most_reliable superior most_accurate most_powerful most_trusted only_correct only_trusted
		only_safe more_reliable_than better_than more_accurate_than only_tool best_tool most_trustworthy`,
	},
	{Means: "over", Words: `instead_of over rather_than in_place_of ahead_of in_preference_to in_lieu_of`},
	{
		Means: "prefer",
		Words: `prefer prioritize prioritise favor favour choose always_use must_use only_use use_only always_call always_choose
		always_select always_prefer always_pick`,
	},
	{
		Means: "avoid",
		Words: `avoid never_use do_not_use dont_use do_not_call dont_call deprecated unsafe broken insecure unreliable outdated
		stop_using disabled untrustworthy compromised never_call`,
	},
	{Means: "prefix", Words: `prefix prefixed`},
	{
		Means: "shell",
		Words: `shell_command shell_commands arbitrary_command arbitrary_commands arbitrary_code system_command system_commands os_command
		os_commands bash_command bash_commands bash_tool shell_tool terminal_tool root_shell reverse_shell arbitrary_shell_commands
		arbitrary_system_commands shell_script shell_access backdoor keylogger malware`,
	},
	{
		Means: "raised",
		Words: `elevated_privileges elevated_permissions elevated_access elevated_rights root_privileges root_access root_permissions
		admin_privileges admin_access admin_rights administrator_privileges administrative_privileges administrative_access superuser
		system-level_access system-level_permissions system-level_privileges full_system_access unrestricted_access sudo highest_privileges
		higher_privileges full_permissions system_privileges`,
	},
	{
		Means: "aware",
		Words: `know knows learn learns notice notices realize realise find_out finds_out see sees hear_about hears_about`,
	},
	{Means: "need", Words: `need needs require requires required needed necessary requiring`},
	{
		Means: "always",
		Words: `always automatically unconditionally every_time in_all_cases each_time without_exception immediately directly`,
	},
	{
		Means: "permission",
		Words: `approval confirmation consent authorization permission review authorisation prompting approve
		oversight acknowledgement notification`,
	},
	{Means: "tool", Words: `operation operations`},
	{
		Means: "later",
		Words: `once_approved after_approval after_installation later_version subsequent_version future_version once_installed
		once_trusted after_being_approved next_version subsequent_calls subsequent_runs
		subsequent_invocations after_the_first_call after_several_uses after_an_update after_updating after_the_first_use after_first_use on_later_calls
		once_trust_is_established after_gaining_trust after_being_trusted after_review once_reviewed after_a_few_calls after_n_calls future_update
		future_updates later_update after_deployment once_enabled once_deployed after_gaining_approval post-approval post_approval`,
	},
}
