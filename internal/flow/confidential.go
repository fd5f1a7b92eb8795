package flow

import (
	"slices"
	"strings"

	"mcpproxy/internal/text"
)

// A document that calls itself confidential may go only to people whom the user has named. The words count in the
// first line of the document, in the name of its file, and in a field for its classification. In running text and at
// the end of a mail they say nothing about the document.

const (
	maxHeading    = 100 // bytes of a heading
	maxMarkedPart = 16  // parts of a result that are read for a heading
)

// confidentialWords mark a document as confidential, in lower case.
var confidentialWords = []string{
	"confidential", "privileged", "internal only", "internal use only", "for internal use", "not for distribution", "do not distribute",
	"do not share", "strictly internal", "embargoed", "vertraulich", "nur für den internen gebrauch", "nur intern", "confidentiel",
	"secret professionnel", "note interne", "usage interne", "ne pas diffuser", "confidencial", "uso interno", "riservato", "riservata",
	"confidenziale", "vertrouwelijk", "intern gebruik", "poufne", "do użytku wewnętrznego", "důvěrné", "důvěrný", "bizalmas", "gizli",
	"hizmete özel", "konfidentiell", "fortrolig", "luottamuksellinen", "конфиденциально", "для служебного пользования", "机密", "内部资料",
	"社外秘", "機密", "대외비", "εμπιστευτικό",
}

// classificationNames are the members of a record that hold its classification or its name.
var classificationNames = strings.Fields(`classification sensitivity sensitivity_label label marking confidentiality title name subject
	filename file_name heading`)

// confidential reports whether a result calls itself confidential, or whether the call names a file that does.
func confidential(p Transfer) bool {
	for i, part := range p.Doc.Parts {
		if part.Kind == text.Key || part.Opened() || part.Text == "" {
			continue
		}
		if i >= maxMarkedPart {
			break
		}
		heading, _, several := strings.Cut(part.Text, "\n")
		labels := several || slices.Contains(classificationNames, snake(p.Doc.Field(part)))
		if labels && len(heading) <= maxHeading && marks(heading) {
			return true
		}
	}
	if p.Arguments == nil {
		return false
	}
	for part, name := range thingsIn(p.Arguments) {
		value := p.Arguments.Parts[part].Text
		if isThing(name) && len(value) <= maxMadeName && marks(spaced.Replace(baseName(value))) {
			return true
		}
	}
	return false
}

// spaced separates the words in the name of a file.
var spaced = strings.NewReplacer("_", " ", "-", " ", ".", " ")

// marks reports whether a heading contains one of confidentialWords. "Non-confidential" and "not confidential" say the
// opposite.
func marks(heading string) bool {
	heading = strings.ToLower(heading)
	for _, w := range confidentialWords {
		i := strings.Index(heading, w)
		if i < 0 {
			continue
		}
		before := strings.TrimRight(heading[:i], " -")
		return !strings.HasSuffix(before, "non") && !strings.HasSuffix(before, "not")
	}
	return false
}
