//go:build verbs && cgo

package verbs

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"gobench/device"
	"gobench/transports/verbs/ibv"
)

// openCM listens on every place by RDMA CM, and opens the rails on the devices that it knows.
func (w *wire) openCM() error {
	if err := ibv.LoadCM(); err != nil {
		return unavailable(err.Error(), "install librdmacm1")
	}
	w.usesCM = true
	for _, at := range w.places {
		c, address, err := listenCM(at, w.set)
		if err != nil {
			return err
		}
		w.cms, w.addresses = append(w.cms, c), append(w.addresses, address)
		r, err := c.Open(w.railConfig(at.port.number))
		if err != nil {
			return w.explainOpen(at, err)
		}
		w.add(r)
	}
	return nil
}

// listenCM finds the address that belongs to a port of a device, by trying those of this host.
func listenCM(at place, s settings) (*ibv.CM, netip.Addr, error) {
	var tried []netip.Addr
	if s.bind != "" {
		a, err := netip.ParseAddr(s.bind)
		if err != nil {
			return nil, a, &device.ValueError{Option: "bind", Value: s.bind, Want: "an IP address or auto"}
		}
		tried = []netip.Addr{a}
	} else {
		tried = hostAddresses(s.family)
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

// hostAddresses lists the addresses of this host that others can reach, version 4 first.
func hostAddresses(family string) []netip.Addr {
	var list []netip.Addr
	nets, _ := net.InterfaceAddrs() // none: the caller says so
	for _, n := range nets {
		p, err := netip.ParsePrefix(n.String())
		if err != nil {
			continue
		}
		a := p.Addr().Unmap()
		if a.IsLoopback() || a.IsLinkLocalUnicast() || family == "4" && !a.Is4() || family == "6" && a.Is4() {
			continue
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return list
}

// connectBound is how long all connections may take.
const connectBound = 30 * time.Second

// connectCM connects all queues: this rank calls the lower ones and is called by the higher ones.
func (w *wire) connectCM(ctx context.Context, cards []card) error {
	ctx, cancel := context.WithTimeout(ctx, connectBound)
	defer cancel()
	missing := len(w.byQ) * len(w.rails) * w.set.queues
	for i, r := range w.rails {
		for _, p := range w.byQ[:w.rank] {
			to, err := netip.ParseAddrPort(cards[p.rank].Rails[i].CM)
			for _, q := range w.lanes(p) {
				if err == nil {
					err = w.cms[i].Call(r, q, to.Addr().String(), int(to.Port()), w.set.trafficClass, w.set.timeout)
				}
			}
			if err != nil {
				return &device.PeerError{Rank: p.rank, Cause: fmt.Sprintf("calling it at %s: %v", cards[p.rank].Rails[i].CM, err)}
			}
		}
	}
	for missing > 0 {
		moved := false
		for i, r := range w.rails {
			e, ok, err := w.cms[i].Next(r)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			moved = true
			done, err := w.stepCM(r, e, cards[0].Secret)
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

// stepCM takes one connection one step further and reports whether it is complete.
func (w *wire) stepCM(r *ibv.Rail, e ibv.CMEvent, secret uint64) (done bool, err error) {
	rank := -1
	switch e.Kind {
	case ibv.ConnectRequest:
		if rank = e.Rank; e.Secret != secret || rank <= w.rank || rank >= len(w.peers) || e.Lane >= w.set.queues {
			e.Refuse(false)
			return false, nil
		}
		err = r.Accept(e, w.lanes(w.peers[rank])[e.Lane], reads(r), w.set.timeout)
	case ibv.AddressResolved:
		err = r.Route(e)
	case ibv.RouteResolved:
		err = r.Greet(e, secret, w.rank, e.Queue/len(w.byQ), reads(r), retries)
	case ibv.Established:
		r.SetLive(e.Queue)
		return true, nil
	default:
		err = fmt.Errorf("%v, status %d", e.Kind, e.Status)
	}
	if err != nil {
		if e.Queue >= 0 {
			rank = w.byQ[e.Queue%len(w.byQ)].rank
		}
		return false, &device.PeerError{Rank: rank, Cause: "connecting by RDMA CM: " + err.Error()}
	}
	return false, nil
}

// connections takes what RDMA CM reports once the device is open: peers whose connection has ended, and with
// connect=lazy those that connect.
func (w *wire) connections() {
	for i, c := range w.cms {
		for {
			e, ok, err := c.Next(w.rails[i])
			if err != nil || !ok {
				break
			}
			switch e.Kind {
			case ibv.Disconnected, ibv.DeviceRemoval:
				if e.Queue >= 0 {
					w.giveUp(w.byQ[e.Queue%len(w.byQ)], "its connection has ended: "+e.Kind.String())
				}
			case ibv.ConnectRequest:
				if !w.set.lazy {
					e.Refuse(false) // everybody is here
					break
				}
				w.asked(i, e)
			default:
				if w.set.lazy && e.Queue >= 0 {
					w.joinStep(i, e)
				}
			}
		}
	}
}
