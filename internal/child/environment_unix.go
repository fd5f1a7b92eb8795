//go:build unix

package child

// Environment are the names of the variables that a program gets from this process, beside those that it is given.
var Environment = []string{"PATH", "HOME", "LANG"}
