package detect_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

func TestADefinitionIsSearchedForSecretsOnly(t *testing.T) {
	d := detect.New(detect.Rules())
	token := "ghp_" + "8Kd93jfLs02mZqPx71VbTnWc4YhUe5RgAo6i"
	doc, err := text.Parse(
		[]byte(
			`{"description":"Write to jane.doe@corp-mail.example or call +49 30 901820. `+token+`","x":"`+token+`"}`,
		),
		"",
	)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := d.Find(doc); err != nil || len(all) < 3 {
		t.Fatalf("nothing personal is found there: %v, %v", all, err)
	}
	got, err := d.Secrets(doc)
	if err != nil || len(got) != 1 || got[0].Category != "api_token" || strings.Contains(got[0].Evidence, token) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTheSecretsOfADefinitionAreBounded(t *testing.T) {
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, "EMP-%06d ", i)
	}
	doc, err := text.Parse(text.Quote(many.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := detect.New([]detect.Rule{detect.Custom("employee", `EMP-\d{6}`, "high")}).Secrets(doc)
	if err != nil || len(got) != 100 {
		t.Errorf("%d, %v", len(got), err)
	}
}
