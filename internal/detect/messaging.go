package detect

import (
	"encoding/base64"
	"strings"

	"mcpproxy"
)

// messagingRules: tokens of chat, mail, telephony and social networks.
var messagingRules = []Rule{
	{ID: "slack_bot_token", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 3, Confidence: 0.98,
		Pattern: `\b(xoxb-[0-9]{8,14}-(?:[0-9]{8,14}-)?[A-Za-z0-9]{18,64})(?:[^A-Za-z0-9\-]|$)`},
	{ID: "slack_user_token", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 3, Confidence: 0.98,
		Pattern: `\b(xox[pe]-(?:[0-9]{9,14}-){3}[A-Za-z0-9]{10,64})(?:[^A-Za-z0-9\-]|$)`},
	{ID: "slack_app_token", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 3, Confidence: 0.99,
		Pattern: `(?i)\b(xapp-[0-9]-[A-Z0-9]{6,14}-[0-9]{8,14}-[a-z0-9]{32,72})(?:[^a-z0-9\-]|$)`},
	{ID: "slack_config_token", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 3.5, Confidence: 0.99,
		Pattern: `\b(xoxe\.xox[bp]-[0-9]-[A-Za-z0-9]{100,})\b`},
	{ID: "slack_refresh_token", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 3.5, Confidence: 0.99,
		Pattern: `\b(xoxe-[0-9]-[A-Za-z0-9]{100,})\b`},
	{ID: "slack_legacy_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2.8, Confidence: 0.96,
		Pattern: `\b(xox[os]-[0-9]{5,14}-[0-9]{5,14}-[0-9]{5,14}-[A-Fa-f0-9]{8,72})\b`},
	{ID: "slack_workspace_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2.8, Confidence: 0.93,
		Pattern: `\b(xox[ar]-(?:[0-9]-)?[A-Za-z0-9]{8,72}(?:-[A-Za-z0-9]{8,72}){0,4})\b`, Check: hasDigit},
	{ID: "slack_browser_token", Category: "auth_token", Severity: mcpproxy.SeverityCritical, Entropy: 3, Confidence: 0.98,
		Pattern: `\b(xoxc-(?:[0-9]{9,14}-){3}[0-9a-f]{64})\b`},
	{ID: "slack_cookie", Category: "auth_token", Severity: mcpproxy.SeverityCritical, Entropy: 4, Confidence: 0.95,
		Pattern: `\b(xoxd-[A-Za-z0-9%+/=_\-]{60,})`},
	{ID: "slack_webhook", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.98,
		Pattern: `\b(hooks\.slack(?:-gov)?\.com/(?:services/T[A-Za-z0-9_]{6,14}/B[A-Za-z0-9_]{6,14}/[A-Za-z0-9_]{20,28}|workflows/T[A-Za-z0-9_]{6,14}/A[A-Za-z0-9_]{6,14}/[0-9]{12,22}/[A-Za-z0-9_]{20,28}|triggers/[TE][A-Za-z0-9_]{6,14}/[0-9]{8,18}/[A-Za-z0-9]{24,44}|(?:services|workflows)/[A-Za-z0-9+/]{43,56}))`},
	{ID: "slack_signing_secret", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2.8, Confidence: 0.85,
		Names: []string{"slack signing", "slack clientsecret", "slack secret", "slack verification"}, NotNames: labels, Value: `[0-9a-f]{32}|[A-Za-z0-9]{24}`, Check: hasDigit},

	{ID: "discord_bot_token", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 4, Confidence: 0.98,
		Pattern: `\b([MNO][A-Za-z0-9]{22,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{25,40})(?:[^A-Za-z0-9_\-.]|$)`, Check: isDiscordToken},
	{ID: "discord_mfa_token", Category: "auth_token", Severity: mcpproxy.SeverityCritical, Entropy: 4, Confidence: 0.97,
		Pattern: `\b(mfa\.[A-Za-z0-9_\-]{84})(?:[^A-Za-z0-9_\-]|$)`},
	{ID: "discord_webhook", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 4, Confidence: 0.98,
		Pattern: `\b(discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{17,20}/[A-Za-z0-9_\-]{60,})`},
	{ID: "discord_api_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.85,
		Names: []string{"discord"}, NotNames: labels, Value: `[0-9a-f]{64}`},
	{ID: "discord_client_secret", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2, Confidence: 0.85,
		Names: []string{"discord"}, NotNames: labels, Value: `[A-Za-z0-9_=\-]{32}`, Check: hasDigit},
	{ID: "discord_client_id", Category: "api_token", Severity: mcpproxy.SeverityLow, Entropy: 2, Confidence: 0.7,
		Names: []string{"discord client", "discord app", "discord token", "discord key", "discord bot"}, Value: `[0-9]{17,19}`},

	{ID: "telegram_bot_token", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 3.5, Confidence: 0.96,
		Pattern: `\b(?:bot)?([0-9]{5,16}:A[A-Za-z0-9_\-]{34})(?:[^A-Za-z0-9_\-]|$)`, Check: func(v string) bool { return hasDigit(v[strings.IndexByte(v, ':'):]) }},
	{ID: "teams_webhook", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.98,
		Pattern: `\b((?:webhook|outlook)\.office(?:365)?\.com/webhook(?:b2)?/[a-z0-9@\-]{60,}/IncomingWebhook/[a-z0-9]{24,40}/[a-z0-9\-]{30,44}(?:/[A-Za-z0-9_\-]{20,60})?)`},
	{ID: "google_chat_webhook", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.97,
		Pattern: `\b(chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_\-]+/messages\?key=[A-Za-z0-9_\-]+&token=[A-Za-z0-9_\-%]{30,})`},
	{ID: "dingtalk_webhook", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.98,
		Pattern: `\boapi\.dingtalk\.com/robot/send\?access_token=([0-9a-f]{64})\b`},
	{ID: "feishu_webhook", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.98,
		Pattern: `\bopen\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/(` + uuid + `|[A-Za-z0-9]{32,36})`},
	{ID: "wecom_webhook", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.98,
		Pattern: `\bqyapi\.weixin\.qq\.com/cgi-bin/webhook/[a-z_]+\?key=(` + uuid + `)`},
	{ID: "mattermost_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.85,
		Names: []string{"mattermost"}, NotNames: labels, Value: `[a-z0-9]{26}`, Check: hasDigit},
	{ID: "rocketchat_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.85,
		Names: []string{"rocketchat", "xauthtoken"}, Value: `[A-Za-z0-9_\-]{43}`, Check: hasDigit},
	{ID: "matrix_access_token", Category: "auth_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.97,
		Pattern: `\b(sy[trl]_[A-Za-z0-9+/=]{2,64}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6})\b`},
	{ID: "zulip_api_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.3, Confidence: 0.85,
		Names: []string{"zulip"}, NotNames: labels, Value: `[A-Za-z0-9]{32}`, Check: hasDigit},
	{ID: "webex_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.97,
		Names: []string{"webex", "ciscospark", "spark token"}, Value: `[A-Za-z0-9]{64}_[A-Za-z0-9]{4}_` + uuid},
	{ID: "gitter_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.85,
		Names: []string{"gitter"}, NotNames: labels, Value: `[A-Za-z0-9_\-]{40}`, Check: hasDigit},
	{ID: "line_channel_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 4, Confidence: 0.85,
		Names: []string{"linechannel", "linebot", "lineaccess", "linemessaging", "channelaccess", "linetoken"}, Value: `[A-Za-z0-9+/]{120,}={0,2}`},
	{ID: "line_channel_secret", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2.8, Confidence: 0.8,
		Names: []string{"linechannel", "linebot", "channelsecret"}, Value: `[0-9a-f]{32}`},
	{ID: "wechat_app_secret", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2.8, Confidence: 0.85,
		Providers: []string{"wechat", "weixin", "wxapp", "wxpay"}, Names: []string{"wxsecret"}, NotNames: labels, Value: `[0-9a-f]{32}`},
	{ID: "viber_auth_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.95,
		Pattern: `\b([0-9a-f]{16}-[0-9a-f]{16}-[0-9a-f]{16})\b`},

	{ID: "twilio_api_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2.8, Confidence: 0.95,
		Pattern: `\b(SK[0-9a-fA-F]{32})\b`},
	{ID: "twilio_account_sid", Category: "api_token", Severity: mcpproxy.SeverityMedium, Entropy: 2.8, Confidence: 0.93,
		Pattern: `\b(AC[0-9a-f]{32})\b`},
	{ID: "twilio_auth_token", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 2.8, Confidence: 0.85,
		Providers: []string{"twilio"}, NotNames: labels, Value: `[A-Za-z0-9]{32}`, Check: hasDigit},
	{ID: "vonage_api_secret", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2.8, Confidence: 0.8,
		Names: []string{"vonage secret", "nexmo secret", "vonage apisecret"}, Value: `[A-Za-z0-9]{16}`, Check: hasDigit},
	{ID: "messagebird_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.85,
		Names: []string{"messagebird"}, NotNames: labels, Value: `[A-Za-z0-9]{25}`, Check: hasDigit},
	{ID: "messagebird_client_id", Category: "api_token", Severity: mcpproxy.SeverityMedium, Entropy: 2.8, Confidence: 0.75,
		Providers: []string{"messagebird"}, Names: []string{"messagebird client"}, Value: uuid},
	{ID: "telnyx_api_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.98,
		Pattern: `\b(KEY[0-9A-F]{32}_[A-Za-z0-9]{22})\b`},
	{ID: "plivo_auth_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.3, Confidence: 0.85,
		Providers: []string{"plivo"}, Value: `[A-Za-z0-9]{40}`, Check: hasDigit},
	{ID: "infobip_api_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.95,
		Pattern: `\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\b`},
	{ID: "pushover_token", Category: "api_token", Severity: mcpproxy.SeverityMedium, Entropy: 3, Confidence: 0.85,
		Names: []string{"pushover"}, NotNames: labels, Value: `[A-Za-z0-9]{30}`, Check: hasDigit},
	{ID: "pushbullet_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.9,
		Pattern: `\b(o\.[A-Za-z0-9]{32})\b`, Check: isMixed},
	{ID: "onesignal_api_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.98,
		Pattern: `\b(os_v2_(?:app|org)_[a-z2-7]{40,})\b`},
	{ID: "pusher_secret", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 2.8, Confidence: 0.85,
		Providers: []string{"pusher"}, Names: []string{"pusher app"}, NotNames: labels, Value: `[0-9a-f]{20}`},
	{ID: "ably_api_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.95,
		Names: []string{"ably"}, Value: `[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{6}:[A-Za-z0-9_\-]{43}`, Check: isMixed},
	{ID: "pubnub_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.97,
		Pattern: `\b((?:pub|sub|sec)-c-(?:` + uuid + `|[A-Za-z0-9]{48}))\b`},
}

// isDiscordToken reports whether the first part of a bot token is the bot's
// number in base64.
func isDiscordToken(value string) bool {
	id, _, _ := strings.Cut(value, ".")
	raw, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(raw) < 17 {
		return false
	}
	return strings.Trim(string(raw), "0123456789") == ""
}
