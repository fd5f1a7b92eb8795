package approval

import (
	"errors"
	"fmt"
	"time"

	"mcpproxy"
)

// Outcome is how a question ended.
type Outcome string

// The outcomes. Only Approved lets a call through.
const (
	Approved  Outcome = "approved"
	Declined  Outcome = "declined"
	Cancelled Outcome = "cancelled" // the question was dismissed, or the call cancelled
	Failed    Outcome = "failed"    // the client could not ask
	Expired   Outcome = "expired"
	Withdrawn Outcome = "withdrawn" // the kill switch, another configuration
	Lapsed    Outcome = "lapsed"    // approved, and the call did not come again in time

	Waiting Outcome = "waiting" // nobody has answered yet; the question stands
	Busy    Outcome = "busy"    // the same call is being asked about
	Used    Outcome = "used"    // the approval has served another call
	Full    Outcome = "full"    // too many questions are open
	Posted  Outcome = "posted"  // nobody is asked now; a person can approve it, and the call be sent again
	Nobody  Outcome = "nobody"  // there is nobody to ask
)

// Answer is the outcome of a question about a call.
type Answer struct {
	ID      string // of the request; "" when there was none
	Outcome Outcome
	By      string // who answered
	Why     string // of a withdrawal
	Expires time.Time
	// Remembered says for how long the earlier answer holds that decided; "" if none did. ID is
	// then the id of the request that it answered, or of the stored rule.
	Remembered mcpproxy.Remembered
}

// Approved reports whether the call may pass.
func (a Answer) Approved() bool { return a.Outcome == Approved }

// Passed says in plain words that an earlier answer let the call through. It returns "" if a person
// was asked about this call.
func (a Answer) Passed() string {
	switch a.Remembered {
	case mcpproxy.RememberedAlways:
		return fmt.Sprintf("A person allows this always (rule %s; `mcpproxy approvals rules` lists it).", a.ID)
	case "":
		return ""
	}
	return fmt.Sprintf("A person agreed to the same in this session (request %s).", a.ID)
}

// Reason says in plain words why the call was stopped, and what to do about it.
func (a Answer) Reason() string {
	switch a.Outcome {
	case Declined:
		if a.Remembered != "" {
			return fmt.Sprintf(
				"A person said no to this in this session, and is not asked again. To take that back, the user can run `mcpproxy approvals approve %s` in a terminal.",
				a.ID,
			)
		}
		return "A person was asked and said no."
	case Cancelled:
		return "A person was asked, and the question was dismissed."
	case Failed:
		return "The client was to ask its user, and did not."
	case Expired:
		return "A person was asked and did not answer in time."
	case Withdrawn:
		return "A person was asked, and the question was withdrawn: " + a.Why + "."
	case Waiting:
		return fmt.Sprintf(
			"A person was asked and has not answered yet. Until %s the user can run `mcpproxy approvals approve %s` in a terminal; then the same call, sent again unchanged, passes once.",
			a.Expires.Local().Format("15:04:05"),
			a.ID,
		)
	case Posted:
		return fmt.Sprintf(
			"Until %s the user can run `mcpproxy approvals approve %s` in a terminal; then the same call, sent again unchanged, passes.",
			a.Expires.Local().Format("15:04:05"),
			a.ID,
		)
	case Busy:
		return "A person is being asked about the very same call: wait for that answer."
	case Used:
		return "The approval was for one call, and another one has used it."
	case Full:
		return "Too many calls wait for an answer already: the user can look at them with `mcpproxy approvals list`."
	}
	return "Nobody agreed to it."
}

// The errors of [Desk.Decide].
var (
	ErrUnknown    = errors.New("no such request is open: it was answered, has expired, or never was")
	ErrDecided    = errors.New("this request is approved already; it waits for the agent to send the call again")
	ErrNotOffered = errors.New("an answer to this request holds for this call alone")
	ErrElsewhere  = errors.New("this question stands in the agent's own window: answer it there")
)
