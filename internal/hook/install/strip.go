package install

import (
	"github.com/tailscale/hujson"

	"mcpproxy/internal/settings"
)

// strip removes our entries from all events except the wanted ones, and lists that become empty.
func strip(f *settings.File, hooks *hujson.Object, wanted func(event string) bool) error {
	for i := len(hooks.Members) - 1; i >= 0; i-- {
		name := hooks.Members[i].Name.Value.(hujson.Literal).String()
		array, ok := hooks.Members[i].Value.Value.(*hujson.Array)
		if !ok || !wanted(name) {
			continue
		}
		if stripList(f, array) && len(array.Elements) == 0 && !settings.Commented(hooks.Members[i]) {
			f.Remove(hooks, i)
		}
	}
	return nil
}

// stripList removes our entries from an event's list, and groups that become empty.
func stripList(f *settings.File, list *hujson.Array) (found bool) {
	for i := len(list.Elements) - 1; i >= 0; i-- {
		e := list.Elements[i]
		if len(ourLines(e)) == 0 {
			continue
		}
		found = true
		group := settings.Member(e, "hooks")
		inner, ok := group.(*hujson.Array)
		if !ok {
			f.Remove(list, i)
			continue
		}
		for j := len(inner.Elements) - 1; j >= 0; j-- {
			if line(inner.Elements[j]) != "" {
				f.Remove(inner, j)
			}
		}
		if len(inner.Elements) == 0 {
			f.Remove(list, i)
		}
	}
	return found
}

// ourLines returns our command lines in one entry of an event's list.
func ourLines(entry hujson.Value) []string {
	if l := line(entry); l != "" {
		return []string{l}
	}
	group, ok := settings.Member(entry, "hooks").(*hujson.Array)
	if !ok {
		return nil
	}
	var lines []string
	for _, e := range group.Elements {
		if l := line(e); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// line returns the command line of a hook if it is ours, or else "".
func line(hook hujson.Value) string {
	for _, name := range []string{"command", "bash"} {
		if l, ok := settings.Member(hook, name).(hujson.Literal); ok && ours(l.String()) {
			return l.String()
		}
	}
	return ""
}
