package memory

import (
	"testing"

	"mcpproxy/internal/state/statetest"
)

func TestDecisionsKeepTheContract(t *testing.T) {
	statetest.RunDecisions(t, func(*testing.T) statetest.Replicas {
		s := &Decisions{}
		return statetest.Replicas{A: s, B: s, Forget: func() { *s = Decisions{} }}
	})
}
