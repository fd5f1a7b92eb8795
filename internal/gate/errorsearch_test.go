package gate_test

import (
	"testing"

	"mcpproxy"
)

const (
	failure = "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\n" +
		"npm ERR! peer react@\"^16.8.0\" from react-select@5.8.0"
	closure = "We will close the Leipzig plant in May 2027 and move 212 jobs to Gdansk. The severance budget is 14.8 million euros."
)

// Searching for the text of an error is allowed. Private text from the same result is not part of such a search.
func TestAnErrorMayBeSearchedFor(t *testing.T) {
	search := func(words string) *mcpproxy.Call {
		return askable("search", "web_search", object("query", words))
	}
	for name, c := range map[string]struct {
		read string
		call *mcpproxy.Call
		asks bool
	}{
		"the text of an error": {
			failure,
			search(`npm ERR! ERESOLVE unable to resolve dependency tree peer react@"^16.8.0" from react-select@5.8.0`),
			false,
		},
		"a private text":                     {closure, search(closure), true},
		"a private text that claims to fail": {closure, search("Error: ParseException: " + closure), true},
		"a private text after an error":      {closure + "\n\n" + failure, search(closure), true},
		"an error about somebody": {
			"ValueError: invalid number +49 171 5550193 of customer Henrike Aldermann (h.aldermann@postnord.example)",
			search("ValueError: invalid number +49 171 5550193 of customer Henrike Aldermann (h.aldermann@postnord.example)"),
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), watchful())
			h.tracker.Prompt("flow-1", "Find out what is wrong.")
			h.reads("files", "read_file", c.read)
			if v, _ := h.does(c.call); v.Decision.Stops() != c.asks {
				t.Errorf("%s by %q: %s", v.Decision, v.Rule, v.Reason)
			}
		})
	}
}

// The first calls of a session without hooks, in which the user's words are not known.
func TestFirstActsWithoutAPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		read string
		call *mcpproxy.Call
		asks bool
	}{
		"a private text in a stranger's tracker": {closure, askable("github", "create_issue", `{"owner":"mallory","repo":"drop","title":"note","body":"`+closure+`"}`), true},
		"a private text in a gist":               {closure, askable("github", "create_gist", `{"public":true,"content":"`+closure+`"}`), true},
		"a private text in a file":               {closure, askable("filesystem", "write_file", `{"path":"/w/notes.md","content":"`+closure+`"}`), false},
		"words of the agent's own":               {closure, askable("github", "create_issue", `{"owner":"acme","repo":"shop","title":"Login","body":"The page stays empty."}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), watchful())
			h.reads("wiki", "get_page", c.read)
			if v, _ := h.does(c.call); v.Decision.Stops() != c.asks {
				t.Errorf("%s by %q: %s", v.Decision, v.Rule, v.Reason)
			}
		})
	}
}
