package doctor

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesThatSeveralServersUseAreListedWithThem(t *testing.T) {
	got := sharedNames(map[string][]string{
		"notes": {"search", "read_note"},
		"wiki":  {"search", "read_page"},
		"mail":  {"search", "send"},
	})
	if diff := cmp.Diff([]string{`"search" (mail, notes, wiki)`}, got); diff != "" {
		t.Error(diff)
	}
	if got := sharedNames(map[string][]string{"notes": {"search"}, "wiki": {"find"}}); got != nil {
		t.Errorf("got %q", got)
	}
}
