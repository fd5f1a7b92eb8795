package definition

import (
	"encoding/json"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

const idCapability = "capability.mismatch"

// inspectCapability compares a tool's description with its parameters and annotations. It reports unexplained
// parameters for the conversation, the prompt or the list of tools, and tools that claim to be read-only but can
// write.
func inspectCapability(tool *ToolView, _ *RegistryView) []Signal {
	if tool.kind() != KindTool {
		return nil
	}
	var props []property
	if wanted(tool) {
		props = properties(tool.InputSchema)
	}
	out := append(sinks(tool, props), overreach(tool)...)
	if s, ok := surplus(tool, props); ok {
		out = append(out, s)
	}
	if s, ok := writesAfterAll(tool, props); ok {
		out = append(out, s)
	}
	return append(out, declaredHarmless(tool)...)
}

// wanted reports whether a tool has a parameter of a kind that this check examines.
func wanted(tool *ToolView) bool {
	if small(tool) {
		return true
	}
	for _, p := range tool.read().doc.Parts {
		if p.Kind != text.Key || len(p.Text) > 40 {
			continue
		}
		name := letters(p.Text)
		if telling(p.Text) {
			return true
		}
		_, sink := sinkNames[name]
		if sink || slices.ContainsFunc(writers, func(w string) bool { return strings.Contains(name, w) }) {
			return true
		}
	}
	return false
}

var reachGroup = group{
	kinds:  []string{rowReach},
	threat: threatPoisoning,
	where:  anywhere,
	least:  0.45,
	proof:  2,
}

// modest are words of tools whose purpose needs no shell, no secrets and no privileges.
var modest = wordSet(
	`weather forecast calculator calculate calc add subtract multiply divide sum math convert converter conversion unit units currency time
	timezone clock date joke jokes quote fact facts translate translator translation format formatter formatting prettify markdown color colour theme icon badge
	dice random greet hello echo spell spelling dictionary word words count counter uppercase lowercase reverse temperature bmi horoscope lyrics emoji
	resize thumbnail rhyme trivia pun`,
)

// overreach reports tools that ask for shells, secrets or privileges although their purpose needs none.
func overreach(tool *ToolView) []Signal {
	out := tool.read().told(reachGroup)
	words := nameWords(tool.Name)
	if !slices.ContainsFunc(words, func(w string) bool { return modest()[w] }) {
		return out
	}
	for _, n := range tool.read().notes {
		if n.Check == rowReach && n.where == prose && n.How == "" && n.doubt == confirmed {
			return []Signal{{
				Tier:       scan.TierHard,
				ThreatType: threatPoisoning,
				Severity:   mcpproxy.SeverityHigh,
				Confidence: 0.75,
				Evidence:   n.Evidence,
				Detail:     "The tool's purpose needs no shell, no secrets and no privileges.",
				Path:       n.Path,
			}}
		}
	}
	return out
}

// sinkNames are names of parameters through which an agent would reveal what it knows. The value is a word that
// explains the parameter if the tool's texts contain it.
var sinkNames = map[string]string{
	"conversation":         "conversation",
	"conversationhistory":  "conversation",
	"chathistory":          "conversation",
	"messagehistory":       "message",
	"conversationcontext":  "conversation",
	"fullconversation":     "conversation",
	"previousmessages":     "message",
	"chatlog":              "conversation",
	"systemprompt":         "prompt",
	"userprompt":           "prompt",
	"originalprompt":       "prompt",
	"systeminstructions":   "instruction",
	"systemmessage":        "prompt",
	"toolslist":            "tools",
	"toollist":             "tools",
	"toolnames":            "tools",
	"availabletools":       "tools",
	"listoftools":          "tools",
	"tooldescriptions":     "tools",
	"sidenote":             "note",
	"sidechannel":          "channel",
	"sidecar":              "sidecar",
	"chainofthought":       "reason",
	"thoughtprocess":       "reason",
	"environmentvariables": "environment",
	"envvars":              "environment",
	"sshkey":               "ssh",
	"sshkeys":              "ssh",
	"privatekey":           "key",
	"credentialsdump":      "credential",
	"fullcontext":          "context",
	"sessioncontext":       "session",
	"agentmemory":          "memory",
}

// talkers are words of tools whose purpose is conversations and models; they need such parameters.
var talkers = []string{
	"conversation",
	"chat",
	"prompt",
	"llm",
	"agent",
	"assistant",
	"dialog",
	"message",
	"memory",
	"model",
	"completion",
	"context",
	"summar",
	"think",
	"reason",
}

// talkative reports whether the names of a tool and its server say that its purpose is conversations and models.
func talkative(t *ToolView) bool {
	for _, w := range nameWords(t.Name) {
		switch w {
		case "agent",
			"agents",
			"subagent",
			"prompt",
			"prompts",
			"chat",
			"conversation",
			"conversations",
			"llm",
			"completion",
			"session",
			"handoff",
			"delegate",
			"transcript":
			return true
		}
	}
	return false
}

// sinks reports parameters without an explanation.
func sinks(tool *ToolView, props []property) []Signal {
	if len(props) == 0 {
		return nil
	}
	about := strings.ToLower(tool.Name + " " + tool.Title + " " + tool.Description)
	for _, w := range talkers {
		if strings.Contains(about, w) {
			return nil
		}
	}
	var out []Signal
	for _, p := range props {
		word, known := sinkNames[letters(p.name)]
		if !known || strings.Contains(about, word) {
			continue
		}
		s := Signal{
			Tier:       scan.TierHard,
			ThreatType: threatTheft,
			Severity:   mcpproxy.SeverityHigh,
			Confidence: 0.75,
			Evidence:   p.name,
			Detail:     "The parameter takes what the model knows, and the tool's purpose does not explain it.",
			Path:       "inputSchema.properties." + p.name,
		}
		if len(strings.Fields(p.description)) >= 4 || word == "key" || word == "ssh" || word == "environment" {
			s.Tier = scan.TierSoft
			s.Severity = mcpproxy.SeverityMedium
			s.Confidence = 0.5
		}
		out = append(out, s)
	}
	return out
}

// letters returns a name without the separators of its words.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// writers are the beginnings and endings of parameters for changes.
var writers = []string{
	"writemode",
	"allowwrite",
	"enablewrite",
	"deletemode",
	"allowdelete",
	"enabledelete",
	"overwritemode",
	"allowoverwrite",
	"executemode",
	"allowexec",
	"writeenabled",
	"deleteafter",
	"execcommand",
	"shellcommand",
}

// writesAfterAll reports a tool that claims to be read-only although its own texts or parameters allow writes.
func writesAfterAll(tool *ToolView, props []property) (Signal, bool) {
	about := strings.ToLower(tool.Name + " " + tool.Description)
	claim := ""
	for _, c := range [...]string{"read-only", "readonly", "read only", "nur lesend", "lecture seule", "solo lectura", "sola lettura", "只读", "読み取り専用", "읽기 전용", "только для чтения"} {
		if strings.Contains(about, c) {
			claim = c
			break
		}
	}
	if claim == "" {
		return Signal{}, false
	}
	s := Signal{
		Tier:       scan.TierHard,
		ThreatType: threatPoisoning,
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.75,
		Detail:     "The tool says that it only reads, and has a switch to write.",
		Path:       "description",
	}
	for _, p := range props {
		if slices.ContainsFunc(writers, func(w string) bool { return strings.Contains(letters(p.name), w) }) {
			s.Evidence, s.Path = p.name, "inputSchema.properties."+p.name
			return s, true
		}
	}
	found := ""
	names(about, func(start, end int) {
		name := letters(about[start:end])
		if strings.IndexByte(about[start:end], '_') > 0 && slices.Contains(writers, name) {
			found = name
		}
	})
	if found != "" {
		s.Evidence = claim + " … " + found
		return s, true
	}
	return Signal{}, false
}

// destroyers begin the names of tools that destroy.
var destroyers = []string{"delete", "drop", "remove", "destroy", "purge", "wipe", "erase", "truncate"}

// declaredHarmless reports a tool that is declared read-only and whose name says the opposite.
func declaredHarmless(tool *ToolView) []Signal {
	if !saysReadOnly(tool) {
		return nil
	}
	words := nameWords(tool.Name)
	if len(words) == 0 || !slices.Contains(destroyers, words[0]) {
		return nil
	}
	return []Signal{{
		Tier:       scan.TierSoft,
		ThreatType: threatPoisoning,
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.6,
		Evidence:   tool.Name,
		Detail:     "The annotations say that the tool only reads, its name says that it destroys.",
		Path:       "annotations.readOnlyHint",
	}}
}

// saysReadOnly reports whether a tool's annotations declare it read-only.
func saysReadOnly(tool *ToolView) bool {
	var hints struct {
		ReadOnlyHint bool `json:"readOnlyHint"`
	}
	return len(tool.Annotations) > 0 && json.Unmarshal(tool.Annotations, &hints) == nil && hints.ReadOnlyHint
}
