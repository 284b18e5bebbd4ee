//go:build verbs && cgo

package verbs

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"time"

	"gobench/device"
	"gobench/internal/netif"
	"gobench/transports/native"
	"gobench/transports/verbs/ibv"
)

// openCM listens on every place by RDMA CM, and opens the rails on the devices of the listeners.
func (n *connector) openCM() error {
	if err := ibv.LoadCM(); err != nil {
		return native.Unavailable(name, err, "librdmacm1")
	}
	n.usesCM = true
	for _, at := range n.q.railAddresses {
		c, address, err := listenCM(at, n.q.set)
		if err != nil {
			return err
		}
		n.cms, n.addresses = append(n.cms, c), append(n.addresses, address)
		r, err := c.Open(n.q.railConfig(at.port.number))
		if err != nil {
			return n.q.explainOpen(at, err)
		}
		n.q.add(r)
	}
	return nil
}

// listenCM finds the address that belongs to a port of a device, by trying those of this host.
func listenCM(at railAddress, s settings) (*ibv.CM, netip.Addr, error) {
	tried, err := hostAddresses(s.bind, s.family)
	if err != nil {
		return nil, netip.Addr{}, err
	}
	for _, a := range tried {
		c, err := ibv.ListenCM(a.String(), at.device, at.port.number)
		if err == nil {
			return c, a, nil
		}
		if !ibv.NotHere(err) {
			return nil, a, fmt.Errorf("listening at %v by RDMA CM: %w", a, err)
		}
	}
	return nil, netip.Addr{}, unavailable(fmt.Sprintf("RDMA CM knows port %d of %s by none of the addresses %v", at.port.number, at.device, tried),
		"give its network interface an address, load rdma_ucm, or take exchange=tcp")
}

// hostAddresses lists the addresses of this host that option bind selects and that others can
// reach, version 4 first.
func hostAddresses(bind netif.Selection, family string) ([]netip.Addr, error) {
	candidates, _, err := netif.Own(bind, family)
	if wrong, ok := errors.AsType[*netif.SelectionError](err); ok {
		return nil, &device.ValueError{Option: "bind", Value: bind.String(), Want: wrong.Want + ", or auto"}
	}
	var list []netip.Addr // if empty, the caller reports it
	for _, c := range candidates {
		list = append(list, c.Addr)
	}
	return list, nil
}

// connectBound limits the time in which all connections are made.
const connectBound = 30 * time.Second

// connectCM connects all queues: this rank calls the lower ones and is called by the higher ones.
func (n *connector) connectCM(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectBound)
	defer cancel()
	missing := len(n.q.byQ) * len(n.q.rails) * n.q.set.queues
	for i := range n.q.rails {
		for _, p := range n.q.byQ {
			if p.Rank > n.q.rank {
				break
			}
			for _, q := range n.q.lanes(p) {
				if err := n.dial(i, p, q); err != nil {
					return &device.PeerError{Rank: p.Rank, Cause: err.Error()}
				}
			}
		}
	}
	for missing > 0 {
		moved := false
		for i, r := range n.q.rails {
			e, ok, err := n.cms[i].Next(r)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			moved = true
			done, err := n.stepCM(i, e)
			if err != nil {
				return err
			}
			if done {
				missing--
			}
		}
		if moved {
			continue
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("connecting by RDMA CM: %d connections are missing: %w", missing, context.Cause(ctx))
		case <-time.After(200 * time.Microsecond):
		}
	}
	return nil
}

// dial begins to connect a queue with that of a peer on a rail.
func (n *connector) dial(rail int, p *peer, queue int) error {
	at := n.endpoints[p.Rank].Rails[rail].CM
	to, err := netip.ParseAddrPort(at)
	if err == nil {
		to = netif.Reach(to, n.addresses[rail])
		err = n.cms[rail].Call(n.q.rails[rail], queue, to.Addr().String(), int(to.Port()), n.q.set.trafficClass, n.q.set.timeout)
	}
	if err != nil {
		return fmt.Errorf("calling it at %s: %w", at, err)
	}
	return nil
}

