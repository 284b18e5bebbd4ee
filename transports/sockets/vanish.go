package sockets

import (
	"net"
	"sync/atomic"
	"time"

	"gobench/device"
	"gobench/internal/netif"
)

// hostTimeout is the time after which a peer whose host does not answer is lost: that of tcp's
// option peer_timeout.
const hostTimeout = 10 * time.Second

// A watched is a stream over TCP whose peer's host may vanish.
type watched struct {
	peer    *peer
	host    string
	address string
	watch   netif.Watch
	echo    *atomic.Bool // the host answers a new connection; nil: it was not asked
}

// watchHosts looks once a second whether the hosts of the peers answer, until stop is closed: a
// blocking write to one that has vanished, or to which long packets do not get, would last until
// the kernel gives up, after a quarter of an hour.
func watchHosts(list []*watched, stop <-chan struct{}) {
	tick := time.NewTicker(hostTimeout / 10)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			for _, w := range list {
				w.look(now)
			}
		}
	}
}

// look asks the kernel about the host of a peer that is not lost.
func (w *watched) look(now time.Time) {
	if w.peer.err.Load() != nil {
		return
	}
	var silent time.Duration
	var packet int
	w.peer.stream.(descriptor).control(func(fd int) {
		silent, _ = w.watch.Silent(fd, now)
		packet = w.watch.Packet(fd)
	})
	w.judge(silent, packet)
}

// judge ends the stream of a peer whose host has not answered for hostTimeout. packet is an
// argument of netif.Watch.Packet.
func (w *watched) judge(silent time.Duration, packet int) {
	switch {
	case silent >= hostTimeout:
		cause := netif.DescribeSilence(w.host, silent, packet, w.echo != nil && w.echo.Load())
		w.peer.err.CompareAndSwap(nil, &device.PeerError{Rank: w.peer.rank, Cause: cause})
		w.peer.stream.SetDeadline(time.Unix(1, 0))
	case silent < hostTimeout/2:
		w.echo = nil // what the host answers in a later silence is asked then
	case w.echo == nil:
		w.echo = netif.Answers(w.address, hostTimeout-silent)
	}
}

// A descriptor is a stream that is a socket of the kernel.
type descriptor interface {
	// control calls f with the socket, unless it is closed.
	control(f func(fd int))
}

// watch adds a peer to those that watchHosts looks at, if its stream leaves this host.
func (c *channel) watch(p *peer, conn net.Addr) {
	at, ok := conn.(*net.TCPAddr)
	if _, is := p.stream.(descriptor); ok && is && !at.IP.IsLoopback() {
		c.watched = append(c.watched, &watched{peer: p, host: at.IP.String(), address: at.String()})
	}
}
