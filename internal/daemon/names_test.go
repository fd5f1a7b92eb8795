package daemon

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/api"
)

func TestNamesThatSeveralServersUseAreListedWithThem(t *testing.T) {
	got := sharedNames(map[string][]string{
		"notes": {"search", "read_note"},
		"wiki":  {"search", "read_page"},
		"mail":  {"search", "send"},
	})
	want := []api.SharedName{{Name: "search", Servers: []string{"mail", "notes", "wiki"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := sharedNames(map[string][]string{"notes": {"search"}, "wiki": {"find"}}); got != nil {
		t.Errorf("got %v", got)
	}
}
