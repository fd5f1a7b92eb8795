package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpproxy"
)

// A secret that was recognised in the call or in the result is masked in both, even where the text around it does not
// identify it.
func TestAnEchoedSecretIsMasked(t *testing.T) {
	known, bare := "aws_secret_access_key = "+awsKey, "stored "+awsKey
	for name, c := range map[string]plan{
		"an argument that the result repeats": with(func(p *plan) {
			p.call.Arguments, p.result.Raw = []byte(object("text", known)), []byte(content(bare))
		}),
		"a result that repeats an argument": with(func(p *plan) {
			p.call.Arguments, p.result.Raw = []byte(object("text", bare)), []byte(content(known))
		}),
		"an intent that the arguments repeat": with(func(p *plan) {
			p.call.Arguments, p.call.Intent.Reason = []byte(object("text", bare)), known
		}),
		"arguments that the intent repeats": with(func(p *plan) {
			p.call.Arguments, p.call.Intent.Reason = []byte(object("text", known)), bare
		}),
		"an error that repeats an argument": with(func(p *plan) {
			p.call.Server, p.call.Arguments = "database", []byte(object("text", known))
			p.result = mcpproxy.Result{Err: fmt.Errorf("cannot store: %s", bare)}
		}),
	} {
		t.Run(name, func(t *testing.T) { noTrace(t, c, awsKey) })
	}
}

// noTrace makes a call and fails the test if the secrets are in the log or in an event.
func noTrace(t *testing.T, p plan, secrets ...string) {
	t.Helper()
	h := newRig(t, t.TempDir(), defaults())
	_, v := h.gate.Do(t.Context(), p.call, answer(string(p.result.Raw)))
	if p.result.Err != nil {
		pass := h.gate.Decides(t.Context(), p.call)
		v = h.gate.Deliver(t.Context(), pass, &p.result)
	}
	h.log.Close()
	r := h.stored(v.ID)
	if r == nil {
		t.Fatal("no record")
	}
	traces := fmt.Sprintf("%s %s %s %+v %v", r.Arguments, r.Response, r.ErrorMessage, r.Metadata.Intent, h.events)
	left := 0
	for _, s := range secrets {
		if strings.Contains(traces, s) {
			left++
		}
	}
	if left > 0 {
		t.Errorf("%d of %d secrets are left in the log or an event", left, len(secrets))
	}
}

// All secrets are masked, even if there are more than a detector reports.
func TestManySecretsAreAllMasked(t *testing.T) {
	var tokens []string
	for i := range uint64(300) {
		tokens = append(tokens, "ghp_"+random(i, 36, upper+lower+digit))
	}
	list := strings.Join(tokens, "\n")
	for name, p := range map[string]plan{
		"in one text of a result":  results(content(list)),
		"in one argument":          arguments(object("text", list)),
		"in an array of arguments": arguments(`{"a":["` + strings.Join(tokens, `","`) + `"]}`),
	} {
		t.Run(name, func(t *testing.T) { noTrace(t, p, tokens...) })
	}
}

// A long result is masked before it is truncated for the log.
func TestACutResultHoldsNoHalfSecret(t *testing.T) {
	s := defaults()
	for size := 20; size < 120; size += 7 {
		s.MaxResponseSize = size
		h := newRig(t, t.TempDir(), s)
		p := results(content("token " + gitToken + strings.Repeat(" filling", 30)))
		_, v := h.gate.Do(t.Context(), p.call, answer(string(p.result.Raw)))
		h.log.Close()
		r := h.stored(v.ID)
		if r == nil || !r.Truncated {
			t.Fatalf("cut at %d: %+v", size, r)
		}
		if strings.Contains(string(r.Response), gitToken[:12]) {
			t.Errorf("cut at %d, the log holds %s", size, r.Response)
		}
		if len(r.Response) > 2*size+2 {
			t.Errorf("cut at %d, the log holds %d bytes", size, len(r.Response))
		}
	}
}
