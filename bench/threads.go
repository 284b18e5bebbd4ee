package bench

import (
	"cmp"
	"errors"

	"gobench/bench/team"
	"gobench/device"
	"gobench/internal/remedy"
)

func (c Case) threads() int { return max(1, c.Threads) }

// sets returns how many threads of a rank have buffers and messages of their own.
func (c Case) sets() int {
	if c.Bench.Turns != nil {
		return 1
	}
	return c.threads()
}

// buffers returns how many message buffers a rank allocates, without copies.
func (c Case) buffers(ranks int) int { return c.Bench.Buffers(ranks) * c.sets() }

// blocks returns how many blocks of memory these are, each of which begins on a page of its own: a
// collective has one for all messages that a rank sends, and one for those that it receives.
func (c Case) blocks(ranks int) int {
	if c.collective() {
		return min(2*c.sets(), c.buffers(ranks))
	}
	return c.buffers(ranks)
}

// messages returns the number of messages that one value of the metric covers.
func (c Case) messages(ranks int) int { return c.Bench.Amount(ranks, c.window()) * c.sets() }

// CheckThreads returns a *PlanError if the number of threads of a rank does not fit the benchmark
// or the level.
func (c Case) CheckThreads(level string) error {
	switch {
	case c.threads() == 1 && c.Bench.Turns != nil:
		return planErrorf("benchmark %s is for several threads of a rank: add %v", c.Bench.Name, remedy.Set("threads", "2"))
	case c.threads() == 1:
	case !c.Bench.Threads:
		return planErrorf("benchmark %s is for one thread of a rank: leave %v out", c.Bench.Name, remedy.Named("threads"))
	case level != "comm":
		return planErrorf("several threads of a rank share a communicator: add %v", remedy.Set("level", "comm"))
	}
	return nil
}

// A Multiplexer is a channel that several goroutines can use at the same time.
type Multiplexer interface {
	Grouper
	// Multiple allows that, also for channels that Group returned, or ends it.
	Multiple(on bool) error
}

// threads are the goroutines of a rank that run the operation of a case at the same time. Each has
// a duplicate of the rank's channel, as in IMB-MT.
type threads struct {
	over     Multiplexer
	team     *team.Team // nil: one thread
	channels []device.Channel
}

// errNoThreads is returned if the channel is for one goroutine.
var errNoThreads = errors.New("several threads need a channel that they can share: use level comm")

// set opens n threads over ch, unless there are as many. It is collective.
func (t *threads) set(n int, ch device.Channel, pin func(thread int) error) error {
	if n == max(1, len(t.channels)) {
		return nil
	}
	if err := t.close(); err != nil || n == 1 {
		return err
	}
	over, ok := ch.(Multiplexer)
	if !ok {
		return errNoThreads
	}
	t.over = over
	for range n {
		own, err := over.Group(0, ch.Rank())
		if err != nil {
			return err
		}
		t.channels = append(t.channels, own)
	}
	if err := over.Multiple(true); err != nil {
		return err
	}
	var err error
	t.team, err = team.New(n, pin)
	return err
}

// close ends the threads. It is collective.
func (t *threads) close() error {
	if t.team != nil {
		t.team.Close()
	}
	var first error
	if t.over != nil {
		first = t.over.Multiple(false)
	}
	for _, ch := range t.channels {
		first = cmp.Or(first, ch.Close())
	}
	*t = threads{}
	return first
}

// op returns the operation of a case. Each thread runs it with the same thread of other ranks, or
// runs its share of the events (Benchmark.Turns).
func (t *threads) op(b *Benchmark, env Env) Op {
	if t.team == nil {
		return b.New(&env)
	}
	turns := b.Turns != nil
	if turns {
		env.Channel = t.channels[0]
		if !b.Turns(env.Rank(), env.Size()) {
			return b.New(&env)
		}
	}
	p := &parallel{team: t.team, errs: make([]error, len(t.channels))}
	for i, ch := range t.channels {
		own := env
		if !turns {
			own.Channel, own.thread = ch, i
		}
		p.ops = append(p.ops, b.New(&own))
	}
	p.each = func(thread int) {
		k := p.k
		if turns {
			k = p.share(p.done+k, thread) - p.share(p.done, thread)
		}
		p.errs[thread] = p.ops[thread].Do(k)
	}
	return p
}

// parallel is the operation of several threads. It ends when all of them have ended.
type parallel struct {
	team *team.Team
	ops  []Op // of each thread
	errs []error
	k    int
	done int // events before these
	each func(thread int)
}

// share returns how many of n events a thread runs if the threads take turns.
func (p *parallel) share(n, thread int) int { return (n + len(p.ops) - 1 - thread) / len(p.ops) }

func (p *parallel) Do(k int) error {
	p.k = k
	p.team.Run(p.each)
	p.done += k
	return cmp.Or(p.errs...)
}
