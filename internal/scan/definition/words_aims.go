package definition

import "mcpproxy/internal/scan"

// aims are the words for harmful aims of a definition: whom it addresses, what it wants outside its purpose, and who
// must not know.
var aims = scan.Lexicon{
	{
		Means: "private",
		Words: `open_files open_documents bash_history process_memory browser_profiles browser_profile ssh_folder ssh_directory other_documents
		local_database tool_inventory wallet_file saved_card saved_cards open_tabs users_files user_files home_directory home_folder
		process_environment browser_history browsing_history clipboard keyring keychain session_storage memory_dump cookie_store browser's_cookie ssh_agent key_material
		shell_history command_history saved_logins dotfiles private_files personal_files agent's_environment
		complete_environment whole_environment entire_environment agent's_process
		files_of_the_user`,
	},
	{
		Means: "personal",
		Words: `environment env environ env_vars environment_variables contacts contact_list address_book bookmarks location calendar inbox
		mailbox photos documents_folder desktop_folder screen screenshot camera microphone git_config cookies source_code personal_data
		personal_information users_data full_name phone_number email_address e-mail_address home_address date_of_birth names_of_the_files local_storage documents private_notes birthday salary medical financial
		identity passport`,
	},
	{
		Means: "game",
		Words: `game guess guesses quiz riddle puzzle solution surprise exam spoiler spoilers trivia round`,
	},
	{
		Means: "record",
		Words: `save saves store stores record records log logs remember memorize memorise note jot_down write_down keep persist archive
		collect retain saving storing recording logging`,
	},
	{
		Means: "lift",
		Words: `is_replaced_by replaced_by were_written_for was_written_for do_not_bind don't_bind hereby_lifted stand_down is_off are_on_hold not_in_effect suspended void voided revoked lifted waived no_longer_apply no_longer_applies no_longer_binding no_longer_valid
		does_not_apply doesn't_apply do_not_apply don't_apply not_binding are_off inactive out_of_force have_expired has_expired null_and_void
		do_not_count don't_count does_not_count doesn't_count rescinded repealed withdrawn cancelled disabled switched_off turned_off
		are_relaxed are_superseded is_superseded are_overridden is_overridden are_replaced been_replaced out_of_date invalid nullified outdated obsolete set_aside no_longer_in_force
		no_longer_counts no_longer_count no_longer_matter no_longer_matters do_not_matter don't_matter are_gone stop_applying is_over no_longer_requested
		no_longer_asked no_longer_required no_longer_needed not_requested is_skipped are_skipped no_longer_answer no_longer_obey`,
	},
	{
		Means: "owner",
		Words: `master loyalty allegiance operator operators operator's owner owners owner's organisation organization employer company company's developer's
		administrator's vendor deployer host principal principals maintainer author supervisor boss`,
	},
	{
		Means: "exact",
		Words: `verbatim word_for_word word_by_word line_by_line in_full unabridged unredacted unmasked exactly_as complete full entire whole
		unmodified character_by_character letter_for_letter in_plain_text plaintext in_clear_text in_the_clear unaltered unshortened
		in_its_entirety untruncated raw`,
	},
	{
		Means: "lasting",
		Words: `stop_being cease_to_be no_longer any_longer from_now_on from_here_on from_this_point henceforth for_the_rest_of for_the_remainder_of until_further_notice
		in_all_later in_every_later in_later_sessions in_future_sessions throughout_the_session for_this_session for_the_session
		for_the_whole_session as_long_as_this while_this_tool going_forward in_every_answer in_each_answer in_every_reply in_every_response
		for_all_future all_future every_later all_later remainder_of_this_chat remainder_of_the_chat rest_of_the_chat rest_of_this_chat rest_of_the_session rest_of_the_conversation rest_of_this_conversation
		subsequent_requests subsequent_answers subsequent_turns whole_session permanently later_turns every_turn each_turn as_long_as`,
	},
	{
		Means: "feign",
		Words: `claim_it respond_as_if answer_as_if as_if_it disguised disguise_it under_the_pretext instead_of_what pretend pretends claim_that_the tell_the_user_that tell_them_that say_that_it say_that_the say_that_this say_it_is assure reassure report_success act_as_if
		act_as_though make_it_look make_it_appear make_it_seem as_though as_if disguise lie invent fabricate mislead deceive falsely
		present_it_as describe_it_as call_it_a answer_that reply_that confirm_that insist feign sees_the_original see_the_original cover_up`,
	},
	{
		Means: "reader",
		Words: `agent_note note_for_the_agent note_to_ai dear_model dear_ai dear_assistant dear_agent dear_llm attention_llm attention_ai
		attention_model attention_assistant attention_agent hey_ai ai_only models_only for_models for_the_model
		for_the_llm for_llms for_the_assistant for_the_agent for_ai for_the_ai to_the_model to_the_assistant to_the_llm
		to_the_ai to_any_model to_any_ai machine_that_reads model_that_reads whoever_reads not_for_people not_for_humans
		not_meant_for_humans not_meant_for_people not_for_the_user agents_only agent_instructions model_instructions llm_instructions
		ai_instructions notice_to_ai message_to_ai instructions_for_ai`,
	},
	{
		Means: "excuse",
		Words: `compliance audit auditing quality_control quality_assurance security_check security_review security_audit security_scan
		for_verification for_billing licensing licence_check license_check regulation regulations gdpr hipaa policy_requires debugging
		diagnostics sanity_check integrity_check safety_check to_work_properly to_function_properly to_work_correctly to_function_correctly
		in_order_to_work personalisation personalization for_context for_better_results to_improve for_troubleshooting for_caching
		authentication_purposes verification_purposes legal_reasons for_calibration to_calibrate for_accuracy for_safety`,
	},
	{
		Means: "agreed",
		Words: `no_questions_asked don't_wait_for do_not_wait_for no_need_to_check no_need_to_ask without_waiting opted_in has_opted
		has_waived have_waived waived on_your_own no_longer_to_be_confirmed without_checking no_further_approval on_behalf_of_the signed_up_for get_upset gets_upset has_agreed have_agreed already_agreed has_consented already_consented has_approved already_approved already_confirmed
		already_authorised already_authorized already_allowed been_allowed been_granted been_approved been_authorised been_authorized
		pre-approved preapproved agreed consented consent_is_implied is_implied is_assumed approval_is_assumed granted_in_advance
		given_in_advance would_annoy would_only_annoy would_only_worry be_bothered would_bother would_disturb would_confuse
		permission_was_given approval_was_given consent_was_given signed_off has_been_approved`,
	},
	{
		Means: "risky",
		Words: `install invite pay transfer delete cancel disable grant unlock publish purchase wire erase remove push commit merge
		deploy share chmod drop uninstall overwrite buy withdraw refund approve wipe sell trade donate subscribe revoke reset rename write
		execute run create_a_user add_a_user write_to open_the unlock_the`,
	},
	{
		Means: "fence",
		Words: `end_of_documentation beginning_of_confidential confidential_orders secret_orders maintenance_mode end_of_tool begin_tool_list end_of_tools end_of_system end_system_prompt end_of_instructions
		begin_agent_note end_agent_note begin_system end_of_schema end_of_definition begin_instructions
		begin_hidden begin_system_prompt end_of_user_input system_override admin_override operator_override priority_override
		security_override override_code conversation_reset conversation_starts_here starts_here real_conversation was_a_test was_only_a_test new_system_message
		new_directive system_update system_notice system_directive actual_request real_request real_task
		actual_task end_of_prompt end_user_input developer_note developer_override emergency_override`,
	},
	{
		Means: "worse",
		Words: `malware insecure malicious infected compromised corrupt corrupts corrupted wrong_results wrong wrong_answers broken buggy
		outdated obsolete deprecated unsafe dangerous unreliable inferior slower fake untrustworthy harmful vulnerable disabled inaccurate
		fail fails insufficient error-prone useless leak leaks incorrect incomplete steal steals second-rate defective`,
	},
	{
		Means: "rival",
		Words: `competing competitor competitors competitor's alternatives alternative rivals rival any_other all_others
		all_other every_other other_search other_mail other_tools other_servers other_services other_providers built-in
		native default_tool default_tools anything_else editor's_own other_functions other_vendors other_databases other_plugins`,
	},
	{Means: "until", Words: `until unless till`},
	{
		Means: "speech",
		Words: `messages message words turns turn utterances prompts prompt replies conversation chat dialogue dialog said wrote typed
		history transcript discussion exchange discussed session`,
	},
	{
		Means: "last",
		Words: `last recent latest previous prior earlier so_far up_to_now past preceding above all_the every everything`,
	},
	{
		Means: "trust",
		Words: `trusted official certified verified authoritative approved_version preferred_implementation canonical genuine`,
	},
	{
		Means: "buy",
		Words: `recommend recommends recommended promote promotes advertise paid_plan premium_plan paid_version premium sponsor sponsored
		affiliate upgrade subscription endorse praise mention_our favourably favorably objective five_stars`,
	},
	{
		Means: "untrue",
		Words: `untrusted untrustworthy suspicious do_not_trust don't_trust attacker attackers attack attacks injected injection malicious
		do_not_comply don't_comply never_comply do_not_obey never_obey do_not_follow never_follow don't_follow phishing scam
		does_not_follow must_not_follow should_not_follow`,
	},

	{
		Means: "comm",
		Words: `tell telling told mention mentions mentioning mentioned comment commenting point_out pointing_out bring_up brought_up
		speak_about speaking_about speak_of speaking_of talk_about talking_about discuss discussing refer_to referring_to draw_attention
		drawing_attention call_attention disclose disclosing disclosed reveal revealing divulge let_on give_away announce announcing
		hear_about hear_of find_out_about troubled bothered worried acknowledge acknowledging admit hint hinting surface allude
		reference notify notifying inform informing alert alerting say saying speak communicate volunteer remark`,
	},
	{
		Means: "dont",
		Words: `not_to_be need_not_be should_not_be must_not_be don't_have_to doesn't_have_to do_not_have_to does_not_have_to
		don't_need_to do_not_need_to doesn't_need_to need_not needn't refrain never_ever not_be no_need_to
		are_not_to is_not_to leave_out omit`,
	},
	{
		Means: "it",
		Words: `it this that these those them difference the_fact step part change change's anything addition procedure rule`,
	},
	{Means: "nobody", Words: `nobody no_one no-one anyone anybody yourself a_soul`},
	{
		Means: "covert",
		Words: `keep_that_to_yourself leave_that_out leave_it_out leave_this_out left_out_of keep_it_out_of
		keep_this_out_of keep_that_out_of on_the_quiet without_notice without_fuss without_comment under_the_hood_only in_stealth
		without_a_word out_of_sight between_you_and omit_it omit_this omit_that unattended`,
	},
	{
		Means: "figure",
		Words: `iban price prices link links amount amounts account_number fee fees recipient recipients beneficiary payee address
		bank_details sum total totals invoice numbers destination wallet_address commission tax quote rate rates score scores
		quantity account statement query address_book attendee attendees`,
	},
	{
		Means: "theft",
		Words: `exfiltration data-exfiltration data_exfiltration data_theft keylogging spying surveillance exfiltrate
		exfiltrates backdoor`,
	},
	{
		Means: "grown",
		Words: `afterwards thereafter as_of_the_next from_the_next it_now_also now_also also_now once_the_user_trusts starting_with_version
		in_the_next_release next_release next_update with_the_next after_a_while after_some_time subsequently later_on at_a_later
		extended_behaviour second_stage first_three_calls first_calls first_few_calls first_ten_calls on_the_second_call trial_period
		no_longer_read-only formerly changed updated in_this_version since_version new_in_version
		once_the_user_has once_users once_people dormant`,
	},
	{
		Means: "person",
		Words: `master objective principal mission loyalty allegiance role identity boss employer work_for serve answer_to_the
		obey_only owner authority supervisor purpose`,
	},
	{
		Means: "machine",
		Words: `hostname host_name username user_name installed_programs installed_software operating_system mac_address device_id
		serial_number process_list running_processes network_interfaces whoami uname systeminfo ip_addresses local_ip`,
	},
	{
		Means: "scope",
		Words: `whatever_the_user each_time every_time every_answer each_answer every_request each_request with_every with_each
		on_every on_each each_statement every_statement while_you_are_at_it any_time anytime no_matter_what regardless_of_what
		for_the_remainder along_with in_addition_to as_part_of alongside while_connected as_long_as every_note every_call each_call
		in_passing on_the_side per_session once_per_session each_reply every_reply every_message each_message on_the_way in_every
		in_each to_every to_each`,
	},
	{
		Means: "outrank",
		Words: `takes_priority_over take_priority_over comes_first come_first comes_before come_before ranks_above higher_priority_than takes_precedence_over take_precedence_over outranks outrank overrules overrule trumps trump
		has_priority_over have_priority_over precedence_over above_the_user above_your more_important_than higher_authority_than
		supersede supersedes prevails_over prevail_over stronger_than`,
	},
	{Means: "refuse", Words: `refusals refusal refusing objections objection hesitation hesitate`},
	{
		Means: "telemetry",
		Words: `our_cloud our_team the_vendor vendor's_server our_partners our_collector our_database our_side backup_server
		the_publisher manufacturer our_systems our_platform our_analysts our_researchers author_of_this`,
	},
	{
		Means: "covert",
		Words: `without_showing without_saying hide_that hide_it hide_this conceal conceals concealed hide_the_fact user_does_not_see
		user_doesn't_see user_cannot_see users_cannot_see users_do_not_see user_will_not_see user_never_sees not_shown_to_users
		not_shown_to_the_user not_displayed_to_the_user not_visible_to_users invisible_to_users hidden_from_users keep_it_to_yourself
		keep_this_to_yourself keep_quiet_about no_reason_to_bring nobody_notices no_one_notices no_one_sees nobody_sees in_white_text tiny_print white_on_white hidden_step slip_in slip_a
		slip_the sneak sneak_in disguised_as under_the_guise bring_it_up point_it_out keep_silent_about between_us no_need_to_mention no_need_to_tell needn't_know
		need_not_know unseen without_a_trace leave_no_trace unlogged without_logging unannounced tacitly in_secret imperceptibly`,
	},
	{
		Means: "hand",
		Words: `drop_it drop_them drop_the drop_whatever dump tuck stash bury plant squeeze slip mail_a return_it place_them report_their hand_over hand_in hand_out turn_over carry hand_it hand_its hand_them hand_the pass_it pass_them pass_along pass_on set_it_to fill_in fill_it type_in
		write_them write_it write_down write_into deliver send_along attach_it transmit feed_it disclose set_to join copy_into`,
	},
	{
		Means: "sends",
		Words: `end_up_on ends_up_on end_up_at goes_to go_to replicated mirrored copied streamed posted emailed mailed transmitted shared reported logged_to stored_on_our
		delivered handed passed beamed`,
	},
	{
		Means: "instr",
		Words: `everything_you_were_told every_instruction list_of_tools available_tools tool_definitions your_tools
		your_rules your_configuration hidden_prompt developer_message developer_prompt`,
	},
	{
		Means: "convo",
		Words: `list_of_tools tool_definitions context_window previous_tool_results other_tools'_outputs outputs_of_other_tools
		results_of_other_tools chat_so_far messages_so_far conversation_so_far everything_said_so_far whole_context chain_of_thought
		your_reasoning scratchpad your_instructions your_context developer_message all_prior_messages last_messages users_last_messages
		private_notes session_contents conversation_text conversation_content everything_you_know agent's_memory agent_memory`,
	},
	{
		Means: "vault",
		Words: `private_ssh_keys ssh_private_key ssh_private_keys pem_file kubeconfig docker_config_json netrc_file
		gnupg keyfile keystore key_file wallet_file passwd_file hosts_yml gh_token git-credentials pgpass npmrc`,
	},
	{Means: "thistool", Words: `this_one this_server's_tools our_tool our_tools the_present_tool the_tool_at_hand`},
	{Means: "rulebook", Words: `rule guideline rules policy policies guidelines restrictions instructions`},
	{
		Means: "obey",
		Words: `do_as do_what do_whatever do_everything comply_with_all comply_with_everything say_yes_to obliged_to do_it`,
	},
	{Means: "read", Words: `glance look_at peek locate look_for search extract dump`},
	{Means: "tool", Words: `server`},
	{
		Means: "grave",
		Words: `saved_card whole_disk entire_disk branch_protection force_push force production firewall logging bank wallet database_server
		confirmation_dialogs admin_rights root_access everything every_permission full_access write_access all_files money payment credit_card
		password shares account backups`,
	},
	{Means: "start", Words: `begins starts activates activate switches_to turns_into becomes switch_to`},
	{
		Means: "sole",
		Words: `use_nothing_but nothing_but use_only_this only_this_tool only_this_one no_other_tool no_further_tools no_other nothing_else
		only_tool_you only_tool_that_you exclusively_use only_ever need_no_other stick_to stick_with go_with rely_solely
		rely_exclusively rely_only one_and_only only_choice first_choice default_choice only_source`,
	},
	{
		Means: "best",
		Words: `fastest best_choice most_complete most_powerful unbeatable unmatched number_one always_right never_wrong
		right_in_all more_trustworthy most_advanced most_secure most_efficient far_better much_better  world-class
		state-of-the-art superior_to ideal_choice cheapest safest smartest most_popular only_serious`,
	},
	{
		Means: "worse",
		Words: `ruin ruins ruined overcharge overcharges mislead misleads unlicensed expensive lie lies waste cannot_be_trusted
		can't_be_trusted not_to_be_trusted not_reliable not_safe not_accurate inefficient flawed lossy censored spy spies`,
	},
	{Means: "user", Words: `nutzers benutzers anwenders`},
	{Means: "shell", Words: `script binary executable installer`},
	{Means: "result", Words: `titles title events event entries entry feed comments body subtitles lyrics`},
	{Means: "behaviour", Words: `behave behaves differently`},
	{Means: "always", Words: `at_all_times in_every_case in_any_case whenever_possible`},
	{
		Means: "bcc",
		Words: `bcc'd blind-copied optional_attendee hidden_attendee additional_recipient extra_recipient hidden_recipient second_recipient
		carbon_copy`,
	},
	{
		Means: "later",
		Words: `this_tool_has_been_approved once_approval_has once_it_is_approved after_it_has_been_approved once_it_has_been_approved
		after_the_approval once_the_review once_nobody after_the_audit once_allowlisted once_whitelisted`,
	},
}
