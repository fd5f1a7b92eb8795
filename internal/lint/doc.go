// Command lint holds the layout and the language of this repository.
//
//	go run ./internal/lint [root]
//
// It reads every Go file under root (default ".") and every page in root/docs, prints one line for each finding,
//
//	internal/gate/gate.go:41: literal: two fields on one line in a literal of 5 fields
//
// and exits with status 1 if there are any. It parses files and does not type-check them, so that it needs less than a
// second and no other module. `make lint` runs it after gofmt and go vet.
//
// Each rule is one file: its doc comment says what the rule reports, why, and what is exempt. [rules] lists them all.
// testdata holds one folder a rule; in it every line with the word HIT must be reported, and no other line.
//
// Generated files, testdata, node_modules and web/dist are exempt from all rules.
package main
