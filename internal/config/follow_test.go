package config

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The test uses a clock of its own, so that it does not depend on the speed of the machine.
func TestAFileIsReadAgainWhenItHasBeenQuiet(t *testing.T) {
	const path = "/etc/c.json"
	write := fsnotify.Event{Name: path, Op: fsnotify.Write}
	for name, c := range map[string]struct {
		does func(events chan<- fsnotify.Event, lost chan<- error, end func())
		want int
	}{
		"many writes are one change": {func(events chan<- fsnotify.Event, _ chan<- error, _ func()) {
			for range 5 {
				events <- write
				time.Sleep(settle - time.Millisecond)
			}
		}, 1},
		"writes with a rest between them are several": {func(events chan<- fsnotify.Event, _ chan<- error, _ func()) {
			for range 3 {
				events <- write
				time.Sleep(settle + time.Millisecond)
			}
		}, 3},
		"a path may be written otherwise": {func(events chan<- fsnotify.Event, _ chan<- error, _ func()) {
			events <- fsnotify.Event{Name: "/etc/./c.json", Op: fsnotify.Create}
		}, 1},
		"what was lost may have been a change": {func(_ chan<- fsnotify.Event, lost chan<- error, _ func()) { lost <- errors.New("overflow") }, 1},
		"another file's change is none": {func(events chan<- fsnotify.Event, _ chan<- error, _ func()) {
			events <- fsnotify.Event{Name: "/etc/other.json", Op: fsnotify.Write}
		}, 0},
		"another mode is none": {func(events chan<- fsnotify.Event, _ chan<- error, _ func()) {
			events <- fsnotify.Event{Name: path, Op: fsnotify.Chmod}
		}, 0},
		"nothing is said after the end": {func(events chan<- fsnotify.Event, _ chan<- error, end func()) {
			events <- write
			end()
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				events, lost := make(chan fsnotify.Event), make(chan error)
				said := 0
				go follow(ctx, path, events, lost, func() { said++ })
				c.does(events, lost, cancel)
				time.Sleep(10 * settle)
				synctest.Wait()
				if said != c.want {
					t.Errorf("said %d times, want %d", said, c.want)
				}
				cancel()
			})
		})
	}
}
