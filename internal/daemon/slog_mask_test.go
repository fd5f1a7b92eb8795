package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestTheLogHoldsNoSecret(t *testing.T) {
	var out bytes.Buffer
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter2", "[masked]") }
	before := logMask.Swap(&mask)
	t.Cleanup(func() { logMask.Store(before) })
	log := slog.New(maskedLog{slog.NewTextHandler(&out, nil)})
	log.Error("said hunter2", "error", errors.New("refused: hunter2"), "text", "hunter2", "n", 7)
	if s := out.String(); strings.Contains(s, "hunter2") || strings.Count(s, "[masked]") != 3 ||
		!strings.Contains(s, "n=7") {
		t.Errorf("%s", s)
	}
}
