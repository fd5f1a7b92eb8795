package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
	"mcpproxy/internal/catalog"
)

// flowStep is one call of a session with its result, or a later message of the user.
type flowStep struct {
	Session string         `json:"session"`
	Step    int            `json:"step"`
	Named   *string        `json:"server"` // empty for an agent's own tool; absent if it is not known
	Tool    string         `json:"tool"`   // empty for a message of the user
	Args    jsontext.Value `json:"args"`
	Result  jsontext.Value `json:"result"`
	Error   jsontext.Value `json:"error"`

	// The tool's definition as its server lists it. It is in the first step with the tool and holds for the whole
	// session.
	Schema      jsontext.Value `json:"schema"`
	Description string         `json:"description"`
	Annotations jsontext.Value `json:"annotations"`

	Prompt   string `json:"user_prompt"`          // a message of the user
	Injected bool   `json:"result_has_injection"` // the result contains an attacker's instruction
}

// unnamed is the server of steps without a server. Its name says nothing, so the tools are classified by their names
// and parameters.
const unnamed = "tools"

func (s flowStep) kind() string { return "" }

func (s flowStep) check() error {
	switch {
	case s.Session == "":
		return errors.New(`"session" is missing`)
	case s.Tool == "" && s.Prompt == "":
		return errors.New(`"tool" is missing`)
	case s.Tool != "" && s.Prompt != "":
		return errors.New(`a step is a call with a "tool" or a message with a "user_prompt", not both`)
	}
	return nil
}

// server returns the server of the step's tool, under the name that the proxy would use.
func (s flowStep) server() string {
	if s.Named == nil || *s.Named == "" {
		return unnamed
	}
	return *s.Named
}

// own reports whether the step calls an agent's own tool, which only hooks see.
func (s flowStep) own() bool { return s.Named != nil && *s.Named == "" }

// name returns a name that is unique across servers.
func (s flowStep) name() string { return s.server() + ":" + s.Tool }

// definition returns the tool as its server lists it, or nil if the step does not contain it.
func (s flowStep) definition() (*mcpproxy.Tool, error) {
	if !has(s.Schema) && s.Description == "" && !has(s.Annotations) {
		return nil, nil
	}
	listed := map[string]any{"name": s.Tool}
	if s.Description != "" {
		listed["description"] = s.Description
	}
	if has(s.Schema) {
		listed["inputSchema"] = s.Schema
	}
	if has(s.Annotations) {
		listed["annotations"] = s.Annotations
	}
	raw, err := json.Marshal(listed, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return catalog.Parse(s.server(), raw)
}

// has reports whether a value is not empty.
func has(v jsontext.Value) bool {
	return len(v) > 0 && v.Kind() != 'n' && string(v) != `""` && string(v) != "{}"
}

// content returns the result, or else the error.
func (s flowStep) content() jsontext.Value {
	for _, v := range []jsontext.Value{s.Result, s.Error} {
		if len(v) > 0 && v.Kind() != 'n' && string(v) != `""` {
			return v
		}
	}
	return jsontext.Value(`""`)
}

// The suffixes of the names of files with sessions and with their steps.
const (
	sessionsSuffix = ".sessions.jsonl"
	stepsSuffix    = ".steps.jsonl"
)

// stepsOf returns the file with the steps of the sessions in file.
func stepsOf(file string) (string, error) {
	stem, ok := strings.CutSuffix(strings.TrimSuffix(file, zstandard), sessionsSuffix)
	if !ok {
		return "", fmt.Errorf(
			"%s contains sessions: rename it to NAME%s, and put NAME%s with their steps into the same folder",
			file,
			sessionsSuffix,
			stepsSuffix,
		)
	}
	for _, name := range []string{stem + stepsSuffix, stem + stepsSuffix + zstandard} {
		if _, err := os.Stat(name); err == nil {
			return name, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s contains sessions, but there is no %s with their steps", file, stem+stepsSuffix)
}

// script is the content of a file of steps.
type script struct {
	steps map[string][]flowStep                // by session, in order
	tools map[string]map[string]*mcpproxy.Tool // by session and name, as their servers list them
	// called has a definition for every tool, by name, made from the arguments of its calls. It is used for
	// steps that do not define the tool.
	called map[string]*mcpproxy.Tool
}

// tool returns the definition of the tool of a step.
func (s *script) tool(step flowStep) *mcpproxy.Tool {
	if t := s.tools[step.Session][step.name()]; t != nil {
		return t
	}
	return s.called[step.name()]
}

// readScript reads a file of steps.
func readScript(file string) (*script, error) {
	s := &script{
		steps:  map[string][]flowStep{},
		tools:  map[string]map[string]*mcpproxy.Tool{},
		called: map[string]*mcpproxy.Tool{},
	}
	arguments := map[string]map[string]any{}
	_, err := readFile(file, func(r row[flowStep]) bool {
		step := r.data
		s.steps[step.Session] = append(s.steps[step.Session], step)
		if step.Tool == "" {
			return true
		}
		if arguments[step.name()] == nil {
			arguments[step.name()] = map[string]any{}
			s.called[step.name()] = &mcpproxy.Tool{Server: step.server(), Name: step.Tool}
		}
		var args map[string]jsontext.Value
		if json.Unmarshal(step.Args, &args) == nil {
			for name := range args {
				arguments[step.name()][name] = map[string]any{}
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	for name, properties := range arguments {
		schema, err := json.Marshal(
			map[string]any{"type": "object", "properties": properties},
			json.Deterministic(true),
		)
		if err != nil {
			return nil, err
		}
		s.called[name].InputSchema = schema
	}
	for session, steps := range s.steps {
		slices.SortStableFunc(steps, func(a, b flowStep) int { return a.Step - b.Step })
		if s.tools[session], err = listed(steps); err != nil {
			return nil, fmt.Errorf("%s: session %s: %w", file, session, err)
		}
	}
	return s, nil
}

// listed returns the tools of a session that its steps define, by name. The first definition of a tool counts.
func listed(steps []flowStep) (map[string]*mcpproxy.Tool, error) {
	tools := map[string]*mcpproxy.Tool{}
	for _, step := range steps {
		if step.Tool == "" || tools[step.name()] != nil {
			continue
		}
		t, err := step.definition()
		if err != nil {
			return nil, fmt.Errorf("step %d: the definition of %s: %w", step.Step, step.Tool, err)
		}
		if t != nil {
			tools[step.name()] = t
		}
	}
	return tools, nil
}
