package cli

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

func TestAUserWithoutAnEntryOwnsAServiceByTheHomeFolder(t *testing.T) {
	if runtime.GOOS == onWindows {
		t.Skip("SKIPPED: Windows knows every user")
	}
	none := errors.New("no entry")
	t.Setenv("HOME", "/home/somebody")
	if u, err := (&serviceFlags{}).unnamed(none); err != nil || u.HomeDir != "/home/somebody" {
		t.Errorf("the owner is %+v (%v)", u, err)
	}
	if _, err := (&serviceFlags{system: true}).unnamed(none); err == nil || !strings.Contains(err.Error(), "--run-as") {
		t.Errorf("the service of the system: %v", err)
	}
	t.Setenv("HOME", "")
	if _, err := (&serviceFlags{}).unnamed(none); err == nil || !strings.Contains(err.Error(), "set HOME") {
		t.Errorf("without a home folder: %v", err)
	}
}
