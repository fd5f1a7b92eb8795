package gate

import (
	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/policy"
)

// Request is a call for the gate to decide about, together with its caller.
type Request struct {
	Call *mcpproxy.Call
	Caller

	// Hook is the hook with which an agent announces a call before making it; nil for a call through this proxy.
	Hook *Hook
	// Preview is the result of [Gate.Preview] for the call; nil if there is none.
	Preview *Preview
	// Released says that the agent is already making the call, because Preview found nothing that can stop it. The
	// verdict can then no longer stop it.
	Released bool
	// Awaited is called after the inspection, and reports whether the caller still waits for the verdict. If it does
	// not, it has continued as if the call were denied, and the gate denies the call. Nil means that the caller waits
	// as long as the inspection takes.
	Awaited func() bool
	// Refusal, if not nil, stops the call for a reason outside the policy. The call is then only read so that its
	// record can be masked.
	Refusal *policy.Ruling
}

// Caller says how the gate deals with whoever waits for its answer. The zero value is a caller who cannot be asked
// anything and runs no work after the answer.
type Caller struct {
	// User asks the person behind the client; nil if the client cannot ask.
	User User
	// Pause is called when a person is asked about the call; it stops the caller's timeout. Its result is called when
	// there is an answer. It may be nil.
	Pause func() (resume func())
	// Later takes work that need not be done before the answer, and runs it after the answer is delivered. If it is
	// nil, the record is written before the answer, and the result is indexed in a goroutine.
	Later func(do func())
	// Work is called when the gate starts a goroutine because Later is nil. Its result is called when the goroutine
	// ends. It may be nil.
	Work func() (end func())
}

// User asks the person behind a client, and returns what the person did. It returns when ctx ends.
type User = approval.User

// pause stops the caller's timeout until resume is called.
func (c *Caller) pause() (resume func()) {
	if c.Pause == nil {
		return func() {}
	}
	return c.Pause()
}

// later runs do after the answer: through the caller's Later, or in a goroutine. do may be nil.
func (c *Caller) later(do func()) {
	if do == nil {
		return
	}
	if c.Later != nil {
		c.Later(do)
		return
	}
	end := func() {}
	if c.Work != nil {
		end = c.Work()
	}
	go func() {
		defer end()
		do()
	}()
}
