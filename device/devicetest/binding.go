package devicetest

import (
	"cmp"

	"gobench/device"
)

// bindingRules test device.Binder and device.Confiner. A device that implements neither passes.
func bindingRules() []rule {
	victim := func(run func(r *rank, b device.Binder, victim int)) func(*rank) {
		return func(r *rank) {
			if b, ok := r.Device.(device.Binder); ok {
				run(r, b, r.Size()-1)
			} else if r.Rank() == r.Size()-1 {
				r.die()
			}
		}
	}
	return []rule{
		{name: "death in a bound context", ranks: []int{3, 4}, dies: lastDies, alone: true, run: victim(deathInBoundContext)},
		{name: "death in a bound ring", ranks: []int{3, 5}, dies: lastDies, alone: true, run: victim(deathInBoundRing)},
		{name: "a rank is dead before it is bound", ranks: []int{3}, dies: lastDies, alone: true, run: victim(deathBeforeBinding)},
		{name: "death of a rank outside a context", ranks: []int{3, 4}, dies: lastDies, alone: true, run: victim(deathOutside)},
		{name: "a bound rank closes", ranks: []int{3}, alone: true, run: boundRankCloses},
		{name: "progress while polling shared memory", ranks: []int{2, 3}, alone: true, run: progressWhilePolling},
	}
}

const boundContext = 9

func (r *rank) bind(b device.Binder) {
	all := make([]int, r.Size())
	for i := range all {
		all[i] = i
	}
	r.must(b.Bind(boundContext, all), "bind")
}

// deathInBoundContext starts operations between living ranks that nothing matches, and checks that
// they fail when a rank of the context dies.
func deathInBoundContext(r *rank, b device.Binder, victim int) {
	r.bind(b)
	if r.Rank() == victim {
		r.killVictim(victim)
	}
	peer := 0
	if r.Rank() == 0 {
		peer = 1
	}
	large := make([]byte, 4<<20)
	open := []device.Request{
		r.irecv(make([]byte, 8), peer, 1, boundContext),
		r.irecv(make([]byte, 8), device.AnySource, 1, boundContext),
		r.irecv(make([]byte, 8), r.Rank(), 1, boundContext),
		r.issend(large[:8], peer, 2, boundContext),
		r.issend(large, peer, 2, boundContext),
		r.issend(large[:8], r.Rank(), 2, boundContext),
	}
	elsewhere := r.irecv(make([]byte, 8), (r.Rank()+1)%victim, 1, boundContext+1)
	r.killVictim(victim)
	_, err := r.Recv(make([]byte, 8), peer, 1, boundContext)
	r.lost(err, victim, "Recv from a living rank of the context")
	for i, q := range open {
		st, err := r.Wait(q)
		r.lost(err, victim, "Wait for what a living rank does not match, number "+string(rune('0'+i)))
		if st.Cancelled {
			r.fail("what the death of a rank has ended says that it was cancelled")
		}
	}
	r.refused(victim, peer)
	r.send(large[:8], (r.Rank()+victim-1)%victim, 1, boundContext+1)
	r.wait(elsewhere)
	r.survivors(victim)
	// After Unbind the context can be used again.
	b.Unbind(boundContext)
	r.survivorsIn(victim, boundContext)
}

// refused checks that no operation can be started in the context.
func (r *rank) refused(victim, peer int) {
	b := make([]byte, 8)
	ended := func(q device.Request, err error, what string) {
		if err == nil {
			_, err = r.Wait(q)
		}
		r.lost(err, victim, what)
	}
	q, err := r.Irecv(b, peer, 5, boundContext)
	ended(q, err, "Irecv, later")
	q, err = r.Isend(b, peer, 5, boundContext)
	ended(q, err, "Isend, later")
	q, err = r.Issend(b, peer, 5, boundContext)
	ended(q, err, "Issend, later")
	r.lost(r.Send(b, peer, 5, boundContext), victim, "Send, later")
	r.lost(r.Ssend(b, peer, 5, boundContext), victim, "Ssend, later")
	_, err = r.Recv(b, peer, 5, boundContext)
	r.lost(err, victim, "Recv, later")
	_, err = r.Probe(peer, 5, boundContext)
	r.lost(err, victim, "Probe, later")
	_, _, err = r.Iprobe(peer, 5, boundContext)
	r.lost(err, victim, "Iprobe, later")
}

