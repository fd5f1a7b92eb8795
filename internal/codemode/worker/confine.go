package worker

// Layer is one part of a worker's sandbox.
type Layer struct {
	Name string `json:"name"`
	Held bool   `json:"held"`
	Why  string `json:"why,omitempty"` // why it is not active
}

func layer(name string, err error) Layer {
	if err != nil {
		return Layer{Name: name, Why: err.Error()}
	}
	return Layer{Name: name, Held: true}
}
