package comm

import "gobench/comm/coll"

// collectives implements deferred for the non-blocking collective operations of a communicator,
// whose ids are the runner's handles.
type collectives struct{ c *Comm }

// start starts the operation that begin has described, unless err is set.
func (c *Comm) start(err error) (Request, error) {
	if err != nil {
		return Request{}, err
	}
	handle, err := c.runner.Start(&c.call)
	c.forget()
	if err != nil {
		return Request{}, err
	}
	return Request{c: c, more: &c.started, id: uint64(handle)}, nil
}

func (s *collectives) wait(id uint64) (Status, error) {
	return nothing(), s.c.runner.Wait(coll.Handle(id))
}

func (s *collectives) test(id uint64) (Status, bool, error) {
	done, err := s.c.runner.Test(coll.Handle(id))
	return nothing(), done, err
}

func (s *collectives) cancel(uint64) error { return ErrNoCancel }
func (s *collectives) active() bool        { return true }
func (s *collectives) lasts() bool         { return false }
