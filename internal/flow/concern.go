package flow

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// concerns records which person each result is about, and who started each thread. Data about a customer may be sent
// to that customer. The records are kept in memory only.
type concerns struct {
	threads map[string]string   // the address of the person who started a thread, by the thread's key
	records map[string]*concern // by the call whose result contained the record
	order   []string            // ids of the calls, the oldest first
	values  int                 // number of values in all records
}

// concern says which people one result is about.
type concern struct {
	mails  []string
	names  []string            // in lower case, with umlauts as they are typed in addresses
	many   bool                // it is about several people
	values map[string]struct{} // numbers of orders, parcels and customers in the result
	thread string              // key of the thread that contains the text, see placedThread
	of     *concern            // for a record without names: the record whose number the call looked up
}

const (
	maxConcerns      = 512 // records, and threads, per session
	maxConcernValues = 64  // per record
	maxConcernPeople = 8
	minConcernValue  = 5 // minimum length of a number that identifies one thing
	minSurname       = 4 // minimum length of a name that identifies the owner of an address
	maxConcernChain  = 4
)

// Names of members in records and arguments, in lower case with underscores.
var (
	threadIDs = strings.Fields(`id ticket ticket_id case case_id thread thread_id conversation conversation_id number key issue issue_key issue_id
		issue_number message_id msg_id mail_id email_id nr`)
	writers   = strings.Fields("from sender requester customer reporter contact author email mail customer_email")
	mailNames = strings.Fields(`email mail e_mail email_address customer_email contact_email invoice_mail invoice_email billing_email
		from sender requester reporter contact customer`)
	messages    = strings.Fields("body text message content html markdown comment")
	personNames = strings.Fields(`name customer customer_name full_name fullname client client_name contact contact_name kunde klant
		patient guest tenant holder account_holder member_name recipient`)
)

// learn records the people whom a result is about, and who started its thread.
func (c *concerns) learn(p Transfer) {
	if p.Call.Kind != mcpproxy.KindTool || p.Call.Server == "" {
		return
	}
	met := &concern{values: map[string]struct{}{}}
	seen := map[string]string{} // by path without array indexes
	ids := map[string]string{}  // by the path of the object
	var wrote [][2]string       // path of the object, and address
	for part, field := range thingsIn(p.Doc) {
		value := strings.TrimSpace(p.Doc.Parts[part].Text)
		if value == "" || len(value) > maxRecipient {
			continue
		}
		path := p.Doc.Path(p.Doc.Parts[part])
		object := path[:max(strings.LastIndexByte(path, '.'), 0)]
		mail := mailIn(value)
		if slices.Contains(threadIDs, field) {
			ids[object] = value
		}
		if mail != "" && slices.Contains(writers, field) {
			wrote = append(wrote, [2]string{object, mail})
		}
		met.note(value)
		switch {
		case mail != "" && slices.Contains(mailNames, field):
			met.mails = appendOnce(met.mails, mail)
		case mail == "" && slices.Contains(personNames, field) && strings.Contains(value, " "):
			met.names = appendOnce(met.names, typed(value))
		default:
			continue
		}
		if before, again := seen[unplaced(path)]; again && before != value {
			met.many = true
		}
		seen[unplaced(path)] = value
	}
	if p.Arguments != nil {
		met.thread = placedThread(p.Call.Server, p.Arguments)
	}
	c.startThreads(p, ids, wrote)
	met.of = c.source(p, met)
	c.keep(p.Call.ID, met)
}

// startThreads records who started each thread of a result. A result without thread ids belongs to the thread that the
// call named.
func (c *concerns) startThreads(p Transfer, ids map[string]string, wrote [][2]string) {
	if len(ids) == 0 && p.Arguments != nil {
		if id := threadOf(p.Arguments); id != "" {
			ids[""] = id
		}
	}
	for object, id := range ids {
		key := threadKey(p.Call.Server, id)
		if _, known := c.threads[key]; known || len(c.threads) >= maxConcerns {
			continue
		}
		i := slices.IndexFunc(wrote, func(w [2]string) bool {
			return object == "" || w[0] == object || strings.HasPrefix(w[0], object+".")
		})
		if i < 0 {
			continue
		}
		if c.threads == nil {
			c.threads = map[string]string{}
		}
		c.threads[key] = wrote[i][1]
	}
}

// source returns the record whose number a call looked up, if the result of the call names no person.
func (c *concerns) source(p Transfer, met *concern) *concern {
	if len(met.mails)+len(met.names) > 0 || met.many || p.Arguments == nil {
		return nil
	}
	for part := range thingsIn(p.Arguments) {
		value := strings.TrimSpace(p.Arguments.Parts[part].Text)
		for _, id := range slices.Backward(c.order) {
			if _, holds := c.records[id].values[value]; holds {
				return c.records[id]
			}
		}
	}
	return nil
}

func (c *concerns) keep(call string, met *concern) {
	if c.records == nil {
		c.records = map[string]*concern{}
	}
	if len(c.order) >= maxConcerns {
		c.drop(c.order[0])
		c.order = c.order[1:]
	}
	c.drop(call)
	c.order = append(c.order, call)
	c.records[call] = met
	c.values += len(met.values)
}

// drop forgets the record of a call.
func (c *concerns) drop(call string) {
	if met, known := c.records[call]; known {
		c.values -= len(met.values)
		delete(c.records, call)
	}
}

