//go:build verbs && cgo

package verbs

import (
	"errors"
	"fmt"
	"time"

	"gobench/device/protocol"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

// queues holds the queue pairs of a rank: on every rail one for each peer, or as many as option qps
// sets. It also holds the peers and their states.
type queues struct {
	rma.Losses
	rank          int
	set           settings
	limits        protocol.Limits
	rails         []*ibv.Rail
	railAddresses []railAddress // of the rails
	peers         []*peer       // by rank; nil for this rank
	byQ           []*peer       // by index of the queue, the same on every rail; with option qps modulo their number

	events []ibv.Event // of the last poll
	next   int         // index of the first one not delivered yet

	down [maxRails]outage
}

// An outage describes a port that is down; without text the port is up.
type outage struct {
	since time.Time
	text  string
}

// railConfig returns the configuration of a rail on a port.
func (q *queues) railConfig(port int) ibv.Config {
	s := &q.set
	peers := max(1, len(q.byQ)*s.lanes())
	return ibv.Config{
		Service: services[s.service], Control: len(q.byQ) * s.queues, Events: s.blocking,
		Peers: peers, Credits: s.credits, Buffer: s.buffer, Depth: s.queue,
		Slots: max(2*s.queue, 2*peers), Inline: s.inline, Shared: s.shared, Port: port,
	}
}

// add adds a rail.
func (q *queues) add(r *ibv.Rail) {
	q.rails = append(q.rails, r)
	if limit := r.Port().MaxMessage; limit > 0 {
		q.limits.Move = min(q.limits.Move, limit)
		q.set.segment = min(q.set.segment, limit)
	}
}

// explainOpen names the remedy for a rail that cannot be opened.
func (q *queues) explainOpen(at railAddress, err error) error {
	var call *ibv.CallError
	var lack *ibv.LimitError
	switch {
	case errors.As(err, &lack):
		err = fmt.Errorf("%w: take less of queue, credits or qps", err)
	case errors.As(err, &call) && call.Call == "ibv_reg_mr":
		err = explainRegistration((q.set.credits+4)*q.set.buffer*max(1, len(q.byQ)*q.set.lanes()), err)
	default:
		err = explainLocked(err)
	}
	return fmt.Errorf("opening port %d of %s: %w", at.port.number, at.device, err)
}

// memoryPerPair returns the bytes of the buffers for one pair of ranks, both directions.
func (q *queues) memoryPerPair() int64 {
	var total int64
	for _, r := range q.rails {
		total += r.Bytes()
	}
	return 2 * total / int64(max(1, len(q.byQ)))
}

// mtu returns the path MTU of the first connected peer, in bytes; 0 if there is none or it is
// unknown.
func (q *queues) mtu() int {
	for _, p := range q.byQ {
		if path, ok := q.rails[0].PathInUse(q.control(p)); ok {
			return path.MTU
		}
	}
	return 0
}

// lanes lists the queues of a peer, the first being that of its packets, and the last its control
// queue where it has one.
func (q *queues) lanes(p *peer) []int {
	list := make([]int, q.set.lanes())
	for i := range list {
		list[i] = q.lane(p, i)
	}
	return list
}

func (q *queues) lane(p *peer, i int) int { return i*len(q.byQ) + p.queue }

// control returns the RC queue of a peer, on which its adapter is probed.
func (q *queues) control(p *peer) int {
	if q.set.unreliable() {
		return q.lane(p, q.set.queues)
	}
	return p.queue
}

// services are the values of option service.
var services = map[string]ibv.Service{"rc": ibv.RC, "uc": ibv.UC, "ud": ibv.UD, "xrc": ibv.XRC}

// look polls one rail. The events of the previous poll must have been delivered.
func (q *queues) look(rail, turns int) bool {
	events, err := q.rails[rail].Poll(turns)
	if err != nil {
		for _, p := range q.byQ {
			q.GiveUp(&p.Peer, err.Error())
		}
	}
	q.events, q.next = events, 0
	return len(events) > 0
}

// wait polls all rails in turn until one has events.
func (q *queues) wait(turns int) bool {
	each := turns
	if len(q.rails) > 1 {
		each = min(turns, 16)
	}
	for done := 0; done < turns; done += each {
		for i := range q.rails {
			if q.look(i, each) {
				return true
			}
		}
	}
	return false
}

// breakOff ends all traffic with a peer.
func (q *queues) breakOff(p *peer) {
	for _, r := range q.rails {
		for lane := range q.set.lanes() {
			r.Break(q.lane(p, lane))
		}
	}
}

// drop destroys the queue pairs of a peer, so that the adapter does not access any buffer of its
// operations any more.
func (q *queues) drop(p *peer) {
	for _, r := range q.rails {
		for lane := range q.set.lanes() {
			r.Drop(q.lane(p, lane))
		}
	}
}

// explain describes a failed request.
func (q *queues) explain(e *ibv.Event) string {
	text := fmt.Sprintf("%v failed: %v", e.Op, e.Status)
	if e.Status == ibv.Flushed {
		text = fmt.Sprintf("its queue pair is gone (%v)", e.Status)
	}
	if e.Vendor != 0 {
		text += fmt.Sprintf(" (vendor error %#x)", e.Vendor)
	}
	for _, d := range q.down {
		if d.text != "" {
			text += "; " + d.text
		}
	}
	return text
}

// unreliable reports whether the service does not retransmit: UC or UD. A pair of ranks then has an
// additional RC queue pair, on which it detects lost packets and dead peers.
func (s *settings) unreliable() bool { return s.service == "uc" || s.service == "ud" }

// lanes returns the number of queues for each peer.
func (s *settings) lanes() int {
	if s.unreliable() {
		return s.queues + 1
	}
	return s.queues
}
