package sim

import (
	"fmt"

	"gobench/comm/schedule"
)

// A Model is Hockney's cost model: Alpha for a message, Beta for each of its bytes,
// Gamma for a byte combined, all in the same unit, such as seconds. A rank sends one
// message at a time and receives one at a time, both at once (one port, full
// duplex), as the formulas of Chan et al. 2007 and Thakur et al. 2005 assume. Copies are free.
type Model struct{ Alpha, Beta, Gamma float64 }

// A Cost is the cost of an operation.
type Cost struct {
	Messages int
	Bytes    int     // of all messages
	Copied   int     // bytes that ranks copy within their memory
	Time     float64 // until the last rank is done; all begin at 0
}

// costs evaluates programs as a data flow, whose result does not depend on
// the order in which ranks are evaluated.
type costs struct {
	Model
	ranks []pricedRank
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
	for done, moved := false, true; !done; {
		if !moved {
			return c.total, fmt.Errorf("the programs wait for each other")
		}
		done, moved = true, false
		for me := range c.ranks {
			r := &c.ranks[me]
			for r.next < len(r.program.Instrs) && c.step(me, &r.program.Instrs[r.next]) {
				r.next++
				moved = true
			}
			done = done && r.next == len(r.program.Instrs)
		}
	}
	for i := range c.ranks {
		c.total.Time = max(c.total.Time, c.ranks[i].clock)
	}
	return c.total, nil
}

// step executes an instruction, or reports false if its message was not sent yet.
func (c *costs) step(me int, i *schedule.Instr) bool {
	r := &c.ranks[me]
	switch i.Code {
	case schedule.Isend, schedule.Irecv:
		r.slots[i.Slot] = c.start(me, i)
	case schedule.Send:
		q := c.start(me, i)
		r.clock = q.end
	case schedule.Recv:
		if len(c.sent[[2]int{int(i.Peer), me}]) <= r.taken[int(i.Peer)] {
			return false
		}
		return c.finish(me, c.start(me, i))
	case schedule.Wait:
		return c.finish(me, r.slots[i.Slot])
	case schedule.Copy:
		c.total.Copied += i.A.Len
	case schedule.Combine:
		r.clock += c.Gamma * float64(i.A.Len)
	}
	return true
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
	q.send, q.end = true, begin+c.message(i.A.Len)
	r.out = q.end
	pair := [2]int{me, peer}
	c.sent[pair] = append(c.sent[pair], begin)
	c.total.Messages++
	c.total.Bytes += i.A.Len
	return q
}

func (c *costs) message(bytes int) float64 { return c.Alpha + c.Beta*float64(bytes) }

// finish waits for a request. Received messages pass the port in the order of the waits.
func (c *costs) finish(me int, q pricedRequest) bool {
	r := &c.ranks[me]
	if q.send {
		r.clock = max(r.clock, q.end)
		return true
	}
	sent := c.sent[[2]int{q.peer, me}]
	if len(sent) <= q.number {
		return false
	}
	r.in = max(sent[q.number], q.posted, r.in) + c.message(q.bytes)
	r.clock = max(r.clock, r.in)
	return true
}
