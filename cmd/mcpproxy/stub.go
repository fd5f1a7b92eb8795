package main

import "github.com/spf13/cobra"

func importCommand(g *globals) *cobra.Command { return &cobra.Command{Use: "import"} }
func callCommand(g *globals) *cobra.Command   { return &cobra.Command{Use: "call"} }
