package config_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

func TestSharedStateWantsAllThatReplicasNeed(t *testing.T) {
	key := strings.Repeat("k", 32)
	for name, c := range map[string]struct{ file, fault string }{
		"the default": {`{}`, ""},
		"all that is needed": {
			fmt.Sprintf(`{"state": {"store": "valkey://h:6379/0", "key": %q, "advertise": "http://10.0.0.5:8080"}}`, key), "",
		},
		"no key": {`{"state": {"store": "valkey://h", "advertise": "http://10.0.0.5:8080"}}`, "state.store"},
		"no address": {
			fmt.Sprintf(`{"state": {"store": "valkey://h", "key": %q}}`, key), "state.advertise",
		},
		"an address without a scheme": {
			fmt.Sprintf(`{"state": {"store": "valkey://h", "key": %q, "advertise": "10.0.0.5:8080"}}`, key), "state.advertise",
		},
		"another kind of store": {
			fmt.Sprintf(`{"state": {"store": "etcd://h", "key": %q, "advertise": "http://10.0.0.5:8080"}}`, key), "state.store",
		},
		"an unknown word for outages": {`{"state": {"on_outage": "allow"}}`, "state.on_outage"},
	} {
		_, err := config.Parse("f.json", []byte(c.file), nil)
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want an error about %s", name, err, c.fault)
		case err != nil && strings.Contains(err.Error(), key):
			t.Errorf("%s: the error holds the key: %v", name, err)
		}
	}
}

func TestTheKeyAndThePasswordOfTheStoreAreMasked(t *testing.T) {
	c := config.Default()
	c.State.Store = "valkey://user:hunter2pass@host:6379/0"
	c.State.Key = "the key of the group"
	c.Mask()
	if strings.Contains(c.State.Store, "hunter2pass") || strings.Contains(c.State.Key, "group") {
		t.Errorf("shown as %+v", c.State)
	}
}
