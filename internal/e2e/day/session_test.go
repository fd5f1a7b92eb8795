//go:build linux

package day_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// session is a file of testdata/sessions. Its head holds sentences about the session and its
// expectations. The section "work" holds the steps; every other section is a file that is in the
// user's home before the session begins. A line of the work begins with
//
//	>        the user's words
//	$        a command of the Bash tool
//	NAME     a tool of the agent: a path for Read, Write and Edit, JSON for others
//	NAME:    a tool of an MCP server, as server:tool, and its arguments in JSON
//	+        one more line of a prompt, of a command or of arguments; the new text of Write and Edit
//	-        the old text of Edit
//	|        what the tool answers; of an MCP tool, a part that its real answer must have
//	!        what the tool answers when it fails
type session struct {
	name     string
	about    string
	project  string // the folder of the home in which the agent works
	claude   bool   // the session runs in the real Claude Code
	steps    []step
	files    map[string]string
	expected map[finding]string // the reason of each
}

// finding is one interruption: what happened at which step.
type finding struct {
	step int
	kind string // "asked", "denied", "warned" or "withheld"
}

// step is the user's words, or a call.
type step struct {
	number int    // of the call, from 1; 0 for the user's words
	head   string // the words, the command, the path or the arguments
	tool   string // "" for the user's words
	added  []string
	taken  []string
	answer []string
	failed bool
}

// upstream reports whether the tool belongs to an MCP server.
func (s *step) upstream() bool { return strings.Contains(s.tool, ":") }

var (
	expectation = regexp.MustCompile(`^# (defect: )?(asked|denied|warned|withheld): step (\d+): (\S.*)$`)
	callLine    = regexp.MustCompile(`^([A-Za-z_]+|[a-z-]+:[A-Za-z_-]+)(?: (.*))?$`)
)

// readSession reads a file. Places in braces, such as {HOME}, are filled in.
func readSession(path string, places *strings.Replacer) (*session, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	archive := txtar.Parse([]byte(places.Replace(string(raw))))
	s := &session{
		name:     strings.TrimSuffix(filepath.Base(path), ".txtar"),
		project:  "shop",
		files:    map[string]string{},
		expected: map[finding]string{},
	}
	for _, f := range archive.Files {
		if f.Name == "work" {
			err = s.readWork(string(f.Data))
		} else {
			s.files[f.Name] = string(f.Data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := s.readHead(string(archive.Comment)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (s *session) readHead(head string) error {
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if project, ok := strings.CutPrefix(line, "# project: "); ok {
			s.project = project
		} else if line == "# agent: claude" {
			s.claude = true
		} else if m := expectation.FindStringSubmatch(line); m != nil {
			number, err := strconv.Atoi(m[3])
			if err != nil || number < 1 || number > s.calls() {
				return fmt.Errorf("there is no such step: %s", line)
			}
			s.expected[finding{number, m[2]}] = m[1] + m[4]
		} else if s.about == "" {
			s.about = strings.TrimPrefix(line, "# ")
		} else if strings.HasPrefix(line, "# ") && strings.Contains(line, ": step ") {
			return fmt.Errorf("not understood: %s", line)
		}
	}
	return nil
}

// calls returns how many calls the session has.
func (s *session) calls() int { return s.steps[len(s.steps)-1].number }

func (s *session) readWork(work string) error {
	number := 0
	for line := range strings.Lines(work) {
		line = strings.TrimSuffix(line, "\n")
		mark, text, _ := strings.Cut(line, " ")
		if mark == "" && text == "" {
			continue
		}
		if strings.Contains("+-|!", mark) {
			if len(s.steps) == 0 {
				return fmt.Errorf("nothing stands before %q", line)
			}
			s.steps[len(s.steps)-1].more(mark, text)
			continue
		}
		if mark == ">" {
			s.steps = append(s.steps, step{head: text})
			continue
		}
		number++
		if mark == "$" {
			s.steps = append(s.steps, step{number: number, tool: "Bash", head: text})
			continue
		}
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("not understood: %q", line)
		}
		s.steps = append(s.steps, step{number: number, tool: m[1], head: m[2]})
	}
	if len(s.steps) == 0 || number == 0 {
		return fmt.Errorf("the session has no work")
	}
	return nil
}

// more adds a line to a step.
func (s *step) more(mark, text string) {
	switch {
	case mark == "-":
		s.taken = append(s.taken, text)
	case mark == "|":
		s.answer = append(s.answer, text)
	case mark == "!":
		s.answer, s.failed = append(s.answer, text), true
	case s.tool == "Write" || s.tool == "Edit":
		s.added = append(s.added, text)
	default:
		s.head += "\n" + text
	}
}

// text returns what a tool of the agent's own answers.
func (s *step) text() string { return strings.Join(s.answer, "\n") }

// input returns the arguments of the call as the agent gives them.
func (s *step) input(folder string) (object, error) {
	path := s.head
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	switch s.tool {
	case "Bash":
		return object{"command": s.head, "description": "Run a command"}, nil
	case "Read":
		return object{"file_path": path}, nil
	case "Write":
		return object{"file_path": path, "content": strings.Join(s.added, "\n") + "\n"}, nil
	case "Edit":
		return object{
			"file_path":   path,
			"old_string":  strings.Join(s.taken, "\n"),
			"new_string":  strings.Join(s.added, "\n"),
			"replace_all": false,
		}, nil
	}
	in := object{}
	if s.head != "" {
		if err := json.Unmarshal([]byte(s.head), &in); err != nil {
			return nil, fmt.Errorf("step %d, %s: %w", s.number, s.tool, err)
		}
	}
	return in, nil
}

// response returns what Claude Code tells its hook of the answer of a tool of its own.
func (s *step) response(in object) any {
	text := s.text()
	switch s.tool {
	case "Bash":
		return object{
			"stdout":      text,
			"stderr":      "",
			"interrupted": false,
			"isImage":     false,
		}
	case "Read":
		return object{"type": "text", "file": object{
			"filePath":   in["file_path"],
			"content":    text + "\n",
			"numLines":   len(s.answer),
			"startLine":  1,
			"totalLines": len(s.answer),
		}}
	case "Write":
		return object{
			"type":            "create",
			"filePath":        in["file_path"],
			"content":         in["content"],
			"structuredPatch": []any{},
		}
	case "Edit":
		return object{
			"filePath":        in["file_path"],
			"oldString":       in["old_string"],
			"newString":       in["new_string"],
			"structuredPatch": []any{},
			"userModified":    false,
			"replaceAll":      false,
		}
	case "Grep":
		return object{
			"mode":      "content",
			"numFiles":  0,
			"filenames": []any{},
			"content":   text,
			"numLines":  len(s.answer),
		}
	case "Glob":
		return object{
			"filenames":  s.answer,
			"durationMs": 5,
			"numFiles":   len(s.answer),
			"truncated":  false,
		}
	case "WebFetch":
		return object{
			"bytes":      len(text),
			"code":       200,
			"codeText":   "OK",
			"result":     text,
			"durationMs": 300,
			"url":        in["url"],
		}
	case "WebSearch":
		return object{
			"query":           in["query"],
			"results":         []any{text},
			"durationSeconds": 1,
		}
	}
	return text
}
