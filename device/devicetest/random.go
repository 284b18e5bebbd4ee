package devicetest

import (
	"math/rand/v2"
	"slices"

	"gobench/device"
)

func randomRules() []rule {
	return []rule{{name: "random traffic", ranks: []int{1, 2, 3, 5, 8}, run: randomTraffic}}
}

// plan is one message of a round of random traffic. All ranks make the same
// plan from the seed.
type plan struct {
	src, dst     int
	tag, context int32
	size         int
	synchronous  bool
}

// How a rank receives the messages of one context in one round. Within each way any
// legal matching completes all receives.
const (
	byEnvelope = iota // the source and tag of each message
	bySource          // AnyTag
	byTag             // AnySource
	byAny             // both wildcards
	byProbe           // probe for anything, then receive exactly that
	styles
)

// got is a completed receive: its pattern and the message it got.
type got struct {
	src     int
	tag     int32
	message int // index into the plan
}

const trafficContexts = 2

// randomTraffic runs rounds of random messages, received in random ways, with everything
// outstanding together. A payload identifies its message; the matching of each round is then
// checked against MPI's order.
func randomTraffic(r *rank) {
	shared := r.rand(0)
	own := r.rand(1 + r.Rank())
	rounds := 60 / r.Size()
	sizes := []int{8, 9, 64, 256, 1000, 65536, 150_000}
	for _, e := range r.limits {
		sizes = append(sizes, e-25, e-24, e-1, e, e+1, e+8, 2*e, 3*e+5)
	}
	var spare []guarded
	for round := range rounds {
		plans := makePlans(r, shared, sizes, 20*r.Size())
		for i := range plans {
			plans[i].context += int32(trafficContexts * round) // ranks may be in different rounds
		}
		style := [trafficContexts]int{own.IntN(styles), own.IntN(styles)}
		t := &traffic{rank: r, plans: plans, round: round, style: style, largest: slices.Max(sizes), spare: spare}
		t.run(own)
		spare = t.spare
	}
}

func makePlans(r *rank, rnd *rand.Rand, sizes []int, count int) []plan {
	plans := make([]plan, count)
	for i := range plans {
		plans[i] = plan{rnd.IntN(r.Size()), rnd.IntN(r.Size()), rnd.Int32N(3), rnd.Int32N(trafficContexts),
			max(8, sizes[rnd.IntN(len(sizes))]), rnd.IntN(5) == 0}
	}
	return plans
}

// traffic is one rank's part of a round.
type traffic struct {
	*rank
	plans   []plan
	round   int
	style   [trafficContexts]int
	results [trafficContexts][]got // in the order in which the receives were posted
	largest int                    // message
	spare   []guarded              // buffers of receives that have ended, whose bytes are all guardByte
}

// posted is a receive that is under way.
type posted struct {
	request device.Request
	buf     guarded
	context int32
	index   int // in results[context]
}

func (t *traffic) run(rnd *rand.Rand) {
	var sends []device.Request
	var receives []posted
	// Sends and receives start interleaved, each kind in the plan's order.
	var mine, toMe []int
	for i, p := range t.plans {
		if p.src == t.Rank() {
			mine = append(mine, i)
		}
		if p.dst == t.Rank() && t.style[p.context%trafficContexts] != byProbe {
			toMe = append(toMe, i)
		}
	}
	for len(mine)+len(toMe) > 0 {
		if len(toMe) == 0 || len(mine) > 0 && rnd.IntN(2) == 0 {
			sends = append(sends, t.start(mine[0]))
			mine = mine[1:]
		} else {
			receives = append(receives, t.post(toMe[0], rnd))
			toMe = toMe[1:]
		}
	}
	for _, p := range t.plans {
		if p.dst == t.Rank() && t.style[p.context%trafficContexts] == byProbe {
			t.probed(p.context)
		}
	}
	for _, i := range rnd.Perm(len(receives)) {
		t.finish(receives[i], rnd)
	}
	for _, i := range rnd.Perm(len(sends)) {
		t.wait(sends[i])
	}
	for c := range t.results {
		t.judge(t.results[c])
	}
}

