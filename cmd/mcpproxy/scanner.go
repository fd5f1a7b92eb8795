package main

import (
	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/scan/definition"
	views "mcpproxy/internal/text" // package main has a text of its own
)

// scannerWith is a scanner of definitions that finds secrets with d.
func scannerWith(d *detect.Detector) definition.Scanner {
	return definition.Scanner{Secrets: func(doc *views.Document) ([]mcpproxy.Signal, error) {
		found, err := d.Find(doc)
		out := make([]mcpproxy.Signal, 0, len(found))
		for i := range found {
			if !found[i].Rule.Personal() {
				out = append(out, found[i].Signal())
			}
		}
		return out, err
	}}
}
