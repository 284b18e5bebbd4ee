package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gobench/internal/bench/state"
)

// conductor runs the plan on rank 0: it sends commands to all ranks and collects their reports.
type conductor struct {
	*rank
	sink    Sink
	round   uint64 // number of the current command
	pattern uint64 // next unused iteration number
	facts   []RankFacts
	cache   int64   // the largest last-level cache of any rank, bytes
	merger          // times of the last block, ns
	stamps  []int64 // of one rank
	bins    bins

	start      Start             // of the events of the current case
	invalid    int               // samples of the current case without a valid time
	checked    int               // messages of the current case whose data was checked
	usage      usage             // of the ranks in timed blocks of the current case
	changed    map[string]uint64 // counters of errors of the network, in the current case
	clockKnown float64           // error bound of the synchronised clocks, seconds; 0 = one clock
	shown      int64             // time of the last progress report

	events map[string]timedEvent // of the largest size so far, by series

	interrupted bool // the context of some rank has ended
}

// abort ends a run while all ranks are in step. Rank 0 sends it to all others.
type abort struct {
	command
	cause error // the original error, where it happened on rank 0
}

func (v *abort) Error() string { return v.Unwrap().Error() }

func (v *abort) Unwrap() error {
	if v.cause != nil {
		return v.cause
	}
	return v.reason()
}

// conduct runs the plan. At its end, rank 0 sends the reason to all ranks if they are in step.
func conduct(r *rank, sink Sink) error {
	c := &conductor{rank: r, sink: sink, pattern: 1}
	c.bins.scale = state.From(r.plan.Scale)
	c.oneClock = r.plan.localRanks(r.ch.Size()) == r.ch.Size()
	err := c.cases()
	var v *abort
	switch {
	case err == nil:
		err = c.stop(command{})
	case errors.As(err, &v):
		if err := c.stop(v.command); err != nil && !errors.As(err, new(*abort)) {
			return err
		}
	}
	if errors.As(err, &v) {
		return v.Unwrap()
	}
	return err
}

// cases measures all cases of the plan.
func (c *conductor) cases() error {
	if err := c.setupAll(); err != nil {
		return err
	}
	for i := range c.plan.Cases {
		if c.interrupted = c.interrupted || c.ctx.Err() != nil; c.interrupted {
			break
		}
		if event := c.predicted(c.plan.Cases[i]); c.plan.Stop.Longest > 0 && event > c.plan.Stop.Longest {
			l := leftOut(c.plan.Cases[i], c.ch.Info().Transport, c.plan.Level, event)
			if err := c.sinkError(c.sink.Event(Event{LeftOut: &l})); err != nil {
				return err
			}
			continue
		}
		if err := c.measure(i); err != nil {
			return err
		}
	}
	if c.interrupted {
		return &abort{command: command{Interrupted: true}}
	}
	return nil
}

func (c *conductor) setupAll() error {
	reports, err := c.runOnAll(command{Verb: verbSetup})
	if err != nil {
		return err
	}
	for rank, rep := range reports {
		if rep.Plan != reports[0].Plan {
			return abortFor(rank, errOutOfStep)
		}
		if rep.Facts == nil {
			return abortFor(rank, errors.New("it did not report its clock"))
		}
		c.facts = append(c.facts, *rep.Facts)
		c.cache = max(c.cache, rep.Cache)
	}
	return c.sinkError(c.sink.Event(Event{Ranks: c.facts}))
}

