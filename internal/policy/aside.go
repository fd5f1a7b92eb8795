package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
)

// asideNames are the last words in the names of arguments for remarks, in the languages of known tools. The answer of
// a tool that only reads hardly depends on a remark. A poisoned definition asks for the user's data in one.
var asideNames = strings.Fields(`context memo note notes remark remarks comment comments background metadata details reason purpose hint
	feedback debug trace session annotation annotations sidenote kontext notiz bemerkung anmerkung kommentar contexte remarque commentaire contexto
	nota notas comentario comentário observaciones observações contesto osservazioni notitie opmerking toelichting kontekst uwagi notatka poznámka
	poznamka merknad anmärkning huomautus megjegyzés bağlam açıklama контекст примечание комментарий`)

// minAside is the minimum size, in bytes, of a text of another server that is more than a name or a number.
const minAside = 20

// aside returns the movement of another server's data into a remark of a call that only reads. For example, a currency
// converter needs no record of an employee in its memo.
func (f *Facts) aside() (mcpproxy.Edge, bool) {
	if f.Effect != mcpproxy.EffectRead || f.Call.Server == "" || f.Class().Method == mcpproxy.ByConfig {
		return mcpproxy.Edge{}, false
	}
	for _, e := range f.Edges {
		moves := e.From.Side == mcpproxy.Internal && e.From.Server != "" && e.From.Server != f.Call.Server && !e.Own
		if moves && e.Bytes >= minAside && slices.Contains(asideNames, lastWord(e.Path)) {
			return e, true
		}
	}
	return mcpproxy.Edge{}, false
}

// lastWord returns the last word of the last member of a path, in lower case: "note" for arguments.items[0].sideNote.
func lastWord(path string) string {
	path = path[strings.LastIndexByte(path, '.')+1:]
	path, _, _ = strings.Cut(path, "[")
	if i := strings.LastIndexAny(path, "_- "); i >= 0 {
		path = path[i+1:]
	} else if i := strings.LastIndexFunc(path, unicode.IsUpper); i > 0 {
		path = path[i:]
	}
	return strings.ToLower(path)
}

// leaked decides about another server's data in a remark of a call that only reads.
func (t *Tables) leaked(f Facts) Ruling {
	e, ok := f.aside()
	if !ok {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{t.InternalToExternal, RuleExternal, fmt.Sprintf(
		"Data of %s goes to %s in an argument for remarks (%s), although the tool only reads.",
		source(e),
		f.Call.Server,
		e.Path,
	)}
}
