package flow

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"mcpproxy"
)

// bytes estimates the memory of the directory.
func (d *directory) bytes() int {
	const row = 100
	return row * (len(d.chosen.of) + len(d.met.of) + len(d.dictated.of))
}

// absorb adds the state of another directory.
func (d *directory) absorb(from *directory) {
	for _, k := range from.chosen.order {
		d.chosen.put(k, struct{}{}, maxChosen)
	}
	for _, k := range from.dictated.order {
		d.dictated.put(k, from.dictated.of[k], maxDictated)
	}
	for _, k := range from.met.order {
		if m := from.met.of[k]; m.trust > d.met.of[k].trust {
			d.met.put(k, m, maxMet)
		}
	}
}

// savedDirectory is a directory in a snapshot: rows of a fixed length, the oldest first. Rows refer to origins by
// their index.
type savedDirectory struct {
	Origins  []*mcpproxy.Origin `json:"origins"`
	Chosen   []byte             `json:"chosen"`   // keys
	Met      []byte             `json:"met"`      // keys, origins, trust
	Dictated []byte             `json:"dictated"` // keys, origins
}

// The lengths of rows.
const (
	keyBytes      = len(key{})
	dictatedBytes = keyBytes + 4
	metBytes      = dictatedBytes + 1
)

// save returns a copy of the state, which later changes do not affect.
func (d *directory) save() savedDirectory {
	var out savedDirectory
	numbers := map[*mcpproxy.Origin]uint32{}
	row := func(rows []byte, k key, o *mcpproxy.Origin) []byte {
		if _, ok := numbers[o]; !ok {
			numbers[o] = uint32(len(out.Origins))
			out.Origins = append(out.Origins, o)
		}
		return binary.BigEndian.AppendUint32(append(rows, k[:]...), numbers[o])
	}
	for _, k := range d.chosen.order {
		out.Chosen = append(out.Chosen, k[:]...)
	}
	for _, k := range d.met.order {
		m := d.met.of[k]
		out.Met = append(row(out.Met, k, m.from), byte(m.trust))
	}
	for _, k := range d.dictated.order {
		out.Dictated = row(out.Dictated, k, d.dictated.of[k])
	}
	return out
}

// load restores the rows that save returned.
func (d *directory) load(body []byte) error {
	var in savedDirectory
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	var damaged error
	origin := func(row []byte) *mcpproxy.Origin {
		n := binary.BigEndian.Uint32(row[keyBytes:])
		if int64(n) >= int64(len(in.Origins)) || in.Origins[n] == nil {
			damaged = errors.New("a destination has no origin")
			return &mcpproxy.Origin{}
		}
		return in.Origins[n]
	}
	for ; len(in.Chosen) >= keyBytes; in.Chosen = in.Chosen[keyBytes:] {
		d.chosen.put(key(in.Chosen[:keyBytes]), struct{}{}, maxChosen)
	}
	for ; len(in.Dictated) >= dictatedBytes; in.Dictated = in.Dictated[dictatedBytes:] {
		d.dictated.put(key(in.Dictated[:keyBytes]), origin(in.Dictated), maxDictated)
	}
	for ; len(in.Met) >= metBytes; in.Met = in.Met[metBytes:] {
		m := met{trust(in.Met[dictatedBytes]), origin(in.Met)}
		if m.trust < stranger || m.trust > known {
			damaged = errors.New("a destination has no source")
		}
		d.met.put(key(in.Met[:keyBytes]), m, maxMet)
	}
	return damaged
}