// deathInBoundRing passes small and large messages around a ring until a rank dies. All ranks must
// get an error, also those that exchange no message with the dead one.
func deathInBoundRing(r *rank, b device.Binder, victim int) {
	r.bind(b)
	r.sync()
	next, before := (r.Rank()+1)%r.Size(), (r.Rank()+r.Size()-1)%r.Size()
	out, in := make([]byte, 1<<20), make([]byte, 1<<20)
	for round := 0; ; round++ {
		if r.Rank() == victim && round == 3 {
			r.dying()
		}
		n := []int{8, 1 << 20}[round%2]
		receive, err := r.Irecv(in[:n], before, 0, boundContext)
		if err == nil {
			err = r.Send(out[:n], next, 0, boundContext)
			_, err2 := r.Wait(receive)
			err = cmp.Or(err, err2)
		}
		if err != nil {
			r.lost(err, victim, "a ring")
			break
		}
	}
	r.refused(victim, next%victim)
	r.survivors(victim)
}

// deathBeforeBinding binds a context to ranks one of which is dead already.
func deathBeforeBinding(r *rank, b device.Binder, victim int) {
	r.killVictim(victim)
	_, err := r.Recv(make([]byte, 8), victim, 0, 0)
	r.lost(err, victim, "Recv")
	r.bind(b)
	r.refused(victim, 0)
	b.Unbind(boundContext)
	r.survivorsIn(victim, boundContext)
}

// deathOutside checks that a rank ends no receive from AnySource in a context in which it does not
// send, and in others those only.
func deathOutside(r *rank, b device.Binder, victim int) {
	survivors := make([]int, victim)
	for i := range survivors {
		survivors[i] = i
	}
	if r.Rank() == victim {
		r.killVictim(victim)
	}
	c, ok := b.(device.Confiner)
	if !ok {
		r.killVictim(victim)
		return
	}
	r.must(b.Bind(boundContext, survivors), "bind")
	r.must(c.Confine(boundContext+1, survivors), "confine")
	r.must(c.Confine(boundContext+2, []int{r.Rank(), victim}), "confine")
	var open []device.Request
	for context := range int32(3) {
		open = append(open, r.irecv(make([]byte, 8), device.AnySource, 1, boundContext+context))
	}
	named := r.irecv(make([]byte, 8), (r.Rank()+1)%victim, 2, boundContext+2)
	r.killVictim(victim)
	_, err := r.Wait(open[2])
	r.lost(err, victim, "Wait for any source, of which one has died")
	before := (r.Rank() + victim - 1) % victim
	r.send(make([]byte, 8), before, 2, boundContext+2)
	r.wait(named)
	for context := boundContext; context < boundContext+2; context++ {
		later := r.irecv(make([]byte, 8), device.AnySource, 2, int32(context))
		r.send(make([]byte, 8), before, 1, int32(context))
		r.send(make([]byte, 8), before, 2, int32(context))
		r.wait(open[context-boundContext])
		r.wait(later)
		b.Unbind(int32(context))
	}
	b.Unbind(boundContext + 2)
	r.survivors(victim)
}

// boundRankCloses checks that a rank that closes its device does not break a context.
func boundRankCloses(r *rank) {
	b, ok := r.Device.(device.Binder)
	if !ok {
		return
	}
	r.bind(b)
	last := r.Size() - 1
	if r.Rank() == last {
		for peer := range last {
			r.send(make([]byte, 8), peer, 0, boundContext)
		}
		return
	}
	in := r.irecv(make([]byte, 8), 1-r.Rank(), 1, boundContext)
	r.recv(make([]byte, 8), last, 0, boundContext)
	_, err := r.Recv(make([]byte, 8), last, 0, boundContext)
	r.lost(err, last, "Recv from a rank that has closed")
	r.send(make([]byte, 8), 1-r.Rank(), 1, boundContext)
	r.wait(in)
	r.survivorsIn(last, boundContext)
}

// A progresser is the part of a device.Sharer that every device over the protocol has.
type progresser interface {
	Progress(w *device.WaitState, context int32, peer int) error
}

// progressWhilePolling checks that Progress progresses messages, and returns an error once the peer
// has left.
func progressWhilePolling(r *rank) {
	v, ok := r.bare.(progresser)
	if !ok {
		return
	}
	large := make([]byte, 8<<20)
	last := r.Size() - 1
	if r.Rank() == last {
		for peer := range last {
			r.recv(large, peer, 0, 0)
		}
		return
	}
	q := r.isend(large, last, 0, 0)
	var w device.WaitState
	var err error
	for err == nil {
		err = v.Progress(&w, boundContext, last)
	}
	r.lost(err, last, "Progress")
	// The peer closes its device once it has the message, so Progress has sent it.
	r.wait(q)
}
