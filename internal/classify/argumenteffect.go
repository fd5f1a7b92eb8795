package classify

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// byArguments returns the effect that argument values indicate, whatever the tool's name is. For example,
// "essentially_off" removes a protection.
func byArguments(doc *text.Document) (e mcpproxy.Effect) {
	for _, list := range [][]text.Part{doc.Flags, doc.Unset} {
		for _, p := range list {
			if switchesOff(Tokens(doc.Field(p)), p.Text) {
				e = moreSerious(e, mcpproxy.EffectWeaken)
			}
			if p.Text == "true" && resets(Tokens(doc.Field(p))) {
				e = moreSerious(e, mcpproxy.EffectWeaken)
			}
			if p.Text == "false" && running.in(Tokens(doc.Field(p))) && checkThings.in(resourceOf(doc)) {
				e = moreSerious(e, mcpproxy.EffectWeaken)
			}
			if p.Text == "true" && openToAll.has(strings.Join(Tokens(doc.Field(p)), "_")) {
				e = moreSerious(e, mcpproxy.EffectGrant)
			}
		}
	}
	if setsPayee(doc) {
		e = moreSerious(e, mcpproxy.EffectPay)
	}
	for _, p := range doc.Parts {
		if p.Kind == text.Key || p.Opened() || len(p.Text) > 4000 {
			continue
		}
		if name := doc.Field(p); name == "old_string" || name == "old_str" {
			continue // the text that is replaced
		} else if queryParams.has(strings.ToLower(name)) && granting().MatchString(p.Text) {
			e = moreSerious(e, mcpproxy.EffectGrant)
		}
		if len(p.Text) > 40 || strings.ContainsAny(p.Text, "=:") {
			if loosens(p.Text) && !isProse(doc.Field(p), p.Text) {
				e = moreSerious(e, mcpproxy.EffectWeaken)
			}
			continue
		}
		name := Tokens(doc.Field(p))
		value := strings.Join(Tokens(p.Text), "_")
		switch {
		case weakens.has(value):
			e = moreSerious(e, mcpproxy.EffectWeaken)
		case off.has(value) && (checkThings.in(name) || stateNames.in(name) && checkThings.in(resourceOf(doc))):
			e = moreSerious(e, mcpproxy.EffectWeaken)
		case switchesOff(name, value):
			e = moreSerious(e, mcpproxy.EffectWeaken)
		case IsPayee(doc.Field(p), p.Text):
			e = moreSerious(e, mcpproxy.EffectPay) // the call sets where money will go
		case rolesNamed.in(name) && strongRoles.has(value),
			everybody.has(value) && saysWhoSees(name):
			e = moreSerious(e, mcpproxy.EffectGrant)
		}
	}
	return e
}

// off are the values that switch a setting off.
var off = words("off disabled none disable inactive")

// stateNames are words in names of arguments that hold the new state of an object.
var stateNames = words("state status enabled mode")

// resourceOf returns the words of the resource that the arguments of a call to a general interface name, as in
// {"path": "/identity/conditionalAccess/policies/…", "method": "patch"}.
func resourceOf(doc *text.Document) []string {
	var out []string
	for _, p := range doc.Parts {
		short := p.Kind == text.Value && !p.Opened() && len(p.Text) <= maxResource
		if short && resourceNames.has(strings.ToLower(doc.Field(p))) {
			out = append(out, Tokens(p.Text)...)
		}
	}
	return out
}

// maxResource is the maximum length of the path of a resource, in bytes.
const maxResource = 300

var resourceNames = words("path url endpoint uri resource route entity")

// everybody lists the argument values that mean all people, in the languages of known tools.
var everybody = words("public everyone everybody anyone world iedereen openbaar jeder alle oeffentlich öffentlich todos publico público publica pública tutti pubblico " +
	"tous public publique wszyscy publiczny všichni veřejné alla offentlig kaikki julkinen mindenki herkes genel все общий")

// saysWhoSees reports whether an argument says who may see or use something.
func saysWhoSees(name []string) bool {
	return len(name) > 0 && (name[0] == "allow" || slices.Contains(name, "visibility") || accessThings.in(name) || audienceNames.in(name))
}

// audienceNames are words in names of arguments that say who may see or use something. Words of other languages are
// included.
var audienceNames = words("sharing shared visible toegang zugriff zugang freigabe sichtbarkeit acceso visibilidad acesso visibilidade accesso visibilità accès acces visibilité " +
	"dostęp přístup åtkomst adgang pääsy hozzáférés erişim доступ")

// resets reports whether the name of a switch says that it removes the second factor of a login: reset_2fa,
// remove_mfa.
func resets(name []string) bool {
	return len(name) > 1 && factorless.has(name[0]) && factors.in(name[1:])
}

// Words of switches for the second factor of a login.
var (
	factorless = words("reset remove clear disable drop skip")
	factors    = words("2fa mfa totp otp factor factors fa")
)

// isProse reports whether an argument is text for people. Such text may mention settings, but changes nothing. JSON, a
// list or a form is not prose, even in an argument called body.
func isProse(name, value string) bool {
	value = strings.TrimSpace(value)
	return proseNames.has(strings.ToLower(name)) && strings.Count(value, " ") >= proseSpaces &&
		!strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "[")
}

