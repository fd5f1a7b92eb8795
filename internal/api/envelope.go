package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/oklog/ulid/v2"
)

// answer is a successful answer in its envelope.
type answer[T any] struct{ Body envelope[T] }

type envelope[T any] struct {
	Success bool `json:"success" doc:"true"`
	Data    T    `json:"data"`
}

func success[T any](data T) (*answer[T], error) {
	return &answer[T]{envelope[T]{true, data}}, nil
}

// failure is a failed answer.
type failure struct {
	Success   bool   `json:"success" doc:"false"`
	Message   string `json:"error" doc:"What is wrong, and what to do"`
	RequestID string `json:"request_id"`
	status    int
}

func (f *failure) Error() string  { return f.Message }
func (f *failure) GetStatus() int { return f.status }

// newError replaces huma's error type. Invalid input gets status 400.
func newError(status int, message string, errs ...error) huma.StatusError {
	if status == http.StatusUnprocessableEntity {
		status = http.StatusBadRequest
	}
	parts := []string{message}
	if err := errors.Join(errs...); err != nil {
		parts = append(parts, err.Error())
	}
	return &failure{Message: strings.Join(parts, ": "), RequestID: ulid.Make().String(), status: status}
}

// fail writes an error outside huma.
func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(newError(status, message))
}
