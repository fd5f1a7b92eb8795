package codemode

// Ended reports whether a worker's process has ended.
func Ended(w Worker) bool { return w.(*process).ended() }
