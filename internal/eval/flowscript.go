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
)

// flowStep is one call of a session and what came back.
type flowStep struct {
	Session string         `json:"session"`
	Step    int            `json:"step"`
	Server  string         `json:"server"` // empty when the record does not say
	Tool    string         `json:"tool"`
	Args    jsontext.Value `json:"args"`
	Result  jsontext.Value `json:"result"`
	Error   jsontext.Value `json:"error"`
}

// unnamed is the server of steps that name none. Its name says nothing, so that
// the tools are judged by what they are called and what they take.
const unnamed = "tools"

func (s flowStep) kind() string { return "" }

func (s flowStep) check() error {
	switch {
	case s.Session == "":
		return errors.New(`"session" is missing`)
	case s.Tool == "":
		return errors.New(`"tool" is missing`)
	}
	return nil
}

// name tells the tools of different servers apart.
func (s flowStep) name() string { return s.Server + ":" + s.Tool }

// content is what came back: the result, or else the error.
func (s flowStep) content() jsontext.Value {
	for _, v := range []jsontext.Value{s.Result, s.Error} {
		if len(v) > 0 && v.Kind() != 'n' && string(v) != `""` {
			return v
		}
	}
	return jsontext.Value(`""`)
}

// The ends of the names of files of sessions and of their steps.
const (
	sessionsSuffix = ".sessions.jsonl"
	stepsSuffix    = ".steps.jsonl"
)

// stepsOf finds the file with the steps of the sessions in file.
func stepsOf(file string) (string, error) {
	stem, ok := strings.CutSuffix(strings.TrimSuffix(file, zstandard), sessionsSuffix)
	if !ok {
		return "", fmt.Errorf("%s holds sessions: it must be called NAME%s and stand beside NAME%s", file, sessionsSuffix, stepsSuffix)
	}
	for _, name := range []string{stem + stepsSuffix, stem + stepsSuffix + zstandard} {
		if _, err := os.Stat(name); err == nil {
			return name, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s holds sessions, but there is no %s with their steps", file, stem+stepsSuffix)
}

// script is what a file of steps holds.
type script struct {
	steps map[string][]flowStep     // by session, in their order
	tools map[string]*mcpproxy.Tool // by the name of the tool
}

// readScript reads a file of steps. What the tools look like is not recorded, so
// their definitions are made of the arguments that they were called with.
func readScript(file string) (script, error) {
	s := script{map[string][]flowStep{}, map[string]*mcpproxy.Tool{}}
	arguments := map[string]map[string]any{}
	_, err := readFile(file, func(r row[flowStep]) bool {
		step := r.data
		if step.Server == "" {
			step.Server = unnamed
		}
		s.steps[step.Session] = append(s.steps[step.Session], step)
		if arguments[step.name()] == nil {
			arguments[step.name()] = map[string]any{}
			s.tools[step.name()] = &mcpproxy.Tool{Server: step.Server, Name: step.Tool}
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
		return s, err
	}
	for name, properties := range arguments {
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties}, json.Deterministic(true))
		if err != nil {
			return s, err
		}
		s.tools[name].InputSchema = schema
	}
	for _, steps := range s.steps {
		slices.SortStableFunc(steps, func(a, b flowStep) int { return a.Step - b.Step })
	}
	return s, nil
}
