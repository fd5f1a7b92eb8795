package child

// Environment are the names of the environment variables that a program inherits from this process. Without them,
// programs on Windows do not start, or do not find the user's folders.
var Environment = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LANG", "LOCALAPPDATA", "PATH", "PATHEXT", "PROGRAMDATA",
	"PROGRAMFILES", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE",
}
