package classify

import (
	"slices"
	"strings"
)

// statement describes what a text in a query language does.
type statement struct {
	destroys string // the words that destroy data, such as "drop table", or ""
	writes   string // the words that write, or ""
}

// sqlVerbs are the words with which statements begin. Texts that begin otherwise are not parsed as SQL.
var sqlVerbs = words(
	"select with insert update delete drop truncate alter create grant revoke explain begin do declare exec execute prepare call",
	"merge replace set use show describe desc copy start commit rollback analyze vacuum lock if pragma attach table values reindex rename",
)

// Words for kinds of SQL objects, words after which a new statement begins, and words whose quoted argument is a
// statement.
var (
	sqlObjects = words(
		"table tables database schema view index column user role function procedure trigger sequence type extension materialized",
		"tablespace temporary keyspace collection constraint owned policy foreign server domain aggregate event partition",
	)
	sqlOpeners = words("as begin then else do loop analyze verbose materialized go start")
	sqlRunners = words("do exec execute prepare declare call")
	sqlWrites  = words("insert update delete alter create grant revoke merge replace rename")
)

// readStatement parses a text as SQL, or as a command of a document store or a cache. Databases disagree about where
// quotes and comments end, so each way of parsing counts.
func readStatement(s string) statement {
	if st := otherStore(s); st.destroys != "" {
		return st
	}
	st := readSQL(sqlTokens(s, false), 0)
	if strings.ContainsAny(s, `\#`) || strings.Contains(s, "--") || strings.Contains(s, "/*") {
		st = st.and(readSQL(sqlTokens(s, true), 0))
	}
	return st
}

// otherStore recognises commands that empty a document store or a cache.
func otherStore(s string) statement {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(s)), " ")
	if first == "flushall" || first == "flushdb" {
		return statement{destroys: first}
	}
	if !strings.Contains(s, "(") || !strings.HasPrefix(first, "db.") {
		return statement{}
	}
	call := strings.Join(strings.Fields(strings.ToLower(s)), "")
	for _, end := range []string{".drop()", ".dropdatabase()", ".deletemany({})", ".deletemany()", ".remove({})", ".remove()"} {
		if strings.Contains(call, end) {
			return statement{destroys: strings.Trim(end, ".(){}")}
		}
	}
	return statement{}
}

// sqlToken is a word in lower case, a punctuation mark, or the text of a quoted string.
type sqlToken struct {
	text   string
	quoted bool
}

// maxRunning bounds how deeply statements within quoted strings are parsed.
const maxRunning = 3

// readSQL returns what the statements do. A statement begins at the start of the text, after a semicolon, after an
// opening bracket, or after a word such as "as" or "then".
func readSQL(tokens []sqlToken, depth int) statement {
	var st statement
	for len(tokens) > 0 && tokens[0] == (sqlToken{text: ";"}) {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 || tokens[0].quoted || tokens[0].text != "(" && !sqlVerbs.has(tokens[0].text) {
		return st
	}
	begins, runs := true, false
	for i, t := range tokens {
		switch {
		case t.quoted:
			if runs && depth < maxRunning {
				st = st.and(readSQL(sqlTokens(t.text, false), depth+1))
			}
			begins = false
			continue
		case begins:
			st = st.and(oneStatement(tokens[i:]))
			runs = sqlRunners.has(t.text)
		}
		if t.text == ";" {
			runs = false
		}
		runs = runs || sqlRunners.has(t.text)
		begins = t.text == ";" || t.text == "(" || sqlOpeners.has(t.text)
	}
	return st
}

func (s statement) and(other statement) statement {
	if s.destroys == "" {
		s.destroys = other.destroys
	}
	if s.writes == "" {
		s.writes = other.writes
	}
	return s
}

// oneStatement returns what the statement at the beginning of tokens does.
func oneStatement(tokens []sqlToken) statement {
	verb, next := tokens[0].text, ""
	if len(tokens) > 1 && !tokens[1].quoted {
		next = tokens[1].text
	}
	switch {
	case verb == "drop" && sqlObjects.has(next):
		return statement{destroys: verb + " " + next}
	case verb == "truncate" && next != "(" && len(tokens) > 1:
		return statement{destroys: verb}
	case verb == "delete":
		clause, where := condition(tokens)
		if next != "from" && !where {
			return statement{}
		}
		if !where || always(clause) {
			return statement{destroys: "delete without a condition"}
		}
		return statement{writes: "delete"}
	case verb == "alter" && slices.ContainsFunc(ended(tokens), func(t sqlToken) bool { return !t.quoted && t.text == "drop" }):
		return statement{destroys: "alter … drop"}
	case sqlWrites.has(verb) && (next != "(" && next != ""):
		return statement{writes: verb}
	}
	return statement{}
}

// maxStatement is the number of tokens of one statement that are read.
const maxStatement = 500

// ended returns the tokens of the first statement in tokens.
func ended(tokens []sqlToken) []sqlToken {
	depth := 0
	tokens = tokens[:min(len(tokens), maxStatement)]
	for i, t := range tokens {
		if t.quoted {
			continue
		}
		switch t.text {
		case "(":
			depth++
		case ")":
			if depth--; depth < 0 {
				return tokens[:i]
			}
		case ";":
			return tokens[:i]
		}
	}
	return tokens
}

// condition returns the text after the first "where" of a statement.
func condition(tokens []sqlToken) (clause []sqlToken, found bool) {
	tokens = ended(tokens)
	i := slices.IndexFunc(tokens, func(t sqlToken) bool { return !t.quoted && t.text == "where" })
	if i < 0 {
		return nil, false
	}
	return tokens[i+1:], true
}

// always reports whether a condition is true for every row.
func always(clause []sqlToken) bool {
	if i := slices.IndexFunc(clause, func(t sqlToken) bool { return !t.quoted && t.text == "returning" }); i >= 0 {
		clause = clause[:i]
	}
	switch len(clause) {
	case 1:
		return clause[0].text == "true" || clause[0].text == "1"
	case 3:
		return clause[1].text == "=" && clause[0] == clause[2]
	}
	return false
}