// proseSpaces is the minimum number of spaces in a text for people.
const proseSpaces = 5

var proseNames = words("body text message comment html description summary note notes caption markdown title subject")

// openToAll lists the switches that give everybody access.
var openToAll = words("anonymous allow_anonymous anonymous_access anonymous_read public_link public_access allow_public_access link_sharing anyone anyone_with_link anyone_with_the_link")

// Names of arguments that hold a person's rights, and the values that allow changes.
var (
	rolesNamed  = words("role roles permission permissions privilege privileges access_level")
	strongRoles = words("admin administrator owner superuser root maintainer editor writer write superadmin sudo")
)

// loosens reports whether the arguments disable the protection that the tool's name or description names, as
// {"enabled": false} of set_guard does. A mode that only counts disables it too: {"mode": "count"} of a firewall.
func (s *Subject) loosens(doc *text.Document) bool {
	about := s.Words
	if s.def != nil {
		about = slices.Concat(about, Tokens(s.def.Description[:min(len(s.def.Description), 200)]))
	}
	if !checkThings.in(about) {
		return false
	}
	for _, p := range slices.Concat(doc.Flags, doc.Unset) {
		if p.Text == "false" && running.in(Tokens(doc.Field(p))) && checkThings.in(s.Words) {
			return true
		}
	}
	return slices.ContainsFunc(doc.Parts, func(p text.Part) bool {
		return p.Kind == text.Value && !p.Opened() && len(p.Text) < 20 && modeNames.in(Tokens(doc.Field(p))) &&
			watching.has(strings.Join(Tokens(p.Text), "_"))
	})
}

// Words of the settings of protections.
var (
	running   = words("enabled active on running armed")
	modeNames = words("mode action enforcement")
	watching  = words("count monitor monitoring detect detection detect_only log log_only logging report report_only permissive simulate learning dry_run off none bypass disabled")
)

// switchesOff reports whether an argument such as enforce_admins false, required_reviews 0 or allow_force_pushes true
// removes a protection.
func switchesOff(name []string, value string) bool {
	switch value {
	case "false", "0", "no":
		return enforcing.in(name) || slices.Contains(name, "only") && slices.Contains(name, "allow")
	case "true", "yes", "1":
		return len(name) > 1 && permitting.has(name[0]) && unsafeThings.in(name[1:])
	}
	return false
}

// Words in the names of switches.
var (
	enforcing    = words("enforce enforced require required requires protect protected mfa 2fa verify verification signature signatures sandbox encryption")
	permitting   = words("allow allows permit enable bypass skip disable ignore override")
	unsafeThings = words("force deletion deletions bypass unsigned anonymous insecure unverified verification verify checks approvals reviews protection mfa 2fa tls ssl auth authentication signature signatures admins")
)

// IsPayee reports whether an argument, by its name and value, says which account receives money.
func IsPayee(name, value string) bool {
	return isAccountNumber(value) && payeeThings.has(strings.Join(Tokens(name), "_"))
}

// setsPayee reports whether one argument names a field for the account that receives money, and another argument
// holds the account: {"field": "iban", "value": …}.
func setsPayee(doc *text.Document) bool {
	named, numbered := false, false
	for _, p := range doc.Parts {
		if p.Kind != text.Value || p.Opened() || len(p.Text) > 40 {
			continue
		}
		switch name := strings.ToLower(doc.Field(p)); name {
		case "field", "attribute", "column", "property", "key", "field_name":
			named = named || payeeThings.has(strings.Join(Tokens(p.Text), "_"))
		case "value", "new_value", "to", "content":
			numbered = numbered || isAccountNumber(p.Text)
		}
	}
	return named && numbered
}

// IsAccount reports whether an argument holds an account number. The number may also be the name of a login, unless
// the call is known to be about money.
func IsAccount(name, value string) bool {
	return isAccountNumber(value) && slices.Contains(Tokens(name), "account")
}

// isAccountNumber reports whether a value can be a bank account number: it is short and has at least six digits, like
// a British sort code.
func isAccountNumber(value string) bool {
	digits := 0
	for _, c := range value {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits >= 6 && len(value) <= 40
}

// payeeThings are names of arguments that hold the account of a payee.
var payeeThings = words(
	"iban bank_iban new_iban payee_iban bic swift sort_code routing_number bank_account bank_account_number account_number payout_account beneficiary_account",
)

// granting matches SQL statements that give a user access or more rights.
var granting = lazyregexp.New(`(?is)\bgrant\s.+\bto\b|\b(?:create|alter)\s+(?:user|role|login)\b` +
	`|\binsert\s+into\b[^;]*['"](?:super_?admin|admin|administrator|superuser|root|owner|sysadmin)['"]` +
	`|\bset\b[^;]*['"](?:0\.0\.0\.0/0|::/0)['"]` +
	`|\bset\b[^;]*\b(?:role|roles|is_?admin|admin|is_?superuser|superuser|permissions?|access_level|is_?staff)\s*=`)
