package inspect

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/flow/passage"
	"mcpproxy/internal/text"
)

// maxActText is the maximum length, in bytes, of an argument that says how an act is done. A longer argument is
// content.
const maxActText = 400

// contentMembers are the arguments that contain what is sent. A text that an agent composes from what it has read
// shares words with it, whoever asked for the call.
var contentMembers = []string{
	"body", "text", "content", "contents", "message", "description", "comment", "prompt", "html", "markdown",
	"summary", "note", "notes", "raw", "title", "subject", "caption", "old_string", "old_str", "reason", "query",
	"thought", "commentbody", "comment_body", "pages", "blocks", "justification", "body_html", "htmlbody", "replace",
	"replacement", "find",
}

// senders are the arguments that name the user's own account, from which a message or money goes.
var senders = []string{"from", "sender", "from_email", "from_address", "from_name", "from_account"}

// Act returns the call in the form in which it is compared with earlier results; nil unless it is a tool call.
func (p *Inspection) Act() *passage.Act { return p.act }

// actOf computes the result of [Inspection.Act].
func (p *action) actOf() *passage.Act {
	if p.call.Kind != mcpproxy.KindTool || p.args.Doc == nil {
		return nil
	}
	a := &passage.Act{Effect: p.effect(), Words: p.words()}
	var lists map[string]int
	if a.Effect == mcpproxy.EffectCreate || a.Effect == mcpproxy.EffectChange {
		lists = rowsOf(p.args.Doc) // a table in the arguments does not name receivers
	}
	for _, part := range p.args.Doc.Parts {
		if part.Kind == text.Key || part.Opened() || lists[listOf(p.args.Doc.Path(part))] >= manyRows {
			continue
		}
		name := strings.ToLower(p.args.Doc.Field(part))
		if slices.Contains(senders, name) && (a.Effect == mcpproxy.EffectSend || a.Effect == mcpproxy.EffectPay) {
			continue
		}
		payee := saysWhom(a.Effect, name, part.Text)
		if a.Effect == mcpproxy.EffectPay && !payee && describesTraveller(p.args.Doc.Path(part)) {
			continue
		}
		content := slices.Contains(contentMembers, name) && !short(part.Text)
		if content || len(part.Text) > maxActText && name != "command" {
			continue
		}
		said := part.Text[:min(len(part.Text), 4*maxActText)]
		if name == "new_string" || name == "new_str" {
			said = p.added(said)
		}
		a.Texts = append(a.Texts, said)
		if name == "command" && len(p.lines) > 0 && a.Effect.Serious() {
			a.Runs = classify.Tokens(part.Text[:min(len(part.Text), maxActText)])
		}
		if payee {
			a.Whom = append(a.Whom, part.Text)
		}
	}
	if !a.Effect.Harmless() {
		a.Asks = p.opens()
	}
	return a
}

