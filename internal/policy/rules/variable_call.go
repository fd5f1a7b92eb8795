package rules

import (
	"slices"

	"github.com/google/cel-go/cel"

	"mcpproxy"
)

// callObject returns the type of the variable call.
func callObject(intent, dictation *object) *object {
	return newObject("call", slices.Concat(callNames(), callFacts(), callContent(intent, dictation))...)
}

// fromView returns a getter for a text of the view.
func fromView(get func(*view) string) func(any) any {
	return of(func(v *view) any { return get(v) })
}

// callNames returns the fields that say which tool is called and for what operation.
func callNames() []field {
	return []field{
		{"name", text, "server:tool, or the name of an agent's own tool", nil, fromView((*view).name)},
		{
			"server",
			text,
			"Its server; empty for an agent's own tool",
			nil,
			fromView(func(v *view) string { return v.facts.Call.Server }),
		},
		{
			"tool",
			text,
			"The tool, or the address of a resource",
			nil,
			fromView(func(v *view) string { return v.facts.Call.Tool }),
		},
		{
			"operation",
			text,
			"What it does",
			names(mcpproxy.Read, mcpproxy.Write, mcpproxy.Destructive, mcpproxy.UnknownOperation),
			fromView(func(v *view) string { return string(v.facts.Operation) }),
		},
	}
}

// callFacts returns the fields that say what the call does and whom it affects.
func callFacts() []field {
	return []field{
		{
			"effect",
			text,
			"What the call does, in the terms of a user's request",
			names(mcpproxy.Effects()...),
			fromView(func(v *view) string { return string(v.facts.Effect) }),
		},
		{
			"wish",
			text,
			"Whether the user's words ask for that",
			names(
				mcpproxy.WishYes,
				mcpproxy.WishGeneral,
				mcpproxy.WishNo,
				mcpproxy.WishUnknown,
				mcpproxy.WishUnheard,
			),
			fromView(func(v *view) string { return string(v.facts.Wish) }),
		},
		{
			"audience",
			text,
			"Who can read what it writes",
			names(
				mcpproxy.AudienceSelf,
				mcpproxy.AudienceHome,
				mcpproxy.AudienceNamed,
				mcpproxy.AudiencePublic,
				mcpproxy.AudienceUnknown,
			),
			fromView(func(v *view) string { return string(v.facts.Audience) }),
		},
		{
			"secret_audience",
			text,
			"The least trusted audience of the secrets that it carries; empty if it carries none",
			names(mcpproxy.SecretAudiences()...),
			fromView(func(v *view) string { return string(v.facts.SecretAudience()) }),
		},
		{
			"side",
			text,
			"The side of the tool",
			names(mcpproxy.Internal, mcpproxy.External, mcpproxy.Hybrid, mcpproxy.Unknown),
			fromView(func(v *view) string { return string(v.facts.Class().Side) }),
		},
		{
			"sends",
			yes,
			"Whether it sends something outside",
			nil,
			of(func(v *view) any { return v.facts.Class().Sends(v.facts.Operation) }),
		},
	}
}

// callContent returns the fields that say how the call arrived and what it carries.
func callContent(intent, dictation *object) []field {
	return []field{
		{
			"channel",
			text,
			"How it came",
			names(mcpproxy.ChannelMCP, mcpproxy.ChannelHook, mcpproxy.ChannelCode),
			fromView(func(v *view) string { return string(v.facts.Call.Channel) }),
		},
		{
			"kind",
			text,
			"What it asks for",
			names(
				mcpproxy.KindTool,
				mcpproxy.KindResource,
				mcpproxy.KindPrompt,
				mcpproxy.KindCompletion,
				mcpproxy.KindAnswer,
				mcpproxy.KindMethod,
			),
			fromView(func(v *view) string { return string(v.facts.Call.Kind) }),
		},
		{
			"args",
			cel.DynType,
			"Its arguments, parsed; has(call.args.x) says whether x is there",
			nil,
			of(func(v *view) any { return v.arguments() }),
		},
		{
			"principal",
			text,
			"Who is calling: local, or the name of an agent token",
			nil,
			fromView(func(v *view) string { return v.facts.Call.Principal }),
		},
		{
			"intent",
			intent.typ,
			"What the agent says about it",
			nil,
			of(func(v *view) any { return value{intent, v.facts.Call.Intent} }),
		},
		{
			"dictation",
			dictation.typ,
			"The result from which it was copied",
			nil,
			of(func(v *view) any { return value{dictation, v.dictation()} }),
		},
	}
}
