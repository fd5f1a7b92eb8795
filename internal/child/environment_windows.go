package child

// Environment are the names of the variables that a program gets from this process, beside those that it is given.
// They are the ones without which programs of Windows do not start, or do not find the user's folders.
var Environment = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LANG", "LOCALAPPDATA", "PATH", "PATHEXT", "PROGRAMDATA",
	"PROGRAMFILES", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE",
}
