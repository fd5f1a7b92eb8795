package mcpproxy_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"mcpproxy"
)

// oldMetadata is the metadata of a record as versions before Facts wrote it, with every member present.
var oldMetadata = `{"kind":"tool","reason":"why","operation":"write",` +
	`"classification":{"classification":"external","confidence":0.9,"method":"heuristic","can_read_data":false,` +
	`"can_exfiltrate":true,"returns_untrusted":true},` +
	`"intent":` + text(mcpproxy.Intent{Operation: mcpproxy.Write, Reason: "r"}) + `,` +
	`"signals":[{"source":"flow","kind":"internal_to_external","category":"data_flow","severity":"medium",` +
	`"confidence":0.9,"evidence":"e","location":"arguments.text"}],` +
	`"flow_edges":[` + text(mcpproxy.Edge{To: "chat", Sensitive: []string{"api_token"}}) + `],"sensitive_data_detection":{"detected":false,"scan_duration_ms":0.5},"detail":{"n":1},` +
	`"approval":"01A","contradictions":[` + text(mcpproxy.ContradictionResult{}) + `],"inspection_ms":1.25,"parent_span_id":"p","server_trace_id":"t",` +
	`"destinations":[{"value":"a@b.cd","kind":"email","source":"user"}],` +
	`"legs":{"private_data":{"call_id":"1","name":"files:read","time":"2026-11-23T10:00:00Z"}},` +
	`"flagged":true,"error_redacted":true,"ruled":{"decision":"ask","rule":"r","also":["x"]}}`

// text returns v as JSON.
func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// The metadata of a record from an earlier version is written again byte for byte.
func TestTheMetadataOfOldRecordsStaysAsItIs(t *testing.T) {
	for _, old := range []string{
		oldMetadata,
		`{}`,
		`{"kind":"tool","classification":{"classification":"","confidence":0,"method":"","can_read_data":false,` +
			`"can_exfiltrate":false,"returns_untrusted":false}}`,
	} {
		var m mcpproxy.Metadata
		if err := json.Unmarshal([]byte(old), &m); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != old {
			t.Errorf("got  %s\nwant %s", got, old)
		}
	}
}

// Every field of Metadata is written. A field that metadataJSON does not have would be lost.
func TestEveryMemberOfMetadataIsWritten(t *testing.T) {
	var m mcpproxy.Metadata
	fill(reflect.ValueOf(&m).Elem())
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var again mcpproxy.Metadata
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(again)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not written", v.Type().Field(i).Name)
		}
	}
	facts := reflect.ValueOf(again.Facts)
	for i := range facts.NumField() {
		if facts.Field(i).IsZero() {
			t.Errorf("the fact %s is not written", facts.Type().Field(i).Name)
		}
	}
}

// fill sets every field of a struct to a value other than its zero value.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Float64:
			f.SetFloat(1)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Map:
			f.Set(reflect.ValueOf(map[string]any{"x": 1}))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			if f.Elem().Kind() == reflect.Struct && f.Type().Elem().NumField() > 0 {
				fill(f.Elem())
			}
		case reflect.Struct:
			if f.CanSet() && f.Type().PkgPath() == "mcpproxy" {
				fill(f)
			}
		}
	}
}
