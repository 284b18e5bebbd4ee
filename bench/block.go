package bench

import (
	"gobench/device"
)

// maxBlock is the largest number of samples of one block.
const maxBlock = 1 << 15

// timed is one rank's part of timed blocks.
type timed struct {
	now    func() int64  // monotonic, ns
	counts bool          // this rank reads the clock
	stamps []int64       // begin of the first sample, then the ends of all; pairs for collectives
	own    device.Stamps // for an Op that is a Stamper
	event  uint64        // collective events so far, for the skew
}

func newTimed(now func() int64) *timed {
	return &timed{now: now, stamps: make([]int64, 2*maxBlock)}
}

// block runs lead events, then samples x batch events. It reads the clock after each batch, or a
// Stamper does. Samples follow each other without a gap; each contains one clock reading. Ranks
// that are not timed do not read the clock.
//
// This is the timed region: nothing here allocates, locks or logs.
func (t *timed) block(op Op, samples, batch, lead int) error {
	if lead > 0 {
		if err := op.Do(lead); err != nil {
			return err
		}
	}
	if !t.counts {
		return op.Do(samples * batch)
	}
	now, stamps := t.now, t.stamps[:samples+1]
	if s, ok := op.(Stamper); ok {
		t.own.Begin(stamps[1:], batch, now)
		stamps[0] = now()
		return s.Stamp(&t.own)
	}
	stamps[0] = now()
	for i := 1; i < len(stamps); i++ {
		if err := op.Do(batch); err != nil {
			return err
		}
		stamps[i] = now()
	}
	return nil
}

// operations runs lead events, then samples of batch events, each after the gate.
//
// Collectives have two times (rule 10): global, from the first rank's entry to the last rank's exit
// on the synchronised clock, and local, the longest time of any rank. Every rank reads the clock
// before and after each sample, so its stamps are pairs. A negative begin marks a sample for which
// this rank missed the start.
//
// This is the timed region: nothing here allocates, locks or logs.
func (t *timed) operations(op Op, g *gate, skew Skew, samples, batch, lead int) error {
	if lead > 0 {
		if err := op.Do(lead); err != nil {
			return err
		}
	}
	now, rank, ranks := t.now, g.ch.Rank(), g.ch.Size()
	for i := range samples {
		inTime, err := g.pass()
		if err != nil {
			return err
		}
		t.event++
		if d := skew.delay(rank, ranks, t.event); d > 0 {
			for until := now() + d; now() < until; {
			}
		}
		pair := (*[2]int64)(t.stamps[2*i:])
		if g.start == StartNone && i > 0 {
			pair[0] = t.stamps[2*i-1]
		} else {
			pair[0] = now()
		}
		if err := op.Do(batch); err != nil {
			return err
		}
		pair[1] = now()
		if !inTime {
			pair[0] = -pair[0]
		}
	}
	return nil
}

// unit is an Op with its buffers.
type unit struct {
	op      Op
	buffers *buffers
}

// prepare fills the data of an iteration and poisons the receive buffers.
func (u *unit) prepare(iteration uint64, timed bool) {
	u.buffers.prepare(iteration)
	if c, ok := u.op.(Checker); ok {
		c.Prepare(iteration, timed)
	}
}

// check returns the first defect in the received data, or nil.
func (u *unit) check(iteration uint64) *DataError {
	if c, ok := u.op.(Checker); ok {
		if defect := c.Check(iteration); defect != nil {
			defect.Bench, defect.Rank, defect.Iteration = u.buffers.bench, u.buffers.rank, iteration
			return defect
		}
	}
	return u.buffers.check(iteration)
}

// checkable returns the number of messages, or results, that check covers.
func (u *unit) checkable() int {
	n := u.buffers.checkable()
	if _, ok := u.op.(Checker); ok && len(u.buffers.owned) > 0 {
		n++
	}
	return n
}

// rotation runs events on several units in turn, so that their buffers are not in the cache (rule
// 15).
type rotation struct {
	units []unit
	next  int
	used  int // units used since the data was prepared
}

// plain returns r, or its only Op, which may be a Stamper.
func (r *rotation) plain() Op {
	if len(r.units) > 1 {
		return r
	}
	r.used = 1
	return r.units[0].op
}

// Do implements Op.
func (r *rotation) Do(k int) error {
	if len(r.units) == 1 {
		r.used = 1
		return r.units[0].op.Do(k)
	}
	for range k {
		if err := r.units[r.next].op.Do(1); err != nil {
			return err
		}
		r.advance()
	}
	return nil
}

// advance selects the next unit after an event.
func (r *rotation) advance() {
	r.used = min(r.used+1, len(r.units))
	if r.next++; r.next == len(r.units) {
		r.next = 0
	}
}

func (r *rotation) prepare(iteration uint64, timed bool) {
	r.used, r.next = 0, 0
	for i := range r.units {
		r.units[i].prepare(iteration, timed)
	}
}

// check checks the units whose events have run, also after a defect: the check of an Op may be
// collective.
func (r *rotation) check(iteration uint64) (defect *DataError) {
	for i := range r.units[:r.used] {
		if d := r.units[i].check(iteration); defect == nil {
			defect = d
		}
	}
	return defect
}

