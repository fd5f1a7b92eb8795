package mcpproxy

import (
	"errors"
	"fmt"
)

// Code is a machine-readable reason for a failure.
type Code string

// The codes. They are the typed errors that agents and scripts may branch on.
const (
	CodeServerNotFound Code = "SERVER_NOT_FOUND"
	CodeToolNotFound   Code = "TOOL_NOT_FOUND"
	CodeTimeout        Code = "TIMEOUT"
	CodeUpstream       Code = "UPSTREAM_ERROR"
	CodeTooLarge       Code = "TOO_LARGE"
	CodeMalformed      Code = "MALFORMED"
	CodeCancelled      Code = "CANCELLED"
	CodeDenied         Code = "DENIED"
	CodeGroupDenied    Code = "GROUP_POLICY_DENIED" // data may not leave its group of servers
	CodeCircuitOpen    Code = "CIRCUIT_OPEN"        // the server failed repeatedly and is left alone for a while
	CodeRateLimit      Code = "RATE_LIMIT"          // more calls than the server takes
	CodeTool           Code = "TOOL_ERROR"          // a tool says that it failed
	CodeScript         Code = "SCRIPT_ERROR"        // a script of code mode threw
	CodeInternal       Code = "INTERNAL"
)

// Error separates what the agent may read from what only the operator sees:
// Message and Fix go to both, Cause to the operator's log alone.
type Error struct {
	Code      Code
	Message   string
	Cause     error
	Retryable bool   // the same call may succeed later, unchanged
	Fix       string // what to do about it; "" when nobody can say
}

// Errorf makes an [Error] whose cause stays with the operator.
func Errorf(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// Later marks e as one that may pass, and says what to do meanwhile.
func (e *Error) Later(fix string) *Error {
	e.Retryable, e.Fix = true, fix
	return e
}

// Error is the operator's view: the message and its cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// AgentMessage is the part of err that an agent may read.
func AgentMessage(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "internal error; the operator's log has the details"
}

// CodeOf is err's code, or CodeInternal when it carries none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
