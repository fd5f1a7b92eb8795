package ledger

import (
	"crypto/ed25519"
	"time"
)

// Machine is a machine that sends its records.
type Machine struct {
	ID       string            `json:"id"` // short name of its key
	Key      ed25519.PublicKey `json:"-"`
	Name     string            `json:"name"`    // as it says itself
	Version  string            `json:"version"` // of its mcpproxy
	Enrolled time.Time         `json:"enrolled"`
	Seen     time.Time         `json:"seen"` // when its last request came
	Revoked  *time.Time        `json:"revoked,omitempty"`
	Records  int64             `json:"records"`       // number of its last record
	Last     time.Time         `json:"last,omitzero"` // time of its newest record
}

// Sighting is a tool and where it was used.
type Sighting struct {
	Server    string    `json:"server"`
	Tool      string    `json:"tool"`
	NewServer bool      `json:"new_server"` // the server is as new as the tool
	First     time.Time `json:"first"`
	Calls     int64     `json:"calls"`
	Machines  int64     `json:"machines"`
	By        string    `json:"by"` // name of the machine that used it first
}

// Approvals counts the answers of people to questions about one tool.
type Approvals struct {
	Server   string    `json:"server"`
	Tool     string    `json:"tool"`
	Rule     string    `json:"rule"`
	Approved int64     `json:"approved"`
	Machines int64     `json:"machines"`
	Last     time.Time `json:"last"`
}