func (r *rotation) checkable() int { return r.units[0].checkable() }

// merger computes the times of events from the ranks' clock readings.
//
// Without a barrier, a rank may finish an event early and the next one late while its partner does
// the opposite. So neither the time of one rank nor the maximum over ranks is the time of an event.
// An event begins when the last rank has finished the previous event, and ends when the last rank
// has finished it. The sum of these times is the time of the loop on the slowest rank, which is
// IMB's t_max x repetitions.
//
// This needs a common clock, which the ranks of one host have. For ranks on several hosts the time
// of an event is the maximum of the ranks' own times, an upper bound.
type merger struct {
	oneClock bool
	last     []int64 // oneClock: time at which the last rank finished each event
	times    []int64
	starts   []int64 // of the events in times

	spans spans   // of operations
	local []int64 // local times of collectives, parallel to times
	skew  []int64 // differences of the ranks' times, parallel to times
}

// start begins a block with the readings of the first rank.
func (m *merger) start(stamps []int64) {
	m.last = append(m.last[:0], stamps...)
	m.difference()
}

// difference computes times from last.
func (m *merger) difference() {
	m.times = m.times[:0]
	m.starts = m.starts[:0]
	for i := 1; i < len(m.last); i++ {
		m.times = append(m.times, m.last[i]-m.last[i-1])
		m.starts = append(m.starts, m.last[i-1])
	}
}

// add merges the readings of one more rank. It returns false if their number is wrong.
func (m *merger) add(stamps []int64) bool {
	if len(stamps) != len(m.last) {
		return false
	}
	if !m.oneClock {
		for i := range m.times {
			m.times[i] = max(m.times[i], stamps[i+1]-stamps[i])
		}
		return true
	}
	for i, t := range stamps {
		m.last[i] = max(m.last[i], t)
	}
	m.difference()
	return true
}

// spans merges the ranks' stamps of a block of collectives.
type spans struct {
	follow bool // StartNone: samples follow each other without a gate
	late   []bool
	groups []span
}

// A span holds the stamps of one group, in ns on the common clock.
type span struct {
	ranks int     // ranks added so far
	first []int64 // entry of the first rank, for each sample
	begun []int64 // entry of the last rank
	last  []int64 // exit of the last rank
	long  []int64 // longest time of a rank
	short []int64
}

// reset begins a block with the given numbers of samples and groups.
func (s *spans) reset(samples, groups int) {
	s.late = append(s.late[:0], make([]bool, samples)...)
	for len(s.groups) < groups {
		s.groups = append(s.groups, span{})
	}
	s.groups = s.groups[:groups]
	for i := range s.groups {
		g := &s.groups[i]
		g.ranks = 0
		for _, list := range []*[]int64{&g.first, &g.begun, &g.last, &g.long, &g.short} {
			*list = append((*list)[:0], make([]int64, samples)...)
		}
	}
}

// add merges the stamps of a rank of a group. It returns false if their number is wrong.
func (s *spans) add(stamps []int64, group int) bool {
	if len(stamps) != 2*len(s.late) {
		return false
	}
	g := &s.groups[group]
	for i := range s.late {
		begin, end := stamps[2*i], stamps[2*i+1]
		if begin < 0 {
			begin, s.late[i] = -begin, true
		}
		if g.ranks == 0 {
			g.first[i], g.begun[i], g.last[i], g.long[i], g.short[i] = begin, begin, end, end-begin, end-begin
			continue
		}
		g.first[i] = min(g.first[i], begin)
		g.begun[i] = max(g.begun[i], begin)
		g.last[i] = max(g.last[i], end)
		g.long[i] = max(g.long[i], end-begin)
		g.short[i] = min(g.short[i], end-begin)
	}
	g.ranks++
	return true
}

// global returns the time of sample i on the common clock.
func (g *span) global(i int, follow bool) int64 {
	switch {
	case follow && i == 0:
		return g.last[i] - g.begun[i]
	case follow:
		return g.last[i] - g.last[i-1]
	}
	return g.last[i] - g.first[i]
}

// times writes the global times, local times, skews and starts of the valid samples into m; of
// several groups, those of the slowest (as IMB's -multi). It returns the number of invalid samples.
func (s *spans) times(m *merger) (invalid int) {
	m.times, m.local, m.skew, m.starts = m.times[:0], m.local[:0], m.skew[:0], m.starts[:0]
	for i, late := range s.late {
		global, local, skew, start := int64(0), int64(0), int64(0), s.groups[0].first[i]
		for j := range s.groups {
			g := &s.groups[j]
			t := g.global(i, s.follow)
			late = late || t <= 0 // shorter than the resolution of the clock
			global, local = max(global, t), max(local, g.long[i])
			skew, start = max(skew, g.long[i]-g.short[i]), min(start, g.first[i])
		}
		if late {
			invalid++
			continue
		}
		m.times = append(m.times, global)
		m.local = append(m.local, local)
		m.skew = append(m.skew, skew)
		m.starts = append(m.starts, start)
	}
	return invalid
}
