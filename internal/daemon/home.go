package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/config"
	"mcpproxy/internal/home"
	"mcpproxy/internal/home/gitconfig"
	"mcpproxy/internal/home/store"
	"mcpproxy/internal/locate"
)

// homeManager knows the user's own organisation. It learns what belongs to it, passes it to the
// gate, and records every change.
type homeManager struct {
	store  *store.Store
	record func(t mcpproxy.RecordType, server string, detail map[string]any)
	events *api.Events

	using sync.Mutex // held while apply runs
	apply func(*home.Home)
}

// openHome opens the store of the entries that say what belongs to the user's own organisation (see
// package home). Apply and record are called only after the daemon is wired.
func openHome(
	c *config.Config,
	apply func(*home.Home),
	record func(t mcpproxy.RecordType, server string, detail map[string]any),
	events *api.Events,
) (*homeManager, error) {
	k := &homeManager{apply: apply, record: record, events: events}
	var err error
	k.store, err = store.Open(filepath.Join(c.DataDir, store.File), k.changed)
	return k, err
}

// configure replaces the entries that come from the configuration.
func (k *homeManager) configure(c *config.Config) {
	k.store.Seal(c.Company.Says("security.home"))
	if err := k.store.Configure(configuredHome(c), serverHosts(c)); err != nil {
		slog.Error("the entries of home could not be saved", "error", err)
	}
	k.use()
}

// use passes the current home to the gate.
func (k *homeManager) use() {
	k.using.Lock()
	defer k.using.Unlock()
	k.apply(k.store.Home())
}

// changed applies and records changes of the entries that say what belongs to the user's own organisation.
func (k *homeManager) changed(changes []store.Change) {
	k.use()
	for _, c := range changes {
		detail := map[string]any{
			"home":   c.Event,
			"kind":   c.Entry.Kind,
			"value":  c.Entry.Value,
			"source": c.Entry.Source,
			"counts": c.Entry.Counts(),
		}
		if c.Entry.From != "" {
			detail["from"] = c.Entry.From
		}
		if c.Entry.Doubt != "" {
			detail["doubt"] = c.Entry.Doubt
		}
		if c.Entry.By != "" {
			detail["by"] = c.Entry.By
		}
		k.record(mcpproxy.RecordConfigChange, "", detail)
	}
	k.events.Publish("home.changed", map[string]any{"changes": changes})
}

// configuredHome returns the home entries of a configuration.
func configuredHome(c *config.Config) []home.Entry {
	var entries []home.Entry
	add := func(e home.Entry, err error) {
		if err != nil {
			return // the configuration is valid, but an internal domain may be a public one
		}
		e.Source = home.Configured
		e.State = home.Confirmed
		entries = append(entries, e)
	}
	for _, value := range c.Security.Home {
		add(home.Parse(value))
	}
	for _, domain := range c.Security.Classification.InternalDomains {
		add(home.Make(home.Domain, domain))
	}
	return entries
}

// byName is the uncertainty about the host of a server that is not configured as internal.
const byName = "its server counts as internal by its name alone"

// serverHosts returns the hosts of the configured servers that are internal.
func serverHosts(c *config.Config) []home.Entry {
	classifier := classify.Classifier{
		DefaultUnknown:  c.Security.Classification.DefaultUnknown,
		ServerOverrides: c.Security.Classification.ServerOverrides,
	}
	var hosts []home.Entry
	for _, s := range c.Servers {
		host, _ := locate.Split(s.URL)
		class := classifier.Server(s.Name)
		e, err := home.Make(home.Domain, host)
		if s.URL == "" || err != nil || class.Side != mcpproxy.Internal || locate.Domains(nil).Host(host) {
			continue
		}
		e.Source = home.ServerURL
		e.From = s.Name
		if class.Method != mcpproxy.ByConfig {
			e.Doubt = byName
		}
		hosts = append(hosts, e)
	}
	return hosts
}

// homeWait is the timeout for reading git's settings.
const homeWait = 300 * time.Millisecond

// gitPlaces says where the user's git settings are.
func gitPlaces() gitconfig.Places {
	return gitconfig.Places{Home: homeDir(), XDG: os.Getenv("XDG_CONFIG_HOME")}
}

// userSettings stands for the user's own git settings, in any file.
const userSettings = "the user's settings of git"

// learnUser learns from the user's own git settings.
func (k *homeManager) learnUser(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, homeWait)
	defer cancel()
	found, err := gitconfig.User(ctx, gitPlaces())
	if err != nil {
		slog.Debug("git's settings could not be read", "error", err)
		return
	}
	k.learn(gitEntries(found, userSettings), userSettings)
}

// learnFolder learns from the repository of the folder in which an agent's session begins.
func (k *homeManager) learnFolder(ctx context.Context, dir string) {
	ctx, cancel := context.WithTimeout(ctx, homeWait)
	defer cancel()
	found, err := gitconfig.Folder(ctx, dir, gitPlaces())
	if err != nil {
		slog.Debug("the settings of a repository could not be read", "folder", dir, "error", err)
		return
	}
	places := []string{found.Folder}
	if found.File != "" {
		places = append(places, found.File)
	}
	k.learn(gitEntries(found, found.Folder), places...)
}

// gitEntries returns the home entries in git settings.
func gitEntries(found gitconfig.Settings, from string) []home.Entry {
	doubt := ""
	if found.Writers != nil {
		doubt = "other users of this machine can change " + found.File
	}
	var entries []home.Entry
	add := func(e home.Entry, source home.Source) {
		e.Source = source
		e.From = from
		e.Doubt = doubt
		entries = append(entries, e)
	}
	for _, url := range found.Remotes {
		if e, ok := home.FromRemote(url); ok {
			add(e, home.GitRemote)
		}
	}
	for _, email := range found.Emails {
		for _, e := range home.FromEmail(email) {
			add(e, home.GitUser)
		}
	}
	return entries
}

// learnAccount learns from the answer of a server's tool that identifies the user.
func (k *homeManager) learnAccount(call *mcpproxy.Call, result *mcpproxy.Result) {
	if !home.SaysWho(call.Tool, call.Arguments) {
		return
	}
	entries := home.FromAnswer(result.Raw)
	for i := range entries {
		entries[i].Source = home.OwnAccount
		entries[i].From = call.Name()
	}
	if len(entries) > 0 {
		k.learn(entries, "the account of "+call.Name())
	}
}

// learn adds the home entries from a place.
func (k *homeManager) learn(entries []home.Entry, places ...string) {
	if err := k.store.Learn(entries, places...); err != nil {
		slog.Error("the entries of home could not be saved", "error", err)
	}
}
