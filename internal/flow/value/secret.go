package value

// Secret is a value that a detector found to be a secret or personal data.
type Secret struct {
	Value    string
	Category string
	Part     int // index of the part of the document that contains it
}