func (t *traffic) payload(i int) uint64 { return uint64(t.round)<<32 | uint64(i) }

func (t *traffic) start(i int) device.Request {
	p := t.plans[i]
	b := numbered(p.size, i)
	fill(b[8:], t.payload(i))
	if p.synchronous {
		return t.issend(b, p.dst, p.tag, p.context)
	}
	return t.isend(b, p.dst, p.tag, p.context)
}

func (t *traffic) post(i int, rnd *rand.Rand) posted {
	p := t.plans[i]
	src, tag := p.src, p.tag
	if w := t.style[p.context%trafficContexts]; w == bySource || w == byAny {
		tag = device.AnyTag
	}
	if w := t.style[p.context%trafficContexts]; w == byTag || w == byAny {
		src = device.AnySource
	}
	var buf guarded
	if last := len(t.spare) - 1; last >= 0 {
		buf, t.spare = t.spare[last], t.spare[:last]
	} else {
		buf = newGuarded(t.largest + rnd.IntN(9))
	}
	q := t.irecv(buf.buf, src, tag, p.context)
	t.results[p.context%trafficContexts] = append(t.results[p.context%trafficContexts], got{src: src, tag: tag})
	return posted{q, buf, p.context, len(t.results[p.context%trafficContexts]) - 1}
}

func (t *traffic) finish(p posted, rnd *rand.Rand) {
	var st device.Status
	if rnd.IntN(2) == 0 {
		st = t.wait(p.request)
	} else {
		for done := false; !done; {
			st, done = t.test(p.request)
		}
	}
	t.results[p.context%trafficContexts][p.index].message = t.identify(p.buf.buf, st)
	t.intact(p.buf)
	guard(p.buf.buf[:st.Size])
	t.spare = append(t.spare, p.buf)
}

func (t *traffic) probed(context int32) {
	st := t.probe(device.AnySource, device.AnyTag, context)
	in := newGuarded(st.Size)
	if again := t.recv(in.buf, st.Source, st.Tag, context); again != st {
		t.fail("probe found %+v, the receive got %+v", st, again)
	}
	t.intact(in)
	t.results[context%trafficContexts] = append(t.results[context%trafficContexts], got{device.AnySource, device.AnyTag, t.identify(in.buf, st)})
}

// identify checks a message and returns which one it is.
func (t *traffic) identify(b []byte, st device.Status) int {
	i := number(b)
	if i < 0 || i >= len(t.plans) {
		t.fail("a message claims to be number %d of %d", i, len(t.plans))
	}
	p := t.plans[i]
	if p.dst != t.Rank() {
		t.fail("message %d is for rank %d", i, p.dst)
	}
	t.same(st, p.src, p.tag, p.size)
	t.check(b[8:p.size], t.payload(i), "random message")
	return i
}

// judge checks that no receive got a message that an earlier receive should have got, that no older
// message matched it, and that no message was received twice.
func (t *traffic) judge(results []got) {
	for i, first := range results {
		if p := t.plans[first.message]; first.src != device.AnySource && first.src != p.src ||
			first.tag != device.AnyTag && first.tag != p.tag {
			t.fail("a receive of source %d tag %d got a message of source %d tag %d", first.src, first.tag, p.src, p.tag)
		}
		for _, second := range results[i+1:] {
			a, b := t.plans[first.message], t.plans[second.message]
			if first.message == second.message {
				t.fail("message %d came twice", first.message)
			}
			fits := first.tag == device.AnyTag || first.tag == b.tag
			if a.src == b.src && second.message < first.message && fits {
				t.fail("message %d of rank %d overtook message %d (receives of tags %d and %d)",
					first.message, a.src, second.message, first.tag, second.tag)
			}
		}
	}
}
