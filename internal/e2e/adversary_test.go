package e2e

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/adversary"
	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
)

// part is an attack or its benign variant, played by one server of a daemon.
type part struct {
	attack   *adversary.Attack
	benign   bool
	server   string // name of the server in the configuration
	observed []adversary.Notice
	shown    string // what was noticed, for the table
}

func (p *part) act() *adversary.Act {
	if p.benign {
		return &p.attack.Benign
	}
	return &p.attack.Harm
}

// path returns the path at which the adversary serves it.
func (p *part) path() string {
	if p.benign {
		return "/benign/" + p.attack.Name
	}
	return "/" + p.attack.Name
}

// stage is one daemon with the servers of several parts.
type stage struct {
	*daemon
	parts []*part
	peers map[string]*part // by the name of the peer
}

// maxAlike is the number of attacks of the matrix that are played on tools with different names. After that, the names
// are used again.
const maxAlike = 48

// TestTheAdversaryIsNoticed plays the whole catalogue against mcpproxy. Every attack must be noticed by the expected
// parts, and no benign variant may be disturbed. The results must agree with the table in docs/adversary.md; -update
// writes it.
func TestTheAdversaryIsNoticed(t *testing.T) {
	web := httptest.NewServer(adversary.Handler(adversary.Catalogue()))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	stages := map[string][]*part{}
	var harms []*part
	played := 0
	for i, a := range adversary.Catalogue() {
		harm := &part{attack: &adversary.Catalogue()[i], server: fmt.Sprintf("s%d", i)}
		variant := &part{attack: harm.attack, benign: true, server: harm.server}
		where, variants := "scenes", "scenes, variants"
		switch a.Category {
		case "poisoning":
			if played < 3*maxAlike {
				where = fmt.Sprint("poisoning ", played/maxAlike)
				variants = where + ", variants"
			}
			played++
		case "injection":
			where, variants = "poisoning 0", "poisoning 0, variants"
		case "hostile":
			where = "hostile"
		}
		harms = append(harms, harm)
		stages[where] = append(stages[where], harm)
		stages[variants] = append(stages[variants], variant)
	}
	t.Run("stage", func(t *testing.T) {
		for name, parts := range stages {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, web.URL, parts)
				for _, p := range parts {
					s.play(t, p)
				}
				s.expectAlive(t)
			})
		}
	})
	if !t.Failed() {
		checkTable(t, harms)
	}
}

// newStage starts a daemon with the servers of all parts and waits for them.
func newStage(t *testing.T, web string, parts []*part) *stage {
	t.Helper()
	s := &stage{parts: parts, peers: map[string]*part{}}
	sides := object{}
	servers := []object{ownServer("calm", "calm")}
	for _, p := range parts {
		servers = append(servers, object{"name": p.server, "url": web + p.path(), "timeout_secs": 10})
		if side := p.act().Side; side != "" {
			sides[p.server] = side
		}
		peer := p.act().PeerName
		if peer == "" || s.peers[peer] != nil {
			continue
		}
		s.peers[peer] = p
		servers = append(servers, object{"name": peer, "url": web + "/peer/" + p.attack.Name})
		if side := p.act().Peer.Side; side != "" {
			sides[peer] = side
		}
	}
	s.daemon = prepare(t, object{"mcpServers": servers, "security": object{
		"classification":  object{"server_overrides": sides},
		"content_scan":    object{"results": "withhold"},
		"tool_policy":     object{"destructive": "allow"}, // so that the findings decide, and not the novelty of the tools
		"tool_quarantine": object{"auto_quarantine_new_tools": false},
	}})
	s.program = bin.plain // the detection does not depend on the race detector, under which hundreds of servers would take too long
	s.run()
	s.waitTools("calm")
	s.waitAll()
	return s
}

// waitAll waits until the tools of every server have been read.
func (s *stage) waitAll() {
	s.t.Helper()
	eventually.Succeeds(s.t, "all servers are ready", func() error {
		var servers []struct {
			Name, State, Error string
		}
		if err := s.api("/servers", &servers); err != nil {
			return err
		}
		for _, server := range servers {
			if server.State != "ready" && server.Error == "" {
				return fmt.Errorf("server %s is %s", server.Name, server.State)
			}
		}
		return nil
	})
	for _, p := range s.parts {
		if !p.benign &&
			slices.Contains(p.attack.Expected, adversary.Notice{Who: adversary.Gateway, What: "not listed"}) {
			continue
		}
		eventually.Succeeds(s.t, "the definitions of "+p.attack.Name+" are read", func() error {
			all, err := s.standings(p)
			if err == nil && len(all) < declares(p.act()) {
				err = fmt.Errorf("only %d are", len(all))
			}
			return err
		})
	}
}