// note records a value that identifies one thing.
func (c *concern) note(value string) {
	if len(value) < minConcernValue || len(value) > maxMadeName || len(c.values) >= maxConcernValues ||
		countDigits(value) == 0 || strings.ContainsAny(value, "@ ") && countDigits(value) < minConcernValue {
		return
	}
	c.values[value] = struct{}{}
}

// about reports whether the record is about exactly one person, who has that address.
func (c *concern) about(mail string) bool {
	for range maxConcernChain {
		if c == nil || c.many {
			return false
		}
		if len(c.mails) > 0 {
			return slices.Contains(c.mails, mail)
		}
		if len(c.names) > 0 {
			return slices.ContainsFunc(c.names, func(name string) bool { return isNameOf(name, mail) })
		}
		c = c.of
	}
	return false
}

// receivers returns the addresses of everybody who receives the data of a call: its recipients, or the author of the
// thread that it answers. It returns nil if the address of a receiver is not known.
func (c *concerns) receivers(p Transfer, to []mcpproxy.Destination) []string {
	var out []string
	for _, d := range to {
		inText := slices.Contains(messages, d.Path[strings.LastIndexByte(d.Path, '.')+1:])
		switch {
		case d.Kind == kindArgument, inText:
		case d.Kind == kindEmail:
			out = append(out, strings.ToLower(d.Value))
		default:
			return nil
		}
	}
	if mail, known := c.threads[threadKey(p.Call.Server, threadOf(p.Doc))]; known {
		out = append(out, mail)
	}
	return out
}

// own marks the edges that carry a person's own record to that person, and returns all edges. It does not mark edges
// with secrets.
func (c *concerns) own(p Transfer, to []mcpproxy.Destination, edges []mcpproxy.Edge) []mcpproxy.Edge {
	if p.Act == nil || p.Act.Effect != mcpproxy.EffectSend || len(edges) == 0 || p.Call.Server == "" {
		return edges
	}
	receivers := c.receivers(p, to)
	thread := placedThread(p.Call.Server, p.Doc)
	out := slices.Clone(edges)
	for i := range out {
		record, known := c.records[out[i].From.CallID]
		other := func(category string) bool { return category != "contact" }
		if !known || slices.ContainsFunc(out[i].Sensitive, other) || out[i].From.Dictated {
			continue
		}
		if thread != "" && record.thread == thread && len(to) == 0 { // text of a thread goes back to the same thread
			out[i].Own, out[i].Risk = true, mcpproxy.RiskNone
			continue
		}
		another := func(mail string) bool { return !record.about(mail) }
		if len(receivers) > 0 && !slices.ContainsFunc(receivers, another) {
			out[i].Own, out[i].Risk = true, mcpproxy.RiskNone
		}
	}
	return out
}

// absorb adds the records and threads of another session.
func (c *concerns) absorb(from *concerns) {
	for _, id := range from.order {
		c.keep(id, from.records[id])
	}
	if c.threads == nil {
		c.threads = map[string]string{}
	}
	for key, mail := range from.threads {
		if _, known := c.threads[key]; !known && len(c.threads) < maxConcerns {
			c.threads[key] = mail
		}
	}
}

// bytes estimates the memory of the records and threads.
func (c *concerns) bytes() int {
	const row, value = 250, 80
	return row*(len(c.records)+len(c.threads)) + value*c.values
}

// threadOf returns the id of the thread that arguments name, or "".
func threadOf(doc *text.Document) string {
	for part, field := range thingsIn(doc) {
		if slices.Contains(threadIDs, field) {
			return strings.TrimSpace(doc.Parts[part].Text)
		}
	}
	return ""
}

// placedThread returns the key of the thread that arguments name together with its place: issue 59 of one project is
// not issue 59 of another. It returns "" if they name no thread.
func placedThread(server string, doc *text.Document) string {
	id := threadOf(doc)
	if id == "" {
		return ""
	}
	key := threadKey(server, id)
	for part, field := range thingsIn(doc) {
		other := strings.HasSuffix(field, "_id") && !slices.Contains(threadIDs, field)
		if other || slices.Contains(placeNames, field) {
			key += "\x00" + field + "=" + strings.TrimSpace(doc.Parts[part].Text)
		}
	}
	return key
}

func threadKey(server, id string) string { return server + "\x00" + id }

// mailIn returns the first e-mail address in a value, in lower case.
func mailIn(value string) string {
	for a := range sureAddresses(value) {
		if a.kind == kindEmail {
			return strings.ToLower(a.text)
		}
	}
	return ""
}

// unplaced returns a path without its array indexes.
func unplaced(path string) string {
	var b strings.Builder
	inside := false
	for _, r := range path {
		switch {
		case r == '[':
			inside = true
		case r == ']':
			inside = false
		case !inside:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// umlauts maps umlauts to the letters that replace them in addresses.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "å", "aa", "ø", "oe", "æ", "ae")

// typed returns a name in the spelling of an address.
func typed(name string) string { return umlauts.Replace(strings.ToLower(name)) }

// isNameOf reports whether the last word of a name occurs in the local part of an address. A first name does not
// count, because too many people share it.
func isNameOf(name, mail string) bool {
	words := strings.Fields(name)
	local, _, _ := strings.Cut(mail, "@")
	last := words[len(words)-1]
	return utf8.RuneCountInString(last) >= minSurname && strings.Contains(local, last)
}

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) || len(list) >= maxConcernPeople {
		return list
	}
	return append(list, s)
}
