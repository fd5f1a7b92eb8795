//go:build unix

package child

// Environment are the names of the environment variables that a program inherits from this process.
var Environment = []string{"PATH", "HOME", "LANG"}
