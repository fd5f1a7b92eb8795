package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "plans.bin", "the file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "gen: "+err.Error())
		os.Exit(1)
	}
}

func run(out string) error {
	table, err := build()
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes\n", out, len(table))
	return os.WriteFile(out, table, 0o644)
}
