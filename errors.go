package mcpproxy

import (
	"errors"
	"fmt"
)

// Code is a machine-readable reason for a failure.
type Code string

// The codes. Agents and scripts may rely on them.
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
	CodeCircuitOpen    Code = "CIRCUIT_OPEN"        // the server failed repeatedly and gets no calls for a while
	CodeRateLimit      Code = "RATE_LIMIT"          // more calls than the server's rate limit allows
	CodeTool           Code = "TOOL_ERROR"          // the tool reported a failure
	CodeScript         Code = "SCRIPT_ERROR"        // a code-mode script threw an exception
	CodeInternal       Code = "INTERNAL"
)

// Error separates what the agent may read from what only the operator sees. Message and Fix go
// to both; Cause goes only to the operator's log.
type Error struct {
	Code      Code
	Message   string
	Cause     error
	Retryable bool   // the same call may succeed later, unchanged
	Fix       string // what to do about it; "" when that is not known
}

// Errorf returns an [Error] with a formatted message. Agents do not see the cause.
func Errorf(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// Later marks e as retryable, sets the fix, and returns e.
func (e *Error) Later(fix string) *Error {
	e.Retryable, e.Fix = true, fix
	return e
}

// Error returns the message and the cause, for the operator.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// AgentMessage returns the part of err that an agent may read.
func AgentMessage(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "internal error; the operator's log has the details"
}

// CodeOf returns the code of err, or CodeInternal if err has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
