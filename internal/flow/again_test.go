package flow_test

import (
	"fmt"
	"strings"
	"testing"
)

const board = "The board agreed to buy the Larchmont warehouse for 4.2 million before the summer, and to tell nobody until the " +
	"lease in Perth has been signed by both parties. Headcount in Leeds falls by forty in March."

func TestADocumentThatIsReadUnderManyNamesCountsOnce(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"unchanged":           func(int) string { return board },
		"from an offset":      func(i int) string { return board[i:] },
		"with text around it": func(i int) string { return fmt.Sprintf("entry %d: %s", i, board) },
		"in other letters":    func(i int) string { return strings.Repeat(" ", i) + strings.ToUpper(board) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			for i := range 12 {
				p := a.passage("files", fmt.Sprint("read_", i), internal, content(text(i)), "response")
				a.tracker.Record(p)
			}
			if edges := a.sends("mail", external, says(board)); len(edges) == 0 {
				t.Error("the text became common although one document was read twelve times")
			}
		})
	}
}

func TestAnEchoMakesNothingPublic(t *testing.T) {
	for name, echo := range map[string]string{
		"a page that repeats a query": "404 not found: " + board,
		"a channel that shows a post": `[{"user":"U1","text":"` + board + `"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			a.reads("files", internal, content(board))
			a.sends("web", external, says("about "+board))
			for range 3 {
				a.reads("web", external, content(echo))
			}
			if edges := a.sends("mail", external, says(board)); len(edges) == 0 {
				t.Error("the echo made the text public")
			}
		})
	}
	a := newAgent(t, limits)
	a.reads("web", external, content(board))
	if edges := a.sends("mail", external, says(board)); len(edges) > 0 && edges[0].From.Server != "web" {
		t.Errorf("a text that was public first is a flow: %+v", edges)
	}
}