// runOnAll executes a command on all ranks and collects their reports. It returns the defect or
// failure of any rank as *abort; other errors are fatal.
func (c *conductor) runOnAll(cmd command) ([]report, error) {
	c.round++
	if err := c.broadcast(cmd); err != nil {
		return nil, err
	}
	own, err := c.execute(cmd)
	if err != nil {
		return nil, err
	}
	reports := make([]report, c.ch.Size())
	reports[0] = own
	switch {
	case cmd.Verb == verbBlock && c.current.collective():
		c.spans.follow = cmd.Start == StartNone
		c.spans.reset(cmd.Samples, c.current.groups())
		c.spans.add(c.timed.stamps[:2*cmd.Samples], 0)
	case cmd.Verb == verbBlock:
		c.merger.start(c.timed.stamps[:cmd.Samples+1])
	}
	for rank := 1; rank < len(reports); rank++ {
		if reports[rank], err = c.collect(rank, cmd); err != nil {
			return nil, err
		}
	}
	if cmd.Verb == verbBlock && c.current.collective() {
		c.invalid += c.spans.times(&c.merger)
	}
	for rank, rep := range reports {
		switch {
		case rep.Defect != nil:
			return nil, &abort{command: command{Defect: rep.Defect}}
		case rep.Memory != nil:
			return nil, &abort{command: command{Memory: rep.Memory}}
		case rep.Failure != "":
			return nil, abortFor(rank, errors.New(rep.Failure))
		}
		c.interrupted = c.interrupted || rep.Interrupted
		c.checked += rep.Checked
		c.usage.add(rep.Usage)
	}
	if c.link.defect != nil {
		return nil, &abort{command: command{Defect: c.link.defect}}
	}
	return reports, nil
}

// broadcast sends a command to all other ranks.
func (c *conductor) broadcast(cmd command) error {
	body, err := json.Marshal(cmd)
	if err != nil {
		return err
	}
	for rank := 1; rank < c.ch.Size(); rank++ {
		if err := c.link.send(rank, c.round, body); err != nil {
			return err
		}
	}
	return nil
}

// collect receives the report of one rank and, after a block, its clock readings.
func (c *conductor) collect(rank int, cmd command) (rep report, err error) {
	body, err := c.link.recv(rank, c.round)
	if err != nil {
		return rep, err
	}
	if err := json.Unmarshal(body, &rep); err != nil {
		return rep, fmt.Errorf("the report of rank %d is unreadable: %w", rank, err)
	}
	if cmd.Verb != verbBlock || !c.counts(rank) {
		return rep, nil
	}
	body, err = c.link.recv(rank, c.round)
	if err != nil {
		return rep, err
	}
	c.stamps = decodeStamps(c.stamps[:0], body)
	add := c.merger.add
	if c.current.collective() {
		add = func(stamps []int64) bool { return c.spans.add(stamps, rank/c.current.members(c.ch.Size())) }
	}
	if !add(c.stamps) {
		return rep, fmt.Errorf("rank %d: %w", rank, errOutOfStep)
	}
	return rep, nil
}

// stop ends the run on all ranks.
func (c *conductor) stop(cmd command) error {
	cmd.Verb = verbStop
	_, err := c.runOnAll(cmd)
	return err
}

// abortFor returns the abort for an error of a rank.
func abortFor(rank int, err error) error {
	return &abort{command: command{Failure: &RankError{rank, err.Error()}}}
}

// sinkError returns the abort for an error of the sink.
func (c *conductor) sinkError(err error) error {
	if err == nil {
		return nil
	}
	return &abort{command: command{Failure: &RankError{0, err.Error()}}, cause: err}
}

// A timedEvent is the time of an event of a case, in seconds.
type timedEvent struct {
	size    int
	seconds float64
}

// series returns a key that cases have in common which differ in their size only.
func (c Case) series() string {
	algorithm := ""
	if op := c.Bench.Collective; op != nil {
		algorithm = op.Algorithm
	}
	return fmt.Sprint(c.Bench.Name, " ", algorithm, " ", c.window(), c.memory(), c.cache(), c.Buffers, c.Root, c.groups())
}

// recordEvent notes the time of an event of the current case, in seconds.
func (c *conductor) recordEvent(seconds float64) {
	if c.events == nil {
		c.events = map[string]timedEvent{}
	}
	if key := c.current.series(); c.current.Size >= c.events[key].size {
		c.events[key] = timedEvent{c.current.Size, seconds}
	}
}

// predicted returns the time of an event of a case, from the largest smaller size so far: the time
// of a message that does not end immediately is proportional to its size. It is 0 if there is none.
func (c *conductor) predicted(of Case) time.Duration {
	e := c.events[of.series()]
	if e.size == 0 || e.size >= of.Size || e.seconds < reactTime {
		return 0
	}
	return duration(e.seconds * float64(of.Size) / float64(e.size))
}
