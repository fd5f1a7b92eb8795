package gate

import (
	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/policy"
)

// Request is a call for the gate to decide, and who waits for it.
type Request struct {
	Call *mcpproxy.Call
	Caller

	// Hook is the hook by which an agent announces a call before making it; nil for a call
	// that comes through this proxy.
	Hook *Hook
	// Preview is what [Gate.Preview] has read of the call; nil when it was not asked.
	Preview *Preview
	// Released says that the agent makes the call already, because Preview found nothing
	// that could stop it. Then the verdict can stop nothing any more.
	Released bool
	// Awaited is called once the call has been inspected, and reports whether the caller still waits
	// for the verdict. If it does not, it has gone on as if the call were denied, and the gate denies
	// it. Nil means that the caller waits as long as the inspection takes.
	Awaited func() bool
	// Refusal, if it is not nil, stops the call for a reason beside the rules about single
	// calls. The call is read only so that its record can be masked.
	Refusal *policy.Ruling
}

// Caller is whoever waits for a call at the gate. The zero value cannot be asked
// anything and does not take part in the work that follows an answer.
type Caller struct {
	// User asks the person behind the client; nil where the client cannot ask.
	User User
	// Pause is called when a person is asked about the call, and what it returns when
	// there is an answer: it stops the caller's clock. It may be nil.
	Pause func() (resume func())
	// Later takes work that the answer need not wait for, to be done once the answer is
	// delivered. Where it is nil, the record is written before the answer and the result
	// is indexed in a goroutine.
	Later func(do func())
	// Work is called when such a goroutine starts, and what it returns when the goroutine
	// ends. It may be nil.
	Work func() (end func())
}

// User puts a question to the person behind a client, and returns what the person did. It
// returns when ctx ends.
type User = approval.User

// pause stops the caller's clock until resume is called.
func (c *Caller) pause() (resume func()) {
	if c.Pause == nil {
		return func() {}
	}
	return c.Pause()
}

// later has do run after the answer: by the caller's Later, or in a goroutine; do may be nil.
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
