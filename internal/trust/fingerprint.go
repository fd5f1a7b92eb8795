package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Fingerprint identifies one form of a definition. Hashes are hex SHA-256 over canonical JSON (RFC
// 8785), so that the order of members, white space and spellings of the same character do not
// matter.
type Fingerprint struct {
	ServerName       string `json:"server_name"`
	ToolName         string `json:"tool_name"` // of a tool or prompt; empty for instructions
	Kind             Kind   `json:"kind"`
	DescriptionHash  string `json:"description_hash"` // of the text, if the definition is instructions
	SchemaHash       string `json:"schema_hash"`      // of inputSchema; of a prompt's arguments
	OutputSchemaHash string `json:"output_schema_hash"`
	AnnotationsHash  string `json:"annotations_hash"`
	TitleHash        string `json:"title_hash"`
	OtherHash        string `json:"other_hash"` // of icons, _meta and every other member
	CombinedHash     string `json:"combined_hash"`
}

// parts returns the members with their own hash, by kind.
func (f *Fingerprint) parts() map[string]*string {
	switch f.Kind {
	case Prompt:
		return map[string]*string{"description": &f.DescriptionHash, "arguments": &f.SchemaHash, "title": &f.TitleHash}
	case Instructions:
		return map[string]*string{"instructions": &f.DescriptionHash}
	case ProgramKind:
		return nil
	}
	return map[string]*string{
		"description":  &f.DescriptionHash,
		"inputSchema":  &f.SchemaHash,
		"outputSchema": &f.OutputSchemaHash,
		"annotations":  &f.AnnotationsHash,
		"title":        &f.TitleHash,
	}
}

// FingerprintOf returns the fingerprint of a definition. A member whose name differs only in case
// from a known one counts as an other member, and so changes the combined hash. An error means that
// the definition is ambiguous and must not be trusted.
func FingerprintOf(d Definition) (Fingerprint, error) {
	f := Fingerprint{ServerName: d.Server, ToolName: d.Name, Kind: d.Kind}
	whole, err := tree(d.Raw)
	if err != nil {
		return f, err
	}
	if f.CombinedHash, err = hash([]any{d.Kind, d.Name, whole}); err != nil {
		return f, err
	}
	for name, to := range f.parts() {
		if *to, err = hash(whole[name]); err != nil { // a missing member hashes as null
			return f, err
		}
		delete(whole, name)
	}
	delete(whole, "name")
	f.OtherHash, err = hash(whole)
	return f, err
}

func hash(v any) (string, error) {
	text, err := encoded(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}

// OfInstructions returns a server's instructions as a definition.
func OfInstructions(server, text string) Definition {
	raw, err := json.Marshal(map[string]string{"instructions": text})
	if err != nil {
		raw = nil // encoding a string cannot fail
	}
	return Definition{Key{server, Instructions, ""}, raw, false}
}
