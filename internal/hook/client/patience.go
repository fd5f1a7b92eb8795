package client

import (
	"errors"
	"net"
	"os"
	"time"
)

const (
	// turn is how long the hook waits before it checks again.
	turn = 10 * time.Millisecond
	// longest is the maximum turn while the daemon is working. Many hooks that check often would
	// take processor time from the daemon.
	longest = 16 * turn
	// looks is how often in a row a daemon must be seen idle before the hook gives up. An answer
	// may arrive between two checks.
	looks = 3
)

// patience is a connection with a time limit. The time begins when the connection is made. When it is over, patience
// asks the operating system for the daemon's state. A daemon that runs or waits for a processor gets more time. A
// daemon that is idle or stopped will not answer.
//
// The total wait never exceeds waits, because agents do not wait indefinitely and continue without an answer.
//
// If the system does not report the daemon's state, patience waits in turns. A turn that takes much longer than
// intended does not count, up to the limit Work: a machine that is too busy to wake the hook is too busy for the
// daemon as well.
type patience struct {
	conn         net.Conn
	daemon       daemon
	left, waited time.Duration
	spared       time.Duration // total length of turns that did not count
	grown        time.Duration // next turn while the daemon is working
	idle         int           // consecutive checks that found it idle
}

// dial connects to the socket. It retries only if the socket's queue of connections is full.
func (p *patience) dial(socket string) error {
	for {
		conn, err := net.Dial("unix", socket)
		var full net.Error
		if err == nil || !errors.As(err, &full) || !full.Timeout() {
			p.conn = conn
			return err
		}
		step, start := p.step(), time.Now()
		time.Sleep(step)
		took := time.Since(start)
		if p.waited += took; !p.again(step, took) {
			return err
		}
	}
}

// Write implements io.Writer.
func (p *patience) Write(b []byte) (int, error) {
	done := 0
	for {
		n, err := p.try(p.conn.SetWriteDeadline, p.conn.Write, b[done:])
		if done += n; done == len(b) || err != nil && !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 {
			return done, err
		}
	}
}

// Read implements io.Reader.
func (p *patience) Read(b []byte) (int, error) {
	return p.try(p.conn.SetReadDeadline, p.conn.Read, b)
}

// try reads or writes until at least one byte has moved, or the time is over.
func (p *patience) try(until func(time.Time) error, do func([]byte) (int, error), b []byte) (int, error) {
	for p.waited < waits {
		step, start := p.step(), time.Now()
		if err := until(start.Add(step)); err != nil {
			return 0, err
		}
		n, err := do(b)
		took := time.Since(start)
		p.waited += took
		if n > 0 {
			p.left -= min(took, step)
			return n, err
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || !p.again(step, took) {
			return n, err
		}
	}
	return 0, os.ErrDeadlineExceeded
}

// step returns how long to wait next.
func (p *patience) step() time.Duration {
	switch {
	case p.left > 0 && p.daemon.known():
		return p.left
	case p.left > 0:
		return min(turn, p.left)
	case p.idle > 0:
		return turn / 2
	}
	p.grown = min(max(turn, 2*p.grown), longest)
	return p.grown
}

// again reports whether to continue after a turn without data.
func (p *patience) again(step, took time.Duration) bool {
	if !p.daemon.find() {
		if took > step+step/4 && p.spared < Work {
			p.spared += took
			return true
		}
		p.left -= step
		return p.left > 0
	}
	if p.left -= took; p.left > 0 {
		return true
	}
	p.spared += took
	if p.idle++; p.daemon.working() {
		p.idle = 0
	}
	return p.idle < looks && p.spared < Busy
}

// late returns the error of a hook that got no answer. If the hook waited for the maximum time, the daemon was working
// all the time, and the error is errAtWork.
func (p *patience) late() error {
	if p.waited >= waits || p.spared >= Busy {
		return errAtWork
	}
	return errors.New("mcpproxy took too long: more than " + p.waited.String())
}

// atWork records that the daemon reports that it is working. It gets at least Work more time.
func (p *patience) atWork() { p.left = max(p.left, Work) }
