package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy/internal/policy/replay"
	"mcpproxy/internal/probe"
)

// Prober finds the targets of probes and records their results.
type Prober interface {
	// Target returns a configured server as a target. If through is true, the target is reached
	// through mcpproxy, as agents reach it. The error is [ErrNoServer], or says why the server
	// cannot be reached in this way.
	Target(name string, through bool) (probe.Target, error)
	// Configured reports whether a URL is that of a configured server.
	Configured(url string) bool
	// Recorded writes the result to the activity log and returns the record's id.
	Recorded(r *probe.Results, by string, err error) string
}

// ErrNoServer is returned if no server with that name is configured.
var ErrNoServer = errors.New("there is no such server")

// errKilled is the cause when the kill switch ends a run.
var errKilled = errors.New("the kill switch is on, so probes cannot make calls")

// modeMCP is the only mode in which suites run.
const modeMCP = "mcp"

// ProbeRequest is the request for a probe. Its names are those of the suite's document.
type ProbeRequest struct {
	TargetMode   string   `json:"target_mode,omitempty" doc:"mcp (the default); in other modes the suites are skipped"`
	URL          string   `json:"mcp_server_url,omitempty" doc:"Streamable HTTP or SSE; the owner may name any address but link-local ones and those of cloud metadata"`
	Server       string   `json:"server,omitempty" doc:"Name of a configured server, in the place of a URL"`
	ThroughProxy bool     `json:"through_proxy,omitempty" doc:"Reach the configured server as agents do"`
	Suites       []string `json:"suites,omitempty" doc:"mcp_security (the default), mcp_robustness, all; others are skipped"`
	Tests        []string `json:"tests,omitempty" doc:"Only these tests, such as T1"`
	Provider     string   `json:"provider,omitempty" doc:"Accepted and ignored: no language model takes part"`
	Model        string   `json:"model,omitempty" doc:"Accepted and ignored"`
	TimeoutSecs  int      `json:"timeout_secs,omitempty" minimum:"1" maximum:"1800" doc:"How long the run may take; 300 when absent"`
	Options      struct {
		MCP probe.Options `json:"mcp,omitempty"`
	} `json:"options,omitempty"`
	Thresholds struct {
		MCP probe.Thresholds `json:"mcp,omitempty"`
	} `json:"thresholds,omitempty"`
}

// ProbeReport is the result of a probe, with the id of its record.
type ProbeReport struct {
	probe.Results
	ActivityID string `json:"activity_id,omitempty"`
}

type probeAsked struct{ Body ProbeRequest }

// bare is an answer without envelope, as in the suite's document.
type bare[T any] struct{ Body T }

func (s *server) registerProbe(api huma.API) {
	s.probing = make(chan struct{}, 1)
	post(api, "run-probe", "/api/v1/probe/run", "Tests an MCP server from the outside", s.runProbe)
	huma.Register(api, huma.Operation{
		OperationID: "run-tests",
		Method:      http.MethodPost,
		Path:        "/orchestrator/run_tests",
		Summary:     "The same, answered without an envelope",
		Errors: []int{
			http.StatusBadRequest,
			http.StatusUnauthorized,
			http.StatusForbidden,
			http.StatusNotFound,
			http.StatusBadGateway,
		},
	},
		func(ctx context.Context, in *probeAsked) (*bare[ProbeReport], error) {
			r, err := s.probe(ctx, in.Body)
			if err != nil {
				return nil, err
			}
			return &bare[ProbeReport]{r}, nil
		})
}

