//go:build verbs && cgo

package verbs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"syscall"

	"gobench/device"
	"gobench/device/contact"
	"gobench/transports/verbs/ibv"
)

// connector connects the queue pairs with those of all peers.
type connector struct {
	q         *queues
	cms       []*ibv.CM // of the rails, where RDMA CM connects; else none
	usesCM    bool
	addresses []netip.Addr // where they listen
	endpoints []endpoint   // of all ranks
	joining   joining
	parted    []*peer // whose connections have ended by RDMA CM, until they are failed
}

// endpointVersion changes whenever the format of packets or endpoints does.
const endpointVersion = 7

// endpoint describes a rank to all others.
type endpoint struct {
	Process string         // by device.Process
	Shape   string         // of rails, buffers and credits, which must agree
	Secret  []byte         `json:",omitempty"` // of rank 0: callers by RDMA CM must know it
	Rails   []railEndpoint `json:",omitempty"`
}

// railEndpoint describes one rail of a rank.
type railEndpoint struct {
	Device   string
	Ethernet bool
	IWARP    bool
	LID      uint16
	GID      [16]byte
	MTU      int
	Reads    int // outstanding reads of a queue pair; adapters differ
	Landing  uint64
	RKey     uint32
	Numbers  [][]ibv.Numbers `json:",omitempty"` // of the queues, by the peer's rank
	Sequence uint32          // packet number at which all of them start
	CM       string          `json:",omitempty"` // where this rank listens for RDMA CM
}

// connect connects this rank with all others. failed is the reason why it cannot take part, or nil.
// All ranks return the error of the lowest rank that cannot take part.
func (n *connector) connect(ctx context.Context, job device.Job, failed error) error {
	mine := endpoint{Process: device.Process(), Shape: n.shape()}
	if job.Rank() == 0 {
		secret := contact.NewSecret()
		mine.Secret = secret[:]
	}
	if failed == nil {
		mine.Rails, failed = n.createQueues()
	}
	endpoints, err := device.Agree(ctx, job, endpointVersion, mine, failed)
	if err != nil {
		return err
	}
	if len(endpoints[0].Secret) != contact.SecretSize {
		return &device.ProtocolError{Rank: 0, Detail: "it gave no secret for the job"}
	}
	n.endpoints = endpoints
	if err = n.check(endpoints); err == nil && n.q.set.lazy {
		n.joining.by = max(connectBound, 4*n.q.set.quiet)
	} else if err == nil && n.cms != nil {
		err = n.connectCM(ctx)
	} else if err == nil {
		err = n.connectQueues(endpoints)
	}
	// No rank sends before all can receive.
	_, err = device.Agree(ctx, job, endpointVersion, endpoint{}, err)
	return err
}

// token returns the proof of a rank that it may connect a queue to that of another.
func (n *connector) token(from, to, lane int) uint64 {
	secret := contact.Secret(n.endpoints[0].Secret)
	t := secret.Token(from, to, lane)
	return binary.LittleEndian.Uint64(t[:])
}

// shape describes the configuration that must be equal on all ranks.
func (n *connector) shape() string {
	return fmt.Sprintf("%d rails, %d queue pairs of %s for each peer, %d credits, buffers of %d bytes", len(n.q.rails), n.q.set.queues, n.q.set.service, n.q.set.credits, n.q.set.buffer)
}

// check compares the endpoints of all ranks and stores the landing addresses of peers.
func (n *connector) check(endpoints []endpoint) error {
	n.q.limits.Goroutines = len(n.q.byQ) > 0
	for _, p := range n.q.byQ {
		rank, c := p.Rank, endpoints[p.Rank]
		n.q.limits.Goroutines = n.q.limits.Goroutines && c.Process == endpoints[n.q.rank].Process
		if c.Shape != endpoints[n.q.rank].Shape || len(c.Rails) != len(n.q.rails) {
			return &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf("it has %s, this rank has %s", c.Shape, endpoints[n.q.rank].Shape)}
		}
		for i, r := range c.Rails {
			if len(r.Numbers) != len(endpoints) || !n.usesCM && len(r.Numbers[n.q.rank]) != n.q.set.lanes() {
				return &device.ProtocolError{Rank: rank, Detail: "it reports the wrong number of queue pairs"}
			}
			if own := endpoints[n.q.rank].Rails[i]; r.Ethernet != own.Ethernet || r.IWARP != own.IWARP {
				return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("its %s and this rank's %s are not of the same kind of network", r.Device, own.Device)}
			}
			p.remote = append(p.remote, target{r.Landing, r.RKey})
			if n.q.set.service == "ud" {
				limit := ibv.MaxDatagram(n.pathMTU(i, rank))
				n.q.limits.Packet, n.q.limits.Fragment = min(n.q.limits.Packet, limit), min(n.q.limits.Fragment, limit)
			}
		}
	}
	return nil
}

