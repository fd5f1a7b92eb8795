package approval

import (
	"errors"
	"fmt"
	"time"

	"mcpproxy"
)

// Outcome is the result of a question.
type Outcome string

// The outcomes. Only Approved lets a call pass.
const (
	Approved  Outcome = "approved"
	Declined  Outcome = "declined"
	Cancelled Outcome = "cancelled" // a person dismissed the question, or the call was cancelled
	Failed    Outcome = "failed"    // the client failed to show the question
	Expired   Outcome = "expired"
	Withdrawn Outcome = "withdrawn" // ended by the kill switch or a new configuration
	Lapsed    Outcome = "lapsed"    // approved, but the call was not repeated in time

	Waiting Outcome = "waiting" // the question is open
	Busy    Outcome = "busy"    // an equal call is already waiting for an answer
	Used    Outcome = "used"    // the approval was used by another call
	Full    Outcome = "full"    // too many open questions
	Posted  Outcome = "posted"  // the call was stopped; a person can approve it later, and the agent can then repeat it
	Nobody  Outcome = "nobody"  // no person could be asked
)

// Answer is the result of a question about a call.
type Answer struct {
	ID      string // id of the request; "" if no question was asked
	Outcome Outcome
	By      string // the person who answered
	Why     string // reason for a withdrawal
	Expires time.Time
	// Remembered is how long the earlier answer that decided this call is valid, or "" if no
	// earlier answer decided it. ID is then the id of the earlier request or of the stored rule.
	Remembered mcpproxy.Remembered
}

// Approved reports whether the call may pass.
func (a Answer) Approved() bool { return a.Outcome == Approved }

// Passed explains that an earlier answer let the call pass. It returns "" if a person was asked
// about this call.
func (a Answer) Passed() string {
	switch a.Remembered {
	case mcpproxy.RememberedAlways:
		return fmt.Sprintf("A person allows this always (rule %s; `mcpproxy approvals rules` lists it).", a.ID)
	case "":
		return ""
	}
	return fmt.Sprintf("A person agreed to the same in this session (request %s).", a.ID)
}

// Reason explains why the call was stopped and what to do next.
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
		return "The client did not ask its user."
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
	ErrUnknown    = errors.New("no such request is open: it was answered, has expired or never existed")
	ErrDecided    = errors.New("this request is approved already; it waits for the agent to send the call again")
	ErrNotOffered = errors.New("an answer to this request holds for this call alone")
	ErrElsewhere  = errors.New("this question is open in the agent's own window: answer it there")
)
