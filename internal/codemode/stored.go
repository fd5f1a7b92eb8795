package codemode

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/suggest"
	"mcpproxy/internal/text"
	"mcpproxy/internal/wire"
)

// IsName reports whether name is valid for a stored script. A valid name cannot lead out of the
// folder.
func IsName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, nameCharacters) == ""
}

const nameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// endings are the file extensions of stored scripts.
var endings = []string{".ts", ".js"}

// StoredScripts returns the names of the owner's scripts, sorted.
func (h *Host) StoredScripts() []string {
	var out []string
	for _, e := range h.scriptFiles() {
		ending := filepath.Ext(e.Name())
		name := strings.TrimSuffix(e.Name(), ending)
		if e.Type().IsRegular() && slices.Contains(endings, ending) && IsName(name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (h *Host) scriptFiles() []os.DirEntry {
	if h.Stored == nil || h.Stored() == "" {
		return nil
	}
	entries, _ := os.ReadDir(h.Stored()) // a missing folder contains none
	return entries
}

// fill adds the text of the stored script to a call's arguments, so that it is inspected, recorded
// and run as if the agent had sent it.
func (h *Host) fill(call *mcpproxy.Call) error {
	members, err := wire.Members(call.Arguments, "code", "script")
	if err != nil || members["script"] == nil {
		return nil // running it reports the error
	}
	name := wire.String(call.Arguments, "script")
	if members["code"] != nil || name == "" {
		return mcpproxy.Errorf(
			mcpproxy.CodeMalformed,
			nil,
			"execute needs code, or the name of a stored script, and not both",
		)
	}
	code, err := h.read(name)
	if err != nil {
		return err
	}
	call.Arguments = wire.Set(call.Arguments, text.Quote(code), "code")
	return nil
}

// read returns the text of a stored script.
func (h *Host) read(name string) (string, error) {
	all, l := h.StoredScripts(), h.limits.Load()
	if !slices.Contains(all, name) {
		e := mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "there is no stored script %q", cut(name, 100))
		if near := suggest.Nearest(name, all); near != "" {
			e.Message += ": did you mean " + near + "?"
		}
		return "", e
	}
	for _, ending := range endings {
		f, err := os.Open(filepath.Join(h.Stored(), name+ending))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", mcpproxy.Errorf(mcpproxy.CodeInternal, err, "the stored script %s cannot be read", name)
		}
		defer f.Close()
		raw, err := io.ReadAll(io.LimitReader(f, int64(l.Code)+1))
		if err != nil {
			return "", mcpproxy.Errorf(mcpproxy.CodeInternal, err, "the stored script %s cannot be read", name)
		}
		return string(raw), nil
	}
	return "", mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "there is no stored script %q", name)
}
