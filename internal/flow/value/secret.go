package value

// Secret is a value that a detector called a secret or personal data.
type Secret struct {
	Value    string
	Category string
	Part     int // of the document
}