// play makes the calls of a deceived agent, and records which parts notice the attack.
func (s *stage) play(t *testing.T, p *part) {
	t.Helper()
	act := p.act()
	if act.Plan != nil {
		s.pull(t, p)
	}
	agent := open(t, s.url("/mcp"), stateful)
	peer := ""
	for _, step := range act.Steps() {
		got := s.take(t, agent, p, step.Fill(peer))
		if step.Peer {
			if got.notice.Who != "" {
				t.Fatalf("%s: the peer's answer is %s", p.attack.Name, got.body)
			}
			peer = got.text
			continue
		}
		if got.notice.Who != "" {
			p.observed = append(p.observed, got.notice)
		}
		if p.benign {
			expectUndisturbed(t, p, step, got)
		}
	}
	s.definitions(t, p)
	if p.benign {
		s.expectDeclared(t, p)
		return
	}
	s.expectHidden(t, p)
	s.judge(t, p)
}

// onRecord adds the calls that were let through but noticed: a person would have been asked about them, if one had
// been available.
func (s *stage) onRecord(p *part) {
	var page struct {
		Records []struct{ Decision, Rule string } `json:"activities"`
	}
	own := 0
	for _, step := range p.act().Steps() {
		if !step.Peer {
			own++
		}
	}
	eventually.Within(5*time.Second, func() bool {
		if err := s.api("/activity?limit=100&type=tool_call,policy_decision&server="+p.server, &page); err != nil {
			s.t.Fatal(err)
		}
		for _, r := range page.Records {
			if r.Decision != "allow" && r.Rule != "" {
				p.observed = append(p.observed, adversary.Notice{Who: adversary.Gate, What: r.Rule})
			}
		}
		return len(page.Records) >= own
	})
}

// gaps lists the attacks that an expected part does not notice, with the reason. An attack that is noticed must not be
// in the list.
var gaps = map[string]string{}

// judge compares the observations with the expectations.
func (s *stage) judge(t *testing.T, p *part) {
	t.Helper()
	var shown []string
	for _, want := range p.attack.Expected {
		got, ok := noticed(p.observed, want)
		if !ok && want.Who == adversary.Gate {
			s.onRecord(p)
			got, ok = noticed(p.observed, want)
		}
		why, known := gaps[p.attack.Name+" "+string(want.Who)]
		switch {
		case ok && known:
			t.Errorf("%s is noticed by %s: take it from the list of gaps", p.attack.Name, want.Who)
		case !ok && known:
			got += " (" + why + ")"
		case !ok:
			t.Errorf("%s (%s): expected %s, observed %v", p.attack.Name, p.server, want, p.observed)
		}
		shown = append(shown, got)
	}
	p.shown = strings.Join(shown, ", ")
}

// noticed searches an expected notice among the observations.
func noticed(observed []adversary.Notice, want adversary.Notice) (string, bool) {
	if want.What == "" { // the call must succeed as usual
		stops := func(n adversary.Notice) bool { return n.Who != adversary.Trust && n.Who != adversary.Scanner }
		return "all goes on", !slices.ContainsFunc(observed, stops)
	}
	for _, got := range observed {
		if got.Who != want.Who {
			continue
		}
		for what := range strings.SplitSeq(want.What, "|") {
			if strings.Contains(got.What, what) {
				return string(got.Who) + ": " + what, true
			}
		}
	}
	return "nothing", false
}

// expectAlive checks that the daemon still serves the other servers.
func (s *stage) expectAlive(t *testing.T) {
	t.Helper()
	started := time.Now()
	if err := errors.Join(expectNoPanic(s.log.String())); err != nil {
		t.Error(err)
	}
	expectDone(t, open(t, s.url("/mcp/s/calm"), stateful))
	t.Logf("%d parts; a calm neighbour answered in %s", len(s.parts), time.Since(started))
}

func expectNoPanic(log string) error {
	if strings.Contains(log, "could not be served") {
		return fmt.Errorf("a request could not be served:\n%s", rig.Around(log, "could not be served"))
	}
	return nil
}
