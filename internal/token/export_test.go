package token

import "time"

// At sets the store's clock to now, where it stays.
func (s *Store) At(now time.Time) { s.now = func() time.Time { return now } }
