package settings

// Scope says whose settings a file holds.
type Scope string

// The scopes. Not every agent has all three.
const (
	User    Scope = "user"    // every session of the user
	Project Scope = "project" // everybody's sessions in a folder; meant to be committed
	Local   Scope = "local"   // the user's own sessions in a folder
)

// Scopes lists the scopes, the widest first.
var Scopes = []Scope{User, Project, Local}

// Env is where things are.
type Env struct {
	Home    string // the user's folder
	Project string // the project's folder, absolute
	Backups string // the folder for what was there before
	Getenv  func(string) string
}
