package shell

import (
	"slices"
	"strings"
)

// anybody stands for whoever connects to a port of this machine.
var anybody = Endpoint{Kind: "listener", Value: "whoever connects to this machine"}

// control is what those have whose code runs here, or who may type commands.
var control = Source{Kind: Output, Name: "sh"}

// nearby reports whether an address to listen on is reached from this machine alone:
// 127.0.0.1, localhost:8080, [::1]:80, or the path of a socket.
func nearby(address string) bool {
	host := authority(address)
	return strings.HasPrefix(address, "/") || host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// listensBy reports whether one of the flags has the program wait for connections.
func (d *doing) listensBy(args []value) bool {
	return slices.ContainsFunc(args, func(a value) bool {
		if d.row.flags[a.text] == listen {
			return true
		}
		if !strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "--") {
			return false
		}
		for _, letter := range a.text[1:] { // -lvp
			if r, ok := d.row.flags["-"+string(letter)]; ok {
				return r == listen
			}
		}
		return false
	})
}

// bound notes an address that the program listens on.
func (d *doing) bound(address string) {
	if nearby(address) {
		d.closed = true
	} else {
		d.listens = true
	}
}

// site notes an address at which the program serves a folder.
func (d *doing) site(address string) {
	if d.bound(address); d.listens {
		d.hand(d.m.open(literal("."), value{}))
	}
}

// listening notes who is addressed by a program that waits for connections.
func (d *doing) listening() {
	if d.listens && !d.closed {
		d.to = append(d.to, anybody)
	}
}

// foreign notes that text which others wrote is run here: who wrote it then controls what
// this machine hands out.
func (m *machine) foreign(code []Source) {
	for _, s := range code {
		if s.Kind != remote {
			continue
		}
		to := Endpoint{Kind: "host", Value: s.Name}
		for e := range m.asked {
			if e.Value == s.Name {
				to = e
			}
		}
		if !to.Configured {
			m.send(Send{By: "sh", To: to, Data: []Source{control}})
		}
	}
}
