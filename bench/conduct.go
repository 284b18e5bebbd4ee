package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// conductor is rank 0's side of the agreement.
type conductor struct {
	*rank
	sink    Sink
	round   uint64 // of the command under way
	pattern uint64 // next unused iteration number
	facts   []RankFacts
	cache   int64   // the largest last cache of any rank, bytes
	merger          // the times of the last block, ns
	stamps  []int64 // of one rank
	bins    bins

	launched     time.Time
	stolenBefore []float64 // of each core of the plan, seconds, at that time
	start        Start     // of the events of the current cell
	invalid      int       // samples of the current cell that some rank came too late for
	checked      int       // messages of the current cell whose data was checked
	clockKnown   float64   // what the clocks may be off by since they were compared, seconds; 0 = one clock
	shown        int64     // when progress was last reported

	interrupted bool // some rank's context has ended
}

// verdict ends a run while all ranks are in step: they are told why.
type verdict struct {
	command
	cause error // the error itself, where it happened on rank 0
}

func (v *verdict) Error() string { return v.Unwrap().Error() }

func (v *verdict) Unwrap() error {
	if v.cause != nil {
		return v.cause
	}
	return v.reason()
}

// conduct runs the plan. Whatever ends it, if the ranks are in step they hear
// of it.
func conduct(r *rank, sink Sink) error {
	c := &conductor{rank: r, sink: sink, pattern: 1}
	c.bins.scale = r.plan.Scale
	c.launched, c.stolenBefore = time.Now(), c.stolen()
	c.oneClock = r.plan.localRanks(r.ch.Size()) == r.ch.Size()
	err := c.cells()
	var v *verdict
	switch {
	case err == nil:
		err = c.stop(command{})
	case errors.As(err, &v):
		if err := c.stop(v.command); err != nil && !errors.As(err, new(*verdict)) {
			return err
		}
	}
	if errors.As(err, &v) {
		return v.Unwrap()
	}
	return err
}

// cells measures all cells of the plan.
func (c *conductor) cells() error {
	if err := c.setupAll(); err != nil {
		return err
	}
	for i := range c.plan.Cells {
		if c.interrupted = c.interrupted || c.ctx.Err() != nil; c.interrupted {
			break
		}
		if err := c.measure(i); err != nil {
			return err
		}
	}
	if c.interrupted {
		return &verdict{command: command{Interrupted: true}}
	}
	return nil
}

func (c *conductor) setupAll() error {
	reports, err := c.do(command{Verb: verbSetup})
	if err != nil {
		return err
	}
	for rank, rep := range reports {
		if rep.Plan != reports[0].Plan {
			return fail(rank, errOutOfStep)
		}
		if rep.Facts == nil {
			return fail(rank, errors.New("it did not report its clock"))
		}
		c.facts = append(c.facts, *rep.Facts)
		c.cache = max(c.cache, rep.Cache)
	}
	return c.sunk(c.sink.Started(c.facts))
}

// do has a command executed by all ranks and collects the reports. A defect or
// failure of any rank is a *verdict; other errors are fatal.
func (c *conductor) do(cmd command) ([]report, error) {
	c.round++
	if err := c.tell(cmd); err != nil {
		return nil, err
	}
	own, err := c.execute(cmd)
	if err != nil {
		return nil, err
	}
	reports := make([]report, c.ch.Size())
	reports[0] = own
	switch {
	case cmd.Verb == verbBlock && c.cell.Bench.Collective:
		c.spans.follow = cmd.Start == StartNone
		c.spans.reset(cmd.Samples, c.cell.groups())
		c.spans.add(c.timed.stamps[:2*cmd.Samples], 0)
	case cmd.Verb == verbBlock:
		c.merger.start(c.timed.stamps[:cmd.Samples+1])
	}
	for rank := 1; rank < len(reports); rank++ {
		if reports[rank], err = c.hear(rank, cmd); err != nil {
			return nil, err
		}
	}
	if cmd.Verb == verbBlock && c.cell.Bench.Collective {
		c.invalid += c.spans.times(&c.merger)
	}
	for rank, rep := range reports {
		switch {
		case rep.Defect != nil:
			return nil, &verdict{command: command{Defect: rep.Defect}}
		case rep.Memory != nil:
			return nil, &verdict{command: command{Memory: rep.Memory}}
		case rep.Failure != "":
			return nil, fail(rank, errors.New(rep.Failure))
		}
		c.interrupted = c.interrupted || rep.Interrupted
		c.checked += rep.Checked
	}
	if c.link.defect != nil {
		return nil, &verdict{command: command{Defect: c.link.defect}}
	}
	return reports, nil
}

// tell sends a command to all other ranks.
func (c *conductor) tell(cmd command) error {
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

// hear receives the report of one rank, and its clock readings of a block.
func (c *conductor) hear(rank int, cmd command) (rep report, err error) {
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
	if c.cell.Bench.Collective {
		add = func(stamps []int64) bool { return c.spans.add(stamps, rank/c.cell.members(c.ch.Size())) }
	}
	if !add(c.stamps) {
		return rep, fmt.Errorf("rank %d: %w", rank, errOutOfStep)
	}
	return rep, nil
}

// stop ends the run on all ranks, and hears whether the command was spoiled.
func (c *conductor) stop(cmd command) error {
	cmd.Verb = verbStop
	_, err := c.do(cmd)
	return err
}

// fail is the verdict of a rank's failure.
func fail(rank int, err error) error {
	return &verdict{command: command{Failure: &RankError{rank, err.Error()}}}
}

// sunk is the verdict of an error of the sink.
func (c *conductor) sunk(err error) error {
	if err == nil {
		return nil
	}
	return &verdict{command: command{Failure: &RankError{0, err.Error()}}, cause: err}
}
