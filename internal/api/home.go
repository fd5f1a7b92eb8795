package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy/internal/home"
	"mcpproxy/internal/home/store"
)

// HomeEntry is a domain, address, repository or account that belongs, or may belong, to the user's
// own organisation.
type HomeEntry struct {
	home.Entry
	Name   string `json:"name" doc:"The entry as people write it, such as github.com/acme or workspace:t0123"`
	Counts bool   `json:"counts" doc:"Whether what it names counts as home"`
}

// HomeChange is the result of a decision about an entry.
type HomeChange struct {
	Event store.Event `json:"event" enum:"added,confirmed,rejected,removed"`
	Entry HomeEntry   `json:"entry" doc:"The entry as it is now, or as it was before it was removed"`
}

// The actions of a [HomeDecision].
const (
	HomeAdd     = "add"
	HomeRemove  = "remove"
	HomeConfirm = "confirm"
	HomeReject  = "reject"
)

// HomeDecision is a decision about an entry.
type HomeDecision struct {
	Action string `json:"action" enum:"add,remove,confirm,reject" doc:"What to do with the entry"`
	Entry  string `json:"entry" doc:"A domain, an address, an owner or a repository, or kind:value" maxLength:"420"`
}

type homeDecision struct{ Body HomeDecision }

func shownHome(e home.Entry) HomeEntry { return HomeEntry{e, e.String(), e.Counts()} }

// registerHome registers the endpoints about the user's own organisation.
func (s *server) registerHome(api huma.API) {
	get(api, "list-home", "/api/v1/home", "What belongs to the user's own organisation, or could", s.listHome)
	huma.Register(api, huma.Operation{
		OperationID: "decide-home",
		Method:      http.MethodPost,
		Path:        "/api/v1/home",
		Summary:     "Decides what belongs to the user's own organisation",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, s.decideHome)
}

func (s *server) listHome(context.Context, *struct{}) (*answer[[]HomeEntry], error) {
	shown := []HomeEntry{}
	for _, e := range s.Home.Home().Entries() {
		shown = append(shown, shownHome(e))
	}
	return success(shown)
}

func (s *server) decideHome(ctx context.Context, in *homeDecision) (*answer[HomeChange], error) {
	entry, err := home.Parse(in.Body.Entry)
	if err != nil {
		return nil, newError(400, err.Error())
	}
	decide := map[string]func(home.Entry, string) (store.Change, error){
		HomeAdd:     s.Home.Add,
		HomeRemove:  s.Home.Remove,
		HomeConfirm: s.Home.Confirm,
		HomeReject:  s.Home.Reject,
	}[in.Body.Action]
	change, err := decide(entry, who(ctx))
	switch {
	case errors.Is(err, store.ErrUnknown):
		return nil, newError(404, err.Error())
	case errors.Is(err, store.ErrConfigured), errors.Is(err, store.ErrFull):
		return nil, newError(409, err.Error())
	case err != nil:
		return nil, newError(500, err.Error())
	}
	return success(HomeChange{change.Event, shownHome(change.Entry)})
}