func (s *server) runProbe(ctx context.Context, in *probeAsked) (*answer[ProbeReport], error) {
	r, err := s.probe(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	return success(r)
}

// defaultProbeTime is the default timeout of a run.
const defaultProbeTime = 300 * time.Second

// probe runs a probe. It skips suites that are unknown or do not run in the requested mode; the report lists them.
func (s *server) probe(ctx context.Context, in ProbeRequest) (ProbeReport, error) {
	if in.TargetMode == "" {
		in.TargetMode = modeMCP
	}
	suites, skipped := chosenSuites(in)
	if len(skipped) > 0 && len(suites) == 0 && len(in.Tests) == 0 {
		return ProbeReport{Results: probe.Results{Tests: []probe.Result{}, SkippedSuites: skipped}}, nil
	}
	killed := s.Kill.Turned() // read the channel before the state, so that no change is missed
	if s.Kill.State().On {
		return ProbeReport{}, newError(409, errKilled.Error())
	}
	target, err := s.probeTarget(in)
	if err != nil {
		return ProbeReport{}, err
	}
	o := in.Options.MCP
	o.Suites, o.Tests = suites, in.Tests
	if _, err := probe.Choose(o.Tests, o.Suites); err != nil {
		return ProbeReport{}, newError(400, err.Error())
	}
	select {
	case s.probing <- struct{}{}:
		defer func() { <-s.probing }()
	default:
		return ProbeReport{}, newError(409, "a probe is running already: wait until it has ended")
	}
	r, err := runUntil(ctx, killed, in, probe.New(target, o, in.Thresholds.MCP))
	if err != nil {
		s.Probes.Recorded(&probe.Results{Target: target.String()}, who(ctx), err)
		status := 400
		switch {
		case errors.Is(err, errKilled):
			status = http.StatusConflict
		case errors.Is(err, probe.ErrUnreachable):
			status = http.StatusBadGateway
		}
		return ProbeReport{}, newError(status, err.Error())
	}
	r.SkippedSuites = skipped
	return ProbeReport{*r, s.Probes.Recorded(r, who(ctx), nil)}, nil
}

// runUntil runs the probe until its time is over or the kill switch is turned on.
func runUntil(ctx context.Context, killed <-chan struct{}, in ProbeRequest, p *probe.Probe) (*probe.Results, error) {
	limit := defaultProbeTime
	if in.TimeoutSecs > 0 {
		limit = time.Duration(in.TimeoutSecs) * time.Second
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	go func() {
		select {
		case <-killed:
			end(errKilled)
		case <-ctx.Done():
		}
	}()
	r, err := p.Run(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errKilled) {
		return nil, errKilled
	}
	return r, err
}

// chosenSuites returns the requested suites that can run, and the others with the reason why they cannot.
func chosenSuites(in ProbeRequest) (run []string, skipped []probe.SkippedSuite) {
	asked := in.Suites
	if len(asked) == 0 {
		asked = []string{probe.SuiteSecurity}
	}
	for _, suite := range asked {
		switch {
		case in.TargetMode != modeMCP:
			skipped = append(
				skipped,
				probe.SkippedSuite{
					Suite: suite,
					Reason: fmt.Sprintf(
						"the suite runs in target_mode %q only, and this is %q",
						modeMCP,
						in.TargetMode,
					),
				},
			)
		case !slices.Contains(probe.Suites, strings.ToLower(suite)):
			skipped = append(
				skipped,
				probe.SkippedSuite{
					Suite:  suite,
					Reason: "there is no such suite here; there are " + strings.Join(probe.Suites, ", "),
				},
			)
		default:
			run = append(run, suite)
		}
	}
	return run, skipped
}

// probeTarget returns the target of a request. A URL in a request is restricted: the daemon may
// reach addresses that the requester may not, such as a cloud's metadata service. A configured
// server is trusted, because the operator has configured it.
func (s *server) probeTarget(in ProbeRequest) (probe.Target, error) {
	switch {
	case in.Server == "" && in.URL == "":
		return probe.Target{}, newError(
			400,
			"say what to test: mcp_server_url, or server with the name of a configured one",
		)
	case in.Server != "" && in.URL != "":
		return probe.Target{}, newError(400, "give either mcp_server_url or server")
	case in.URL != "" && in.ThroughProxy:
		return probe.Target{}, newError(
			400,
			"through_proxy goes with server: only configured servers are reached through the proxy",
		)
	case in.URL != "":
		t := probe.Target{URL: in.URL, Guarded: !s.Probes.Configured(in.URL)}
		if err := t.Check(); err != nil {
			return t, newError(400, err.Error())
		}
		return t, nil
	}
	t, err := s.Probes.Target(in.Server, in.ThroughProxy)
	switch {
	case errors.Is(err, ErrNoServer):
		return t, newError(404, fmt.Sprintf("there is no server %q", in.Server))
	case err != nil:
		return t, newError(409, err.Error())
	}
	return t, nil
}

// schemaName returns the name of a type in the document. The types of the probe package get a
// prefix, because other packages use the same names.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.PkgPath() == reflect.TypeFor[probe.Results]().PkgPath() {
		return "Probe" + name
	}
	if t == reflect.TypeFor[replay.Change]() {
		return "Simulated" + name
	}
	return name
}
