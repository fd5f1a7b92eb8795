//go:build linux

package day_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"
)

// playsService is the first argument that makes this binary a fake service. The second argument is its file in
// testdata/services.
const playsService = "day-service"

// service is a file of testdata/services: tables, and tools that work on them.
type service struct {
	Title  string
	Tools  map[string]*serviceTool
	Tables map[string][]object
}

// serviceTool is a tool of the real server, and its effect on the tables.
type serviceTool struct {
	About string
	// Takes names the arguments and their types, with "!" for a required one: "string!", "string[]".
	// Anything else is the argument's schema.
	Takes map[string]any
	Hints *mcp.ToolAnnotations
	// Does is "list", "get", "add", "change" or "remove".
	Does  string
	Table string
	// By names the arguments that select rows. For list, a row is selected if its fields are equal to the arguments or
	// contain them.
	By []string
	// Says is a template for the answer. The row's fields are available in it. Without a template, the answer is the
	// rows as JSON.
	Says string
}

// playService serves over standard input and output until its input ends.
func playService(path string) int {
	if err := serveService(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serveService(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	var s service
	if err := decoder.Decode(&s); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: s.Title, Version: "1.0.0"}, nil)
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		tool := s.Tools[name]
		server.AddTool(
			&mcp.Tool{
				Name:        name,
				Description: tool.About,
				InputSchema: tool.schema(),
				Annotations: tool.Hints,
			},
			func(_ context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var args object
				if err := json.Unmarshal(call.Params.Arguments, &args); err != nil {
					return nil, err
				}
				answer, err := s.answer(tool, args)
				if err != nil {
					answer = err.Error()
				}
				content := []mcp.Content{&mcp.TextContent{Text: answer}}
				return &mcp.CallToolResult{Content: content, IsError: err != nil}, nil
			})
	}
	return server.Run(context.Background(), &mcp.StdioTransport{})
}

// schema returns the JSON schema of the arguments.
func (t *serviceTool) schema() object {
	properties, required := object{}, []string{}
	for name, kind := range t.Takes {
		text, ok := kind.(string)
		if !ok {
			properties[name] = kind
			continue
		}
		if strings.HasSuffix(text, "!") {
			required = append(required, name)
		}
		text = strings.TrimSuffix(text, "!")
		if item, list := strings.CutSuffix(text, "[]"); list {
			properties[name] = object{"type": "array", "items": object{"type": item}}
		} else {
			properties[name] = object{"type": text}
		}
	}
	slices.Sort(required)
	return object{"type": "object", "properties": properties, "required": required}
}

// answer runs the tool, and returns its outcome.
func (s *service) answer(tool *serviceTool, args object) (string, error) {
	switch tool.Does {
	case "list":
		return tool.say(s.find(tool, args), nil)
	case "add":
		row := object{"id": strconv.Itoa(1000 + len(s.Tables[tool.Table]))}
		maps.Copy(row, args)
		s.Tables[tool.Table] = append(s.Tables[tool.Table], row)
		return tool.say(nil, row)
	}
	found := s.find(tool, args)
	if len(found) == 0 {
		return "", fmt.Errorf("not found: %v", args)
	}
	switch tool.Does {
	case "change":
		maps.Copy(found[0], args)
	case "remove":
		s.Tables[tool.Table] = slices.DeleteFunc(s.Tables[tool.Table], func(row object) bool {
			return row["id"] == found[0]["id"]
		})
	}
	return tool.say(nil, found[0])
}

// find returns the rows that the arguments select.
func (s *service) find(tool *serviceTool, args object) []object {
	found := []object{}
	for _, row := range s.Tables[tool.Table] {
		if tool.selects(row, args) {
			found = append(found, row)
		}
	}
	return found
}

// selects reports whether a row matches every given argument in By. A row matches if its field is equal, or if it
// contains the argument's words.
func (t *serviceTool) selects(row, args object) bool {
	whole := strings.ToLower(fmt.Sprint(row))
	for _, name := range t.By {
		wanted, given := args[name]
		if !given {
			continue
		}
		if have, known := row[name]; known {
			if fmt.Sprint(have) != fmt.Sprint(wanted) {
				return false
			}
			continue
		}
		for word := range strings.FieldsSeq(strings.ToLower(fmt.Sprint(wanted))) {
			_, word, _ = cutAfter(word, ":") // "from:ana" looks for ana
			if !strings.Contains(whole, strings.Trim(word, `"`)) {
				return false
			}
		}
	}
	return true
}

// cutAfter is strings.Cut, except that without a separator the whole text is the second result.
func cutAfter(text, separator string) (before, after string, found bool) {
	if before, after, found = strings.Cut(text, separator); !found {
		return "", text, false
	}
	return before, after, true
}

// say formats the answer.
func (t *serviceTool) say(rows []object, row object) (string, error) {
	var what any = rows
	if row != nil {
		what = row
	}
	if t.Says == "" {
		raw, err := json.MarshalIndent(what, "", "  ")
		return string(raw), err
	}
	form, err := template.New("says").Parse(t.Says)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = form.Execute(&out, what)
	return out.String(), err
}
