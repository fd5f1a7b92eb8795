package worker

// Layer is one of the things that keep a worker in.
type Layer struct {
	Name string `json:"name"`
	Held bool   `json:"held"`
	Why  string `json:"why,omitempty"` // it is not enforced
}

func layer(name string, err error) Layer {
	if err != nil {
		return Layer{Name: name, Why: err.Error()}
	}
	return Layer{Name: name, Held: true}
}
