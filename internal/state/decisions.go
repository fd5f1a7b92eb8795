package state

import (
	"context"
	"errors"
)

// Decision is a small document that all replicas hold, such as the approval of a tool.
type Decision struct {
	Kind    string `json:"kind"`    // names the part of the program that reads the content
	Name    string `json:"name"`    // what was decided about; a later decision of the kind with this name replaces this one
	Content []byte `json:"content"` // at most [MaxDecision] bytes
	Turn    uint64 `json:"turn"`    // place in the order of all decisions, from 1
}

// MaxDecision is the maximum size of a decision's content.
const MaxDecision = 256 << 10

// Errors of decisions.
var (
	ErrLarge = errors.New("the decision is too large to be shared")
	// ErrUnsettled is returned while it is unknown what was decided before, because the store has just lost its data.
	ErrUnsettled = errors.New("the state store has just lost its data; try again in some seconds")
)

// Decisions keeps decisions for all replicas. Implementations MUST be safe for concurrent use by several
// replicas, MUST keep only the decision with the highest turn for a kind and name, and MUST NOT let decisions
// expire.
type Decisions interface {
	// Decide stores decisions in their order and returns them with their turns. These are higher than all turns that
	// the store or the caller has seen before. Decide stores all of the decisions or none.
	Decide(ctx context.Context, ds ...Decision) ([]Decision, error)
	// All returns the decisions in the order of their turns. The version changes with every change of the decisions;
	// it is "" if nothing has been decided.
	All(ctx context.Context) (ds []Decision, version string, err error)
	// Restore stores decisions that the store had before and has lost. It does not change their turns.
	Restore(ctx context.Context, ds []Decision) error
}
