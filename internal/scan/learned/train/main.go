// Command train trains the model of package learned.
//
// It learns from the project's own definitions (internal/eval/testdata), from sentences that it makes from
// patterns.txt, forms.txt, cases.txt and languages.txt, and from labelled corpora of others, which are not part of the
// project: the variable CORPORA names their folder. It uses only rows with a permissive licence. Without the folder it
// reports that and leaves the model unchanged.
//
// The same data give the same model, byte for byte, on every machine. own.sum is the checksum of the model that the
// project's own data alone would give. A test compares it, so that a change of the traits is noticed.
//
//	CORPORA=… go generate ./internal/scan/learned
//	CORPORA=… go run ./internal/scan/learned/train -measure
//
// With -measure it trains, for every source, a model without that source, and reports what this model finds in it.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "../../..", "folder of the project")
	byOne := flag.Bool("measure", false, "measure with each source left out, and write nothing")
	flag.Parse()
	if err := run(*root, os.Getenv("CORPORA"), *byOne); err != nil {
		log.Fatal(err)
	}
}

func run(root, corpora string, byOne bool) error {
	own, err := ownExamples(root)
	if err != nil {
		return err
	}
	if corpora == "" {
		log.Print("CORPORA names no folder: the model is unchanged")
		return os.WriteFile(filepath.Join(root, sumFile), []byte(sumOf(own)), 0o644)
	}
	others, err := otherExamples(corpora)
	if err != nil {
		return err
	}
	if byOne {
		kept, err := keptExamples(root)
		if err != nil {
			return err
		}
		return measure(os.Stdout, append(append(own, others...), kept...))
	}
	var all []example
	for _, e := range append(own, others...) {
		if e.free {
			all = append(all, e)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "internal/scan/learned/model.bin"), train(all).Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, sumFile), []byte(sumOf(own)), 0o644)
}

// sumFile contains the checksum of the model that the project's own data give.
const sumFile = "internal/scan/learned/train/own.sum"

// sumOf returns the checksum of the model trained from examples.
func sumOf(examples []example) string {
	sum := sha256.Sum256(train(examples).Bytes())
	return fmt.Sprintln(hex.EncodeToString(sum[:]))
}
