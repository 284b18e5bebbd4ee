//go:build verbs && cgo

package verbs

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"

	"gobench/device"
	"gobench/transports/verbs/ibv"
)

// cardVersion changes whenever the packets or the cards do.
const cardVersion = 3

// card is what a rank tells all others.
type card struct {
	Version int
	Process int        // a rank of the same process is a goroutine
	Failed  string     `json:",omitempty"` // why this rank cannot take part
	Shape   string     // of rails, buffers and credits, which must agree
	Secret  uint64     `json:",omitempty"` // of rank 0: callers by RDMA CM must know it
	Rails   []railCard `json:",omitempty"`
}

// railCard is one rail of it.
type railCard struct {
	Device   string
	Ethernet bool
	IWARP    bool
	LID      uint16
	GID      [16]byte
	MTU      int
	Reads    int // under way at a time, of a queue pair: adapters differ
	Landing  uint64
	RKey     uint32
	Numbers  [][]uint32 `json:",omitempty"` // of the queue pairs, by the peer's rank
	Sequence uint32     // packet number at which all of them start
	CM       string     `json:",omitempty"` // where this rank listens for RDMA CM
}

// connect connects this rank with all others; failed is why it cannot, or nil. The error of the
// lowest rank that cannot take part is the error of all.
func (w *wire) connect(ctx context.Context, job device.Job, failed error) error {
	mine := card{Version: cardVersion, Process: os.Getpid(), Shape: w.shape(), Secret: rand.Uint64()}
	if failed == nil {
		mine.Rails, failed = w.createQueues()
	}
	if failed != nil {
		mine.Failed = failed.Error()
	}
	cards, err := swap(ctx, job, mine)
	if failed != nil {
		return failed
	}
	if err == nil {
		err = w.check(cards)
	}
	w.cards = cards
	if err == nil && w.set.lazy {
		w.joining.by = max(connectBound, 4*w.set.quiet)
	} else if err == nil && w.cms != nil {
		err = w.connectCM(ctx, cards)
	} else if err == nil {
		err = w.connectQueues(cards)
	}
	// Nobody sends before everybody can receive.
	mine = card{Version: cardVersion}
	if err != nil {
		mine.Failed = err.Error()
	}
	cards, err2 := swap(ctx, job, mine)
	if err != nil {
		return err
	}
	if err2 != nil {
		return err2
	}
	return refusals(cards)
}

func swap(ctx context.Context, job device.Job, mine card) ([]card, error) {
	blob, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	blobs, err := job.Exchange(ctx, blob)
	if err != nil {
		return nil, err
	}
	cards := make([]card, len(blobs))
	for i, b := range blobs {
		if err := json.Unmarshal(b, &cards[i]); err != nil || cards[i].Version != cardVersion {
			return nil, &device.ProtocolError{Rank: i, Detail: "what it tells about its RDMA device cannot be read; is it the same version of gobench?"}
		}
	}
	return cards, nil
}

func refusals(cards []card) error {
	for rank, c := range cards {
		if c.Failed != "" {
			return &device.PeerError{Rank: rank, Cause: c.Failed}
		}
	}
	return nil
}

// shape is what must be equal for all ranks.
func (w *wire) shape() string {
	return fmt.Sprintf("%d rails, %d queue pairs for each peer, %d credits, buffers of %d bytes", len(w.rails), w.set.queues, w.set.credits, w.set.buffer)
}

// check compares the cards and notes what they say of peers.
func (w *wire) check(cards []card) error {
	if err := refusals(cards); err != nil {
		return err
	}
	w.limits.Goroutines = len(cards) > 1
	for rank, c := range cards {
		w.limits.Goroutines = w.limits.Goroutines && c.Process == cards[0].Process
		if rank == w.rank {
			continue
		}
		if c.Shape != cards[w.rank].Shape || len(c.Rails) != len(w.rails) {
			return &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf("it has %s, this rank has %s", c.Shape, cards[w.rank].Shape)}
		}
		for i, r := range c.Rails {
			if len(r.Numbers) != len(cards) || !w.usesCM && len(r.Numbers[w.rank]) != w.set.queues {
				return &device.ProtocolError{Rank: rank, Detail: "it tells the wrong number of queue pairs"}
			}
			if own := cards[w.rank].Rails[i]; r.Ethernet != own.Ethernet || r.IWARP != own.IWARP {
				return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("its %s and this rank's %s are not of the same kind of network", r.Device, own.Device)}
			}
			w.peers[rank].remote = append(w.peers[rank].remote, target{r.Landing, r.RKey})
		}
	}
	return nil
}

// createQueues makes the queue pairs and describes them.
func (w *wire) createQueues() ([]railCard, error) {
	var list []railCard
	for i, r := range w.rails {
		at, port := w.places[i], r.Port()
		landing, rkey := r.Landing()
		c := railCard{Device: at.device, Ethernet: port.Ethernet, IWARP: at.iwarp, LID: port.LID, GID: at.gid.addr, MTU: port.MTU, Reads: reads(r),
			Landing: landing, RKey: rkey, Numbers: make([][]uint32, len(w.peers)), Sequence: rand.Uint32() & 0xffffff}
		if w.set.mtu != 0 {
			c.MTU = min(c.MTU, w.set.mtu)
		}
		if w.cms != nil {
			c.CM = netip.AddrPortFrom(w.addresses[i], uint16(w.cms[i].Port)).String()
			list = append(list, c)
			continue
		}
		for _, p := range w.byQ {
			for _, q := range w.lanes(p) {
				number, err := r.Create(q)
				if err != nil {
					return nil, fmt.Errorf("creating a queue pair on %s for rank %d: %w", at.device, p.rank, explainLocked(err))
				}
				c.Numbers[p.rank] = append(c.Numbers[p.rank], number)
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// reads is how many RDMA reads a queue pair of a rail has under way at a time, and how many of the peer's it answers.
func reads(r *ibv.Rail) int { return max(1, min(r.Port().Reads, 16)) }

// connectQueues brings all queue pairs to the state in which they send.
func (w *wire) connectQueues(cards []card) error {
	for _, p := range w.byQ {
		for i, r := range w.rails {
			own, theirs, at := cards[w.rank].Rails[i], cards[p.rank].Rails[i], w.places[i]
			to := ibv.Address{Sequence: theirs.Sequence, LID: theirs.LID, GID: theirs.GID, MTU: min(own.MTU, theirs.MTU)}
			path := ibv.Path{Global: at.global, GIDIndex: at.gid.index, ServiceLevel: w.set.serviceLevel, TrafficClass: w.set.trafficClass,
				Timeout: w.set.timeout, Retries: retries, Reads: min(own.Reads, theirs.Reads)}
			for lane, q := range w.lanes(p) {
				to.Number = theirs.Numbers[w.rank][lane]
				if err := r.Connect(q, own.Sequence, to, path); err != nil {
					return &device.PeerError{Rank: p.rank, Cause: w.explainConnect(at, to, err)}
				}
			}
		}
	}
	return nil
}

// explainConnect names what a wrong address usually is.
func (w *wire) explainConnect(at place, to ibv.Address, err error) string {
	text := fmt.Sprintf("connecting port %d of %s to queue pair %#x: %v", at.port.number, at.device, to.Number, err)
	if at.global {
		text += fmt.Sprintf("; from GID %v to GID %v; the GIDs of this port are %s", at.gid, gid{addr: to.GID}.ip(), listGIDs(at.port))
	} else {
		text += fmt.Sprintf("; from LID %d to LID %d", w.rails[0].Port().LID, to.LID)
	}
	return text
}
