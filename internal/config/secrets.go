package config

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// Secrets is the section secrets: how commands of ${cmd:…} references are run.
type Secrets struct {
	CommandTimeoutSecs int `json:"command_timeout_secs" jsonschema:"Seconds that the command of a ${cmd:…} reference may take"`
	CommandCacheSecs   int `json:"command_cache_secs" jsonschema:"Seconds for which what such a command printed is kept in memory, so that a changed file does not run it again; 0 keeps nothing"`
}

func defaultSecrets() Secrets { return Secrets{CommandTimeoutSecs: 10, CommandCacheSecs: 300} }

func (s Secrets) timeout() time.Duration { return time.Duration(s.CommandTimeoutSecs) * time.Second }

func (s Secrets) cache() time.Duration { return time.Duration(s.CommandCacheSecs) * time.Second }

func (s Secrets) check() error {
	switch {
	case s.CommandTimeoutSecs < 1 || s.CommandTimeoutSecs > 25:
		// Reading the whole configuration has a limit of 30 seconds.
		return bad("secrets.command_timeout_secs", "%d is out of range; use a number from 1 to 25", s.CommandTimeoutSecs)
	case s.CommandCacheSecs > 86400:
		return bad("secrets.command_cache_secs", "%d is more than a day (86400)", s.CommandCacheSecs)
	}
	return atLeast("secrets.command_cache_secs", s.CommandCacheSecs, 0)
}

// secretsIn reads the section secrets before the rest, because references depend on it. If the file
// is invalid, it returns the default; reading the whole file reports the error.
func secretsIn(raw []byte) Secrets {
	var file struct {
		Secrets Secrets `json:"secrets"`
	}
	file.Secrets = defaultSecrets()
	standard, err := hujson.Standardize(bytes.Clone(whole(raw)))
	if err != nil || json.Unmarshal(standard, &file) != nil || file.Secrets.check() != nil {
		return defaultSecrets()
	}
	return file.Secrets
}
