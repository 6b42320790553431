package provider

import (
	"context"
	"sync"
)

// turns gives out places under max_concurrency, first come, first served.
type turns struct {
	mutex  sync.Mutex
	places int64
	queue  []chan struct{}
}

// ask joins the queue.
func (t *turns) ask() chan struct{} {
	turn := make(chan struct{})
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.queue = append(t.queue, turn)
	t.serve()
	return turn
}

// serve gives the places that are free to the first in the queue. The caller has the mutex.
func (t *turns) serve() {
	for t.places > 0 && len(t.queue) > 0 {
		close(t.queue[0])
		t.queue = t.queue[1:]
		t.places--
	}
}

// wait waits for a place, which the caller gives back by calling done. If the context ends first, the turn is left in
// the queue: nobody needs a place any more, because all readers share the context.
func (t *turns) wait(ctx context.Context, turn chan struct{}) (done func(), err error) {
	select {
	case <-turn:
		return func() {
			t.mutex.Lock()
			defer t.mutex.Unlock()
			t.places++
			t.serve()
		}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
