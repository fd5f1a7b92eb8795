package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// shellSigns are shell operators. A person who writes one expects a shell.
var shellSigns = []string{"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1"}

// words splits the text of a ${cmd:…} reference into a program and its arguments. Spaces, tabs and
// line breaks separate words. Inside single quotes every character is literal. Inside double quotes
// \" is a quote and \\ a backslash. Every other character, including backslash, dollar sign and
// star, is literal: nothing is expanded.
func words(text string) ([]string, error) {
	var all []string
	var word strings.Builder
	within, quoted := false, false // inside a word; the word has quotes
	quote := byte(0)               // open quote character; 0 for none
	text += " "                    // ends the last word
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == 0:
			return nil, errors.New("the command holds a NUL byte")
		case quote != 0 && c == quote:
			quote = 0
		case quote == '"' && c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			word.WriteByte(text[i])
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			within, quoted = true, true
			quote = c
		case strings.IndexByte(" \t\r\n", c) >= 0:
			if !within {
				continue
			}
			if !quoted && slices.Contains(shellSigns, word.String()) {
				return nil, errShell(word.String())
			}
			all = append(all, word.String())
			word.Reset()
			within, quoted = false, false
		default:
			within = true
			word.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the command has an unclosed quote %c", quote)
	}
	if len(all) == 0 || all[0] == "" {
		return nil, errors.New("the command is empty: write a program and its arguments")
	}
	return all, nil
}

func errShell(sign string) error {
	return fmt.Errorf("%s is for a shell, and the command runs without one; quote it if it is an argument", sign)
}

// quoteWord quotes a text so that [words] reads it as one word.
func quoteWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\r\n'\"") && !slices.Contains(shellSigns, word) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
