package adversary

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Attack is one entry of the catalogue.
type Attack struct {
	Name     string   `json:"name"`     // unique: category.what.how
	Category string   `json:"category"` // one of [Categories]
	Summary  string   `json:"summary"`  // one sentence
	Expected []Notice `json:"expected"` // the defences that must notice the attack
	Harm     Act      `json:"-"`
	Benign   Act      `json:"-"` // the benign variant
}

// Categories lists the kinds of attack, in the order of the catalogue.
func Categories() []string {
	return []string{"poisoning", "shadowing", "linejump", "rugpull", "lie", "exfiltration", "injection", "hostile"}
}

// Who is a part of a defence, such as the scanner.
type Who string

// The parts of a defence that can notice an attack.
const (
	Scanner Who = "scanner" // reads definitions; What names the check that must report the attack, or several separated by "|"
	Trust   Who = "trust"   // holds definitions; What is the state of the definition
	Gate    Who = "gate"    // decides calls; What is the rule that stops the call
	Content Who = "content" // reads results; What is "withheld"
	Gateway Who = "gateway" // passes messages on; What is a part of the error, or "" if the call must succeed as usual
)

// Notice says which part of a defence must notice an attack, and what it must report.
type Notice struct {
	Who  Who    `json:"who" yaml:"who"`
	What string `json:"what" yaml:"what"`
}

// String returns the notice for people, such as "gate: lethal_trifecta".
func (n Notice) String() string {
	if n.What == "" {
		return string(n.Who)
	}
	return string(n.Who) + ": " + strings.ReplaceAll(n.What, "|", " or ")
}

// Act describes what one server does.
type Act struct {
	Side         string // the class that a defence should give the server: internal, external or "" for unknown
	Instructions string // the instructions in the server's answer to initialize
	Tools        []Tool
	Prompts      []Prompt
	Resources    []Resource
	Plan         *Plan  // how definitions change over time
	Fault        Fault  // how the protocol is broken
	Script       []Step // what a deceived agent does; by default, it calls the first tool
	Peer         *Act   // an honest server that the attack also needs
	PeerName     string
}

// Tool is a tool and the result of calling it.
type Tool struct {
	Definition json.RawMessage
	Answer     json.RawMessage // the result of a call; nil means the text "done"
}

// Prompt is a prompt and its messages.
type Prompt struct {
	Definition json.RawMessage
	Answer     json.RawMessage // a result of prompts/get
}

// Resource is a resource and its contents.
type Resource struct {
	Definition json.RawMessage
	Answer     json.RawMessage // a result of resources/read
}

// Steps returns what a deceived agent does: the script or, if there is none, one call of the server's first tool or
// prompt.
func (a *Act) Steps() []Step {
	switch {
	case len(a.Script) > 0:
		return a.Script
	case len(a.Tools) > 0:
		return []Step{{Tool: name(a.Tools[0].Definition), Args: json.RawMessage("{}"), Intent: "read"}}
	case a.Plan != nil && a.Plan.Subject == "tool":
		return []Step{{Tool: name(a.Plan.Definition), Args: json.RawMessage("{}"), Intent: "read"}}
	case a.Plan != nil:
		return []Step{{Prompt: name(a.Plan.Definition)}}
	case len(a.Prompts) > 0:
		return []Step{{Prompt: name(a.Prompts[0].Definition)}}
	}
	return nil
}

// name returns the name in a definition.
func name(definition json.RawMessage) string {
	var d struct{ Name string }
	_ = json.Unmarshal(definition, &d)
	return d.Name
}

// Catalogue returns all attacks, in a fixed order. It is built once, and callers must not change it. It panics if an
// embedded file is invalid; a test makes sure that none is.
func Catalogue() []Attack { return catalogue() }

var catalogue = sync.OnceValue(func() []Attack {
	all := slices.Concat(poisonedDefinitions(), injections(), linejumps())
	for _, read := range []func() ([]Attack, error){readScenes, readPlans} {
		more, err := read()
		if err != nil {
			panic(err)
		}
		all = append(all, more...)
	}
	order := Categories()
	slices.SortStableFunc(all, func(a, b Attack) int {
		return slices.Index(order, a.Category) - slices.Index(order, b.Category)
	})
	return all
})

// Find returns the attack with the given name. If there is no such attack, the error lists similar names.
func Find(name string) (Attack, error) {
	var near []string
	for _, a := range Catalogue() {
		if a.Name == name {
			return a, nil
		}
		if name != "" && (strings.Contains(a.Name, name) || a.Category == name) && len(near) < 5 {
			near = append(near, a.Name)
		}
	}
	if len(near) > 0 {
		return Attack{}, fmt.Errorf("there is no attack %q; there are %s", name, strings.Join(near, ", "))
	}
	return Attack{}, fmt.Errorf("there is no attack %q; --list shows all", name)
}
