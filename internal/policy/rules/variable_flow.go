package rules

import (
	"strings"

	"github.com/google/cel-go/cel"

	"mcpproxy"
	"mcpproxy/internal/locate"
)

// dictationObject returns the type for the text from which a call was copied.
func dictationObject() *object {
	flag := func(get func(mcpproxy.Dictation) bool) func(any) any {
		return of(func(d mcpproxy.Dictation) any { return get(d) })
	}
	return newObject(
		"dictation",
		field{
			"from",
			text,
			"The server:tool, or the agent's own tool, from whose result the call was copied; empty if it was not copied",
			nil,
			of(func(d mcpproxy.Dictation) any { return mcpproxy.ToolName(d.From.Server, d.From.Tool) }),
		},
		field{
			"share",
			cel.DoubleType,
			"The share of the call's words that one passage of the result contains, without the user's own words; from 0.0 to 1.0",
			nil,
			of(func(d mcpproxy.Dictation) any { return d.Share }),
		},
		field{
			"aims",
			yes,
			"Whether the result was the first to name where the call goes: an address, an account, a host, a package",
			nil,
			flag(func(d mcpproxy.Dictation) bool { return d.Aims }),
		},
		field{
			"delegated",
			yes,
			"Whether the user asked to do what it says",
			nil,
			flag(func(d mcpproxy.Dictation) bool { return d.Delegated }),
		},
		field{
			"vouched",
			yes,
			"Whether the user named it and said that it is approved",
			nil,
			flag(func(d mcpproxy.Dictation) bool { return d.Vouched }),
		},
		field{
			"field",
			yes,
			"Whether the values are in fields that a system filled in, not in prose",
			nil,
			flag(func(d mcpproxy.Dictation) bool { return d.Field }),
		},
	)
}

// dictation returns the call's dictation, or the zero Dictation.
func (v *view) dictation() mcpproxy.Dictation {
	if v.facts.Dictation == nil {
		return mcpproxy.Dictation{}
	}
	return *v.facts.Dictation
}

func edgeObject() *object {
	str := func(get func(mcpproxy.Edge) string) func(any) any {
		return of(func(e mcpproxy.Edge) any { return get(e) })
	}
	return newObject(
		"edge",
		field{
			"type",
			text,
			"The sides between which the data moved",
			names(
				arrow(mcpproxy.InternalToExternal),
				arrow(mcpproxy.InternalToInternal),
				arrow(mcpproxy.ExternalToInternal),
				arrow(mcpproxy.ExternalToExternal),
			),
			str(func(e mcpproxy.Edge) string { return arrow(e.Type) }),
		},
		field{
			"from_server",
			text,
			"The server that the data came from",
			nil,
			str(func(e mcpproxy.Edge) string { return e.From.Server }),
		},
		field{
			"from_tool",
			text,
			"The tool that it came from",
			nil,
			str(func(e mcpproxy.Edge) string { return e.From.Tool }),
		},
		field{"to", text, "The server or tool that it goes to", nil, str(func(e mcpproxy.Edge) string { return e.To })},
		field{
			"sensitive",
			cel.ListType(text),
			"Categories of the sensitive data that moved",
			nil,
			of(func(e mcpproxy.Edge) any { return append([]string{}, e.Sensitive...) }),
		},
		field{
			"destination_source",
			text,
			"Who chose where it goes",
			append([]string{""}, sources...),
			str(func(e mcpproxy.Edge) string { return string(e.Destination) }),
		},
		field{
			"path",
			text,
			"Its JSON path in the arguments",
			nil,
			str(func(e mcpproxy.Edge) string { return e.Path }),
		},
	)
}

func destinationObject() *object {
	str := func(get func(mcpproxy.Destination) string) func(any) any {
		return of(func(d mcpproxy.Destination) any { return get(d) })
	}
	return newObject(
		"destination",
		field{
			"value",
			text,
			"The address, account, channel or name",
			nil,
			str(func(d mcpproxy.Destination) string { return d.Value }),
		},
		field{
			"host",
			text,
			"The host of a URL or the domain of an e-mail address, in lower case; else empty",
			nil,
			str(host),
		},
		field{
			"kind",
			text,
			"email, url, host, account, channel, name and others",
			nil,
			str(func(d mcpproxy.Destination) string { return d.Kind }),
		},
		field{
			"source",
			text,
			"Who chose it",
			sources,
			str(func(d mcpproxy.Destination) string { return string(d.Source) }),
		},
		field{
			"home",
			yes,
			"Whether it belongs to the user's own organisation",
			nil,
			of(func(d mcpproxy.Destination) any { return d.Home }),
		},
		field{
			"path",
			text,
			"Its JSON path in the arguments",
			nil,
			str(func(d mcpproxy.Destination) string { return d.Path }),
		},
	)
}

// host returns the host that a destination names.
func host(d mcpproxy.Destination) string {
	switch d.Kind {
	case "email":
		return strings.ToLower(d.Value[strings.LastIndex(d.Value, "@")+1:])
	case "host", "url":
		host, _ := locate.Split(d.Value)
		return host
	}
	return ""
}
