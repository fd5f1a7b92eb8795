// Package exit holds the exit codes of mcpproxy. They are part of its interface: scripts
// and service managers read them.
package exit

// The exit codes. An error without a code of its own ends the program with General.
const (
	General    = 1
	Port       = 2 // the address or the socket is in use
	Locked     = 3 // another daemon has the data folder
	Config     = 4 // the configuration cannot be used
	Permission = 5 // the system denies access, or the command is only for the user and another process started it
	Eval       = 6 // an evaluation missed a bound
	Probe      = 7 // a test of the probe failed
)

// Error is an error that ends the program with an exit code of its own.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without its code.
func (e *Error) Unwrap() error { return e.Err }

// With returns err with an exit code.
func With(code int, err error) error { return &Error{Code: code, Err: err} }
