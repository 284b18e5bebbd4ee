package sim

import (
	"fmt"

	"gobench/comm/schedule"
)

// A Model is Hockney's cost model: Alpha for a message, Beta for each of its bytes,
// Gamma for a byte combined, all in the same unit, such as seconds. A rank sends one
// message at a time and receives one at a time, both concurrently (one port, full
// duplex), as the formulas of Chan et al. 2007 and Thakur et al. 2005 assume. Copies are free.
//
// With Hosts, the number of each rank's host, Alpha and Beta apply to messages between hosts,
// and messages between ranks of one host cost Inside. All ranks of a host send to other hosts
// through one port, which a message holds for Gap and for Beta per byte.
type Model struct {
	Alpha, Beta, Gamma float64

	Hosts  []int
	Gap    float64
	Inside struct{ Alpha, Beta float64 }
}

// A Cost is the cost of an operation.
type Cost struct {
	Messages int
	Bytes    int     // of all messages
	Copied   int     // bytes that ranks copy within their memory
	Time     float64 // until the last rank is done; all begin at 0
}

// costs evaluates programs in the order of time: of the ranks that can go on, the one whose clock
// is lowest does.
type costs struct {
	Model
	ranks []pricedRank
	ports []float64            // by host, when its port is free
	sent  map[[2]int][]float64 // by sender and receiver, when each message departs
	total Cost
}

type pricedRank struct {
	program *schedule.Program
	next    int
	clock   float64
	out, in float64         // when the ports are free
	slots   []pricedRequest // by slot
	taken   map[int]int     // receives posted, by sender
}

// A pricedRequest is a transfer in progress. end is set for sends, which are buffered here.
type pricedRequest struct {
	send   bool
	peer   int
	number int // of the message between the two
	bytes  int
	posted float64
	end    float64
}

// Cost evaluates the programs of all ranks. It returns an error if they deadlock; Run checks
// everything else.
func (m Model) Cost(programs []*schedule.Program) (Cost, error) {
	c := &costs{Model: m, sent: map[[2]int][]float64{}}
	for _, p := range programs {
		c.ranks = append(c.ranks, pricedRank{program: p, slots: make([]pricedRequest, p.Slots), taken: map[int]int{}})
	}
	for _, host := range m.Hosts {
		c.ports = append(c.ports, make([]float64, max(0, host+1-len(c.ports)))...)
	}
	for {
		next, left := -1, false
		for me := range c.ranks {
			r := &c.ranks[me]
			if r.next == len(r.program.Instrs) {
				continue
			}
			left = true
			if c.ready(me) && (next < 0 || r.clock < c.ranks[next].clock) {
				next = me
			}
		}
		switch {
		case next >= 0:
			r := &c.ranks[next]
			c.step(next, &r.program.Instrs[r.next])
			r.next++
			continue
		case left:
			return c.total, fmt.Errorf("the programs wait for each other")
		}
		break
	}
	for i := range c.ranks {
		c.total.Time = max(c.total.Time, c.ranks[i].clock)
	}
	return c.total, nil
}

// ready reports whether a rank need not wait for a message that was not sent yet.
func (c *costs) ready(me int) bool {
	r := &c.ranks[me]
	i := &r.program.Instrs[r.next]
	peer, number := int(i.Peer), 0
	switch i.Code {
	case schedule.Recv:
		number = r.taken[peer]
	case schedule.Wait:
		q := r.slots[i.Slot]
		if q.send {
			return true
		}
		peer, number = q.peer, q.number
	default:
		return true
	}
	return number < len(c.sent[[2]int{peer, me}])
}

// step executes an instruction of a rank that is ready.
func (c *costs) step(me int, i *schedule.Instr) {
	r := &c.ranks[me]
	switch i.Code {
	case schedule.Isend, schedule.Irecv:
		r.slots[i.Slot] = c.start(me, i)
	case schedule.Send:
		q := c.start(me, i)
		r.clock = q.end
	case schedule.Recv:
		c.finish(me, c.start(me, i))
	case schedule.Wait:
		c.finish(me, r.slots[i.Slot])
	case schedule.Copy:
		c.total.Copied += i.A.Len
	case schedule.Combine:
		r.clock += c.Gamma * float64(i.A.Len)
	}
}

func (c *costs) start(me int, i *schedule.Instr) pricedRequest {
	r, peer := &c.ranks[me], int(i.Peer)
	q := pricedRequest{peer: peer, bytes: i.A.Len, posted: r.clock}
	if i.Code == schedule.Recv || i.Code == schedule.Irecv {
		q.number = r.taken[peer]
		r.taken[peer]++
		return q
	}
	begin := max(r.clock, r.out)
	if c.between(me, peer) {
		port := &c.ports[c.Hosts[me]]
		begin = max(begin, *port)
		*port = begin + c.Gap + c.Beta*float64(i.A.Len)
	}
	q.send, q.end = true, begin+c.message(me, peer, i.A.Len)
	r.out = q.end
	pair := [2]int{me, peer}
	c.sent[pair] = append(c.sent[pair], begin)
	c.total.Messages++
	c.total.Bytes += i.A.Len
	return q
}

// between reports whether messages between two ranks leave their host.
func (c *costs) between(one, other int) bool {
	return c.Hosts != nil && c.Hosts[one] != c.Hosts[other]
}

// message returns the cost of a message between two ranks.
func (c *costs) message(one, other, bytes int) float64 {
	if c.Hosts != nil && !c.between(one, other) {
		return c.Inside.Alpha + c.Inside.Beta*float64(bytes)
	}
	return c.Alpha + c.Beta*float64(bytes)
}

// finish waits for a request. Received messages pass the port in the order of the waits.
func (c *costs) finish(me int, q pricedRequest) {
	r := &c.ranks[me]
	if q.send {
		r.clock = max(r.clock, q.end)
		return
	}
	r.in = max(c.sent[[2]int{q.peer, me}][q.number], q.posted, r.in) + c.message(q.peer, me, q.bytes)
	r.clock = max(r.clock, r.in)
}
