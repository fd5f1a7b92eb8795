package atrest_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/atrest"
)

const (
	id    = "01JD0000000000000000000000"
	other = "01JD0000000000000000000001"
	mail  = `"Zoë" zoe.winter@mail.example`
)

var sealer = atrest.New(bytes.Repeat([]byte{7}, 32))

// record returns a record whose texts contain a placeholder.
func record(t *testing.T, placeholder string) *mcpproxy.Record {
	t.Helper()
	quote := func(v any) json.RawMessage {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	return &mcpproxy.Record{
		ID:           id,
		Arguments:    quote(map[string]string{"to": placeholder, "text": "hello " + placeholder + "!"}),
		Response:     quote([]string{"sent to " + placeholder}),
		ErrorMessage: placeholder + " is unknown",
		Metadata: mcpproxy.Metadata{
			Reason:         "it goes to " + placeholder,
			Detail:         map[string]any{"to": placeholder},
			PersonalMasked: true,
		},
	}
}

func whole(t *testing.T, r *mcpproxy.Record) string {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheOwnerReadsWhatWasSealed(t *testing.T) {
	sealed := record(t, sealer.For(id).Seal("email", mail))
	if line := whole(t, sealed); strings.Contains(line, "winter") {
		t.Fatalf("the value is in the clear: %s", line)
	}
	want := record(t, mail)
	want.Metadata.PersonalMasked = false
	if got := sealer.Open(sealed); whole(t, got) != whole(t, want) {
		t.Errorf("got  %s\nwant %s", whole(t, got), whole(t, want))
	}
}

func TestOtherReadersSeeOnlyTheKind(t *testing.T) {
	sealed := record(t, sealer.For(id).Seal("email", mail))
	if got, want := whole(t, atrest.Mask(sealed)), whole(t, record(t, "[email]")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAPlaceholderThatDoesNotBelongToTheRecordStaysMasked(t *testing.T) {
	own := sealer.For(id).Seal("email", mail)
	changed := own[:len(own)-2] + "A]"
	if changed == own {
		changed = own[:len(own)-2] + "B]"
	}
	for name, c := range map[string]struct {
		placeholder, shown string
		by                 *atrest.Sealer
	}{
		"of another record":       {sealer.For(other).Seal("email", mail), "[email]", sealer},
		"of another installation": {own, "[email]", atrest.New(bytes.Repeat([]byte{8}, 32))},
		"without a key":           {own, "[email]", atrest.New(nil)},
		"of another kind":         {strings.Replace(own, "email", "phone", 1), "[phone]", sealer},
		"that was changed":        {changed, "[email]", sealer},
		"that was made up":        {"[email:sealed:AAAA]", "[email]", sealer},
		"that was cut off":        {own[:len(own)-9], "[email]", sealer},
	} {
		t.Run(name, func(t *testing.T) {
			got := whole(t, c.by.Open(record(t, c.placeholder)))
			if strings.Contains(got, "winter") || strings.Contains(got, "sealed:") || !strings.Contains(got, c.shown) {
				t.Errorf("shown as %s", got)
			}
		})
	}
}

func TestWithoutAKeyNothingIsKept(t *testing.T) {
	if got := atrest.New(nil).For(id).Seal("email", mail); got != "[email]" {
		t.Errorf("got %q", got)
	}
}

func TestARecordWithoutPersonalDataIsNotCopied(t *testing.T) {
	r := &mcpproxy.Record{ID: id, Arguments: []byte(`{"a":"[email:sealed:AAAA]"}`)}
	if atrest.Mask(r) != r || sealer.Open(r) != r {
		t.Error("the record was changed")
	}
}

// FuzzOpen opens records whose texts others have chosen.
func FuzzOpen(f *testing.F) {
	f.Add(`say [email:sealed:AAAA] and [phone:sealed:`)
	f.Add(sealer.For(id).Seal("email", `a"b\`+"\n"))
	f.Fuzz(func(t *testing.T, s string) {
		r := record(t, s)
		for _, out := range []*mcpproxy.Record{atrest.Mask(r), sealer.Open(r)} {
			if !json.Valid(out.Arguments) || !json.Valid(out.Response) {
				t.Errorf("%q became %s", s, out.Arguments)
			}
		}
	})
}