// greet handles RouteResolved of a call. RDMA CM allocates ports independently of TCP, which iWARP
// uses: the port may belong to another connection with the peer, such as one that has just ended.
// Then this side calls again from another port, until the time-out for connecting.
func (n *connector) greet(rail int, e ibv.CMEvent) error {
	r, p := n.q.rails[rail], n.q.byQ[e.Queue%len(n.q.byQ)]
	lane := e.Queue / len(n.q.byQ)
	err := r.Greet(e, n.token(n.q.rank, p.Rank, lane), n.q.rank, lane, reads(r), retries)
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		r.Withdraw(e.Queue)
		return n.dial(rail, p, e.Queue)
	}
	return err
}

// stepCM advances one connection by one step and reports whether it is complete.
func (n *connector) stepCM(rail int, e ibv.CMEvent) (done bool, err error) {
	r, rank := n.q.rails[rail], -1
	switch e.Kind {
	case ibv.ConnectRequest:
		// A lane is connected once.
		if rank = e.Rank; e.Token != n.token(rank, n.q.rank, e.Lane) || rank <= n.q.rank || rank >= len(n.q.peers) || n.q.peers[rank] == nil || e.Lane >= n.q.set.queues ||
			r.Called(n.q.lanes(n.q.peers[rank])[e.Lane]) {
			e.Refuse(false)
			return false, nil
		}
		err = r.Accept(e, n.q.lanes(n.q.peers[rank])[e.Lane], n.pathMTU(rail, rank), reads(r), n.q.set.timeout)
	case ibv.AddressResolved:
		err = r.Route(e)
	case ibv.RouteResolved:
		err = n.greet(rail, e)
	case ibv.Response:
		rank = n.q.byQ[e.Queue%len(n.q.byQ)].Rank
		if err = r.Establish(e, n.pathMTU(rail, rank)); err == nil {
			r.SetLive(e.Queue)
			return true, nil
		}
	case ibv.Established:
		r.SetLive(e.Queue)
		return true, nil
	default:
		err = fmt.Errorf("%v, status %d", e.Kind, e.Status)
	}
	if err != nil {
		if e.Queue >= 0 {
			rank = n.q.byQ[e.Queue%len(n.q.byQ)].Rank
		}
		err = fmt.Errorf("connecting by RDMA CM: %w", err)
		if rank >= 0 {
			err = &device.PeerError{Rank: rank, Cause: err.Error()}
		}
	}
	return false, err
}

// pollCM handles the events of RDMA CM once the device is open: ended connections and, with
// connect=lazy, new ones.
func (n *connector) pollCM() {
	for _, p := range n.q.byQ {
		if n.joining.calls > 0 && !p.Failed && !p.conn.whole && !p.conn.since.IsZero() {
			n.greeted(p)
		}
	}
	for i, c := range n.cms {
		for {
			e, ok, err := c.Next(n.q.rails[i])
			if err != nil || !ok {
				break
			}
			switch e.Kind {
			case ibv.Disconnected, ibv.DeviceRemoval:
				if e.Queue >= 0 {
					n.disconnected(n.q.byQ[e.Queue%len(n.q.byQ)], e.Kind)
				}
			case ibv.ConnectRequest:
				if !n.q.set.lazy {
					e.Refuse(false) // all peers are connected
					break
				}
				n.onRequest(i, e)
			default:
				if n.q.set.lazy && e.Queue >= 0 {
					n.joinStep(i, e)
				}
			}
		}
	}
}

// disconnected notes that the connection with a peer has ended. The peer is given up by part.
func (n *connector) disconnected(p *peer, event ibv.CMKind) {
	if p.end == "" {
		p.end, p.ended = "its connection has ended: "+event.String(), time.Now()
		n.parted = append(n.parted, p)
	}
}