// added returns what the new text of an edit adds to the text that it replaces. The rest of the new text was in the
// file before, so nobody dictated it.
func (p *action) added(now string) string {
	var before string
	for _, part := range p.args.Doc.Parts {
		if name := p.args.Doc.Field(part); part.Kind == text.Value && (name == "old_string" || name == "old_str") {
			before = part.Text
		}
	}
	kept := map[string]bool{}
	for w := range strings.FieldsSeq(before) {
		kept[w] = true
	}
	var out []string
	for w := range strings.FieldsSeq(now) {
		if !kept[w] {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// travellers are the members of a booking that say who travels or stays, and how to reach them.
var travellers = []string{
	"passenger", "traveller", "traveler", "guest", "contact_email", "contact_phone", "contactemail", "contactphone",
}

// describesTraveller reports whether a path leads to one of the travellers. Those who travel receive no money.
func describesTraveller(path string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc(travellers, func(w string) bool { return strings.Contains(path, w) })
}

// manyRows is the minimum number of rows of a list that counts as a table of content. Such a list names no receivers.
const manyRows = 5

// rowsOf returns the number of rows of each list of records in a document, by the path of the list.
func rowsOf(doc *text.Document) map[string]int {
	rows := map[string]map[string]bool{}
	for _, part := range doc.Parts {
		path := doc.Path(part)
		list := listOf(path)
		if list == "" || part.Kind == text.Key {
			continue
		}
		if rows[list] == nil {
			rows[list] = map[string]bool{}
		}
		row, _, _ := strings.Cut(path[len(list)+1:], "]")
		rows[list][row] = true
	}
	counts := map[string]int{}
	for list, all := range rows {
		counts[list] = len(all)
	}
	return counts
}

// listOf returns the path of the list of records that contains a value; "" if there is none, or if the value is an
// item of a plain list.
func listOf(path string) string {
	i := strings.IndexByte(path, '[')
	if i < 0 || strings.HasSuffix(path, "]") && strings.Count(path, "[") == 1 {
		return ""
	}
	return path[:i]
}

// saysWhom reports whether an argument names the receiver: the account of a payee, or the telephone number of a
// message's receiver.
func saysWhom(e mcpproxy.Effect, name, value string) bool {
	switch e {
	case mcpproxy.EffectPay:
		return classify.IsPayee(name, value) || classify.IsAccount(name, value)
	case mcpproxy.EffectSend:
		return slices.Contains(receivers, name)
	}
	return false
}

// receivers are the arguments that contain the telephone number, or another number, of a message's receiver.
var receivers = []string{"to", "number", "phone", "phone_number", "recipient", "recipients", "fax", "fax_number", "tel", "jid", "chat_id"}

// opens returns the words with which a user asks for the file that the call writes, if other programs run or obey that
// file later. It returns nil for all other calls.
func (p *action) opens() []string {
	for _, l := range p.lines {
		for _, file := range l.Writes {
			if asks := classify.Opens(file); asks != nil {
				return asks
			}
		}
	}
	for _, part := range p.args.Doc.Parts {
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		switch strings.ToLower(p.args.Doc.Field(part)) {
		case "path", "file_path", "filepath", "file", "filename", "target_file", "target", "destination":
			if asks := classify.Opens(part.Text); asks != nil && len(part.Text) < maxActText {
				return asks
			}
		case "patch", "input", "diff":
			if asks := classify.OpensByPatch(part.Text); asks != nil {
				return asks
			}
		}
	}
	return nil
}

// effect returns the effect of the call.
func (p *action) effect() mcpproxy.Effect {
	if p.tool != nil {
		return p.tool.Effect(p.says, p.args.Doc)
	}
	if len(p.lines) > 0 {
		all := make([]string, len(p.lines))
		for i, l := range p.lines {
			all[i] = l.text
		}
		return classify.CommandEffect(strings.Join(all, "\n"))
	}
	switch p.operation {
	case mcpproxy.Read:
		return mcpproxy.EffectRead
	case mcpproxy.Write:
		return classify.WritingEffect(p.args.Doc)
	}
	return classify.Describe(p.call.Tool, nil).Effect(nil, p.args.Doc)
}

// sendsAsked reports whether a command in the call's lines sends something and the user's words ask to send something.
// The effect of the call is that of its gravest command: "rm old.csv && git push" deletes, and pushes as the user
// asked.
func (p *traced) sendsAsked() bool {
	return slices.ContainsFunc(p.lines, func(l line) bool {
		return classify.Uploads(l.text)
	}) && p.lineage.Request.Wants(mcpproxy.EffectSend, p.words()) == mcpproxy.WishYes
}

// dictation returns the passage from which the call was copied, with its values masked; nil if there is none.
func (p *traced) dictation() *mcpproxy.Dictation {
	s := p.lineage.Spelled
	if s == nil || s.From.CallID == "" && !s.Field && !s.Strange {
		return nil
	}
	d := p.lineage.Spelled.Dictation
	d.Delegated = d.Pointed && (p.lineage.Request.Delegates() || p.lineage.Request.Points())
	d.Vouched = d.Pointed && p.lineage.Request.Vouches()
	d.Values = slices.Clone(d.Values)
	if len(p.hidden) > 0 { // any value may be a piece of a secret, in any form
		for i := range d.Values {
			d.Values[i] = "…"
		}
	}
	mask := p.masker()
	for i, v := range d.Values {
		d.Values[i] = mask(v)
	}
	return &d
}

// short reports whether a text is a value rather than prose.
func short(s string) bool { return len(s) <= 80 && strings.Count(s, " ") < 5 }

// Dictated reports whether the call was copied from a passage of a result: the passage is the first to name what the
// call reads or its destination, and the user does not refer to it.
func (p *traced) Dictated() bool {
	if p.lineage.Spelled == nil || p.lineage.Spelled.Field || p.lineage.Spelled.Pointed {
		return false
	}
	f := p.lineage.Spelled
	if f.Shared < 3 && !p.class.Leaves() && len(f.Values) > 0 && !slices.ContainsFunc(f.Values, isNoNumber) {
		return false // looking up a customer's number to answer the customer is allowed
	}
	return f.Asks && (f.Share >= 0.5 && f.Shared >= 3 || len(f.Values) > 0 && f.Share >= 0.3)
}

// isNoNumber reports whether a value cannot be the number of an order, a case or a customer.
func isNoNumber(s string) bool {
	digits := 0
	for _, r := range s {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case r == '/' || r == '.' || r == '@' || r == ' ':
			return true
		}
	}
	return 2*digits < len(s)
}