// createQueues makes the queue pairs and describes them.
func (n *connector) createQueues() ([]railEndpoint, error) {
	var list []railEndpoint
	for i, r := range n.q.rails {
		at, port := n.q.railAddresses[i], r.Port()
		landing, rkey := r.Landing()
		c := railEndpoint{Device: at.device, Ethernet: port.Ethernet, IWARP: at.iwarp, LID: port.LID, GID: at.gid.addr, MTU: port.MTU, Reads: reads(r),
			Landing: landing, RKey: rkey, Numbers: make([][]ibv.Numbers, len(n.q.peers)), Sequence: rand.Uint32() & 0xffffff}
		if n.q.set.mtu != 0 {
			c.MTU = min(c.MTU, n.q.set.mtu)
		}
		if n.cms != nil {
			c.CM = netip.AddrPortFrom(n.addresses[i], uint16(n.cms[i].Port)).String()
			list = append(list, c)
			continue
		}
		for _, p := range n.q.byQ {
			for _, q := range n.q.lanes(p) {
				numbers, err := r.Create(q)
				if err != nil {
					return nil, fmt.Errorf("creating a queue pair on %s for rank %d: %w", at.device, p.Rank, explainLocked(err))
				}
				c.Numbers[p.Rank] = append(c.Numbers[p.Rank], numbers)
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// pathMTU returns the path MTU (enum ibv_mtu) of a rail with that of a peer: the smaller of both.
func (n *connector) pathMTU(rail, rank int) int {
	return min(n.endpoints[n.q.rank].Rails[rail].MTU, n.endpoints[rank].Rails[rail].MTU)
}

// reads returns the maximum number of outstanding RDMA reads of a queue pair, as initiator and as
// target.
func reads(r *ibv.Rail) int { return max(1, min(r.Port().Reads, 16)) }

// connectQueues moves all queue pairs to the state ready to send.
func (n *connector) connectQueues(endpoints []endpoint) error {
	for _, p := range n.q.byQ {
		for i, r := range n.q.rails {
			own, theirs, at := endpoints[n.q.rank].Rails[i], endpoints[p.Rank].Rails[i], n.q.railAddresses[i]
			to := ibv.Address{Sequence: theirs.Sequence, LID: theirs.LID, GID: theirs.GID, MTU: n.pathMTU(i, p.Rank)}
			path := ibv.Path{Global: at.global, GIDIndex: at.gid.index, ServiceLevel: n.q.set.serviceLevel, TrafficClass: n.q.set.trafficClass,
				Timeout: n.q.set.timeout, Retries: retries, Reads: min(own.Reads, theirs.Reads)}
			for lane, q := range n.q.lanes(p) {
				to.Numbers = theirs.Numbers[n.q.rank][lane]
				if err := connectQueue(r, q, own.Sequence, to, path); err != nil {
					return &device.PeerError{Rank: p.Rank, Cause: explainConnect(at, own.LID, to, err)}
				}
			}
		}
	}
	return nil
}

// resolveTries is the number of attempts of libibverbs to resolve the Ethernet address of a peer.
// With many concurrent requests it sometimes misses the answer to the first one.
const resolveTries = 3

// connectQueue moves one queue pair to the state ready to send.
func connectQueue(r *ibv.Rail, queue int, sequence uint32, to ibv.Address, path ibv.Path) (err error) {
	for range resolveTries {
		if err = r.Connect(queue, sequence, to, path); !errors.Is(err, syscall.ETIMEDOUT) {
			return err
		}
	}
	return err
}

// explainConnect adds the addresses of both sides, one of which is usually wrong.
func explainConnect(at railAddress, lid uint16, to ibv.Address, err error) string {
	text := fmt.Sprintf("connecting port %d of %s to queue pair %#x: %v", at.port.number, at.device, to.Receiver, err)
	if at.global {
		text += fmt.Sprintf("; from GID %v to GID %v; the GIDs of this port are %s", at.gid, gid{addr: to.GID}.ip(), listGIDs(at.port))
	} else {
		text += fmt.Sprintf("; from LID %d to LID %d", lid, to.LID)
	}
	return text
}
