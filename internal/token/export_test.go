package token

import "time"

// At makes now the time of the store.
func (s *Store) At(now time.Time) { s.now = func() time.Time { return now } }
