package rules

import (
	"strings"
	"time"

	"github.com/google/cel-go/cel"

	"mcpproxy"
)

// Variable describes a variable of the rules, or a field of one, for the documentation.
type Variable struct {
	Name   string // such as call.server
	Type   string // the type in CEL
	Doc    string
	Values []string // all possible values; nil if they are not known
}

// field is a field of an object of the rules.
type field struct {
	name   string
	typ    *cel.Type
	doc    string
	values []string
	get    func(of any) any
}

// object is a type of the rules.
type object struct {
	name   string
	typ    *cel.Type
	fields []field
	byName map[string]*field
}

// variable is a name that rules can use.
type variable struct {
	name string
	typ  *object
	list bool
	doc  string
	get  func(*view) any
}

// of converts a getter for one type to a getter for any.
func of[T any](get func(T) any) func(any) any {
	return func(v any) any {
		t, ok := v.(T)
		if !ok {
			return nil
		}
		return get(t)
	}
}

func newObject(name string, fields ...field) *object {
	o := &object{
		name:   name,
		typ:    cel.ObjectType(name),
		fields: fields,
		byName: map[string]*field{},
	}
	for i := range o.fields {
		o.byName[o.fields[i].name] = &o.fields[i]
	}
	return o
}

func names[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// arrow returns a flow type in a form that can be typed on a keyboard.
func arrow(f mcpproxy.FlowType) string { return strings.ReplaceAll(string(f), "→", "->") }

var (
	text    = cel.StringType
	yes     = cel.BoolType
	weekday = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	sources = names(
		mcpproxy.FromUser,
		mcpproxy.FromInternal,
		mcpproxy.FromNowhere,
		mcpproxy.FromUntrusted,
		mcpproxy.FromInjected,
	)
)

// variables returns all variables. They are created when rules are compiled, not when the program starts.
func variables() []variable {
	intent := newObject(
		"intent",
		field{
			"operation",
			text,
			"The operation that the agent declared by the call_tool variant that it used; empty if it declared none",
			nil,
			of(func(i mcpproxy.Intent) any { return string(i.Operation) }),
		},
		field{
			"data_sensitivity",
			text,
			"How sensitive the agent says the data is",
			nil,
			of(func(i mcpproxy.Intent) any { return i.DataSensitivity }),
		},
		field{"reason", text, "Why the agent makes the call", nil, of(func(i mcpproxy.Intent) any { return i.Reason })},
		field{
			"justification",
			text,
			"Why the agent says the data may move",
			nil,
			of(func(i mcpproxy.Intent) any { return i.Justification }),
		},
		field{
			"destination_type",
			text,
			"Where the agent says the data goes",
			nil,
			of(func(i mcpproxy.Intent) any { return i.DestinationType }),
		},
	)
	return []variable{
		{"call", callObject(intent, dictationObject()), false, "The call", func(v *view) any { return v }},
		{"agent", agentObject(), false, "Who makes it", func(v *view) any { return v }},
		{
			"session",
			sessionObject(),
			false,
			"What its session had read and sent before",
			func(v *view) any { return v.facts.Legs },
		},
		{
			"edges",
			edgeObject(),
			true,
			"Movements of data into the call",
			func(v *view) any { return list(v.facts.Edges) },
		},
		{
			"signals",
			signalObject(),
			true,
			"The signals about the call; suppressed ones are left out",
			func(v *view) any { return list(v.signals()) },
		},
		{
			"destinations",
			destinationObject(),
			true,
			"Where the call sends something",
			func(v *view) any { return list(v.facts.Destinations) },
		},
		{"risk", riskObject(), false, "The risk that results from the signals", func(v *view) any { return v }},
		{
			"time",
			timeObject(),
			false,
			"When the call was made",
			func(v *view) any { return v.facts.Call.Received.UTC() },
		},
	}
}

func agentObject() *object {
	return newObject(
		"agent",
		field{
			"name",
			text,
			"What the client calls itself, which anybody can claim",
			nil,
			of(func(v *view) any { return v.facts.Call.Client }),
		},
		field{
			"session",
			text,
			"Its protocol session; empty when there is none",
			nil,
			of(func(v *view) any { return v.facts.Call.Session }),
		},
		field{
			"coverage",
			text,
			"How much of the agent's work mcpproxy sees",
			names(mcpproxy.CoverageProxyOnly, mcpproxy.CoverageFull),
			of(func(v *view) any { return string(v.facts.Coverage) }),
		},
	)
}

func sessionObject() *object {
	leg := func(name, doc string, get func(mcpproxy.Legs) *mcpproxy.Leg) field {
		return field{name, yes, doc, nil, of(func(l mcpproxy.Legs) any { return get(l) != nil })}
	}
	return newObject(
		"session",
		leg("private_data", "Private data was read", func(l mcpproxy.Legs) *mcpproxy.Leg { return l.Private }),
		leg(
			"sensitive_data",
			"The private data included secrets or sensitive personal data",
			func(l mcpproxy.Legs) *mcpproxy.Leg { return l.Sensitive },
		),
		leg(
			"untrusted_content",
			"Text that outsiders may have written was read",
			func(l mcpproxy.Legs) *mcpproxy.Leg { return l.Untrusted },
		),
		leg(
			"injected_instruction",
			"That text contained an instruction to the agent",
			func(l mcpproxy.Legs) *mcpproxy.Leg { return l.Injected },
		),
		leg("external_send", "Something was sent out", func(l mcpproxy.Legs) *mcpproxy.Leg { return l.Sent }),
	)
}

func signalObject() *object {
	str := func(get func(mcpproxy.Signal) string) func(any) any {
		return of(func(s mcpproxy.Signal) any { return get(s) })
	}
	return newObject(
		"signal",
		field{
			"source",
			text,
			"The kind of detector that reported it",
			names(
				mcpproxy.SourceFlow,
				mcpproxy.SourcePII,
				mcpproxy.SourceStatic,
				mcpproxy.SourceBehavioral,
				mcpproxy.SourceAgentHint,
			),
			str(func(s mcpproxy.Signal) string { return string(s.Source) }),
		},
		field{
			"kind",
			text,
			"What was found, such as email or aws_access_key",
			nil,
			str(func(s mcpproxy.Signal) string { return s.Kind }),
		},
		field{
			"category",
			text,
			"Its family, such as contact or api_token",
			nil,
			str(func(s mcpproxy.Signal) string { return s.Category }),
		},
		field{
			"severity",
			text,
			"How serious it is, if it is right",
			names(mcpproxy.Severities...),
			str(func(s mcpproxy.Signal) string { return string(s.Severity) }),
		},
		field{
			"confidence",
			cel.DoubleType,
			"How sure it is, from 0.0 to 1.0",
			nil,
			of(func(s mcpproxy.Signal) any { return s.Confidence }),
		},
		field{
			"path",
			text,
			"Its JSON path in the call",
			nil,
			str(func(s mcpproxy.Signal) string { return s.Path }),
		},
	)
}

func riskObject() *object {
	return newObject(
		"risk",
		field{
			"score",
			cel.IntType,
			"The risk score, from 0 to 100",
			nil,
			of(func(v *view) any { return v.facts.RiskScore }),
		},
		field{
			"level",
			text,
			"Its level",
			names(mcpproxy.RiskLevels...),
			of(func(v *view) any { return string(v.facts.RiskLevel) }),
		},
	)
}

func timeObject() *object {
	return newObject(
		"time",
		field{
			"timestamp",
			cel.TimestampType,
			"The moment; time.timestamp.getHours(\"Europe/Berlin\") is the hour there",
			nil,
			of(func(t time.Time) any { return t }),
		},
		field{
			"hour",
			cel.IntType,
			"The hour of the day in UTC, from 0 to 23",
			nil,
			of(func(t time.Time) any { return t.Hour() }),
		},
		field{
			"weekday",
			text,
			"The day of the week in UTC",
			weekday,
			of(func(t time.Time) any { return weekday[t.Weekday()] }),
		},
	)
}

// Variables returns what rules can use, for the documentation.
func Variables() []Variable {
	var out []Variable
	for _, v := range variables() {
		prefix, kind := v.name+".", "object"
		if v.list {
			prefix, kind = v.name+"[].", "list"
		}
		out = append(out, Variable{Name: v.name, Type: kind, Doc: v.doc})
		for _, f := range v.typ.fields {
			out = append(out, Variable{prefix + f.name, f.typ.String(), f.doc, f.values})
			inner, ok := f.get(emptyView()).(value)
			if !ok {
				continue
			}
			for _, g := range inner.of.fields {
				out = append(out, Variable{prefix + f.name + "." + g.name, g.typ.String(), g.doc, g.values})
			}
		}
	}
	return out
}
