package auth

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"mcpproxy/internal/token"
)

// admitted returns a request that was admitted with a token.
func (r *rig) admitted(t *testing.T, plain string) (*http.Request, Identity) {
	t.Helper()
	req := request("192.0.2.1:1", "X-API-Key", plain)
	id, refusal := r.Admit(req, false, false)
	if refusal != nil {
		t.Fatal(refusal)
	}
	return req, id
}

func TestARequestEndsWhenItsTokenIsRevoked(t *testing.T) {
	r := newRig(t)
	visits := map[string]context.Context{}
	for name, plain := range map[string]string{"ci": r.agent, "eve": r.auditor} {
		bounded, leave, refusal := r.Bind(r.admitted(t, plain))
		if refusal != nil {
			t.Fatal(refusal)
		}
		defer leave()
		visits[name] = bounded.Context()
	}
	if err := r.tokens.Revoke("eve"); err != nil {
		t.Fatal(err)
	}
	r.EndRequests("eve")
	if visits["eve"].Err() == nil || visits["ci"].Err() != nil {
		t.Errorf("eve's visit: %v, another's: %v", visits["eve"].Err(), visits["ci"].Err())
	}
}

// The token may be revoked after the request is admitted and before Bind is called.
func TestATokenThatIsRevokedDuringAdmissionOpensNoRequest(t *testing.T) {
	r := newRig(t)
	req, id := r.admitted(t, r.auditor)
	if err := r.tokens.Revoke("eve"); err != nil {
		t.Fatal(err)
	}
	r.EndRequests("eve")
	if _, _, err := r.tokens.Create(token.Spec{Name: "eve", Role: token.Auditor}); err != nil { // a new token with the same name
		t.Fatal(err)
	}
	_, leave, refusal := r.Bind(req, id)
	defer leave()
	if refusal == nil || refusal.Status != http.StatusUnauthorized {
		t.Errorf("refusal %+v", refusal)
	}
}

func TestARequestEndsWhenItsTokenExpires(t *testing.T) {
	r := newRig(t)
	req, id := r.admitted(t, r.agent)
	id.Expires = time.Now().Add(-time.Second)
	bounded, leave, refusal := r.Bind(req, id)
	if refusal != nil || !errors.Is(bounded.Context().Err(), context.DeadlineExceeded) {
		t.Errorf("refusal %v, the context ends with %v", refusal, bounded.Context().Err())
	}
	leave()
	if len(r.requests.open) != 0 {
		t.Error("a visit that has ended is remembered")
	}
}

func TestRequestsOfTheOwnerDoNotExpire(t *testing.T) {
	r := newRig(t)
	req := request("192.0.2.1:1", "X-API-Key", key)
	bounded, leave, refusal := r.Bind(req, Identity{Principal: Owner})
	defer leave()
	if r.EndRequests(Owner); refusal != nil || bounded.Context().Err() != nil || len(r.requests.open) != 0 {
		t.Errorf("refusal %v, %v", refusal, bounded.Context().Err())
	}
}
