package risk

import "container/list"

// recent is a bounded map. A new key replaces the least recently used one.
type recent[T any] struct {
	limit int
	items map[string]*list.Element
	order *list.List // of *entry[T], the most recent first
}

type entry[T any] struct {
	key   string
	value T
}

func newRecent[T any](limit int) recent[T] {
	return recent[T]{limit: limit, items: map[string]*list.Element{}, order: list.New()}
}

// get returns the value of key, and creates it if there is none.
func (r *recent[T]) get(key string) *T {
	e, ok := r.items[key]
	if !ok {
		if len(r.items) >= r.limit {
			oldest := r.order.Back()
			delete(r.items, r.order.Remove(oldest).(*entry[T]).key)
		}
		e = r.order.PushFront(&entry[T]{key: key})
		r.items[key] = e
	}
	r.order.MoveToFront(e)
	return &e.Value.(*entry[T]).value
}
