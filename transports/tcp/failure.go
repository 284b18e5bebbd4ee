package tcp

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
	"time"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/netif"
)

// end fails p after err. A peer that has sent its end frame is reported, too, because its protocol
// need not have answered this rank's goodbye.
func (w *wire) end(p *peer, err error, sink protocol.Sink) {
	if p.in.in.ended && p.in.in.r == p.in.in.w {
		p.left = true
		w.fail(p, "it has closed its device", sink)
		return
	}
	w.fail(p, p.describe(err), sink)
}

// fail reports a peer as dead, after completing the put that was under way to it.
func (w *wire) fail(p *peer, cause string, sink protocol.Sink) {
	if p.cause != "" {
		return
	}
	p.cause = cause
	if !p.connected() {
		w.later.GiveUp(p.rank)
	}
	w.retire(p)
	p.close()
	if len(p.in.in.fill) > 0 {
		p.in.in.advance(len(p.in.in.fill), &w.regions)
	}
	if o := &p.out.out; o.putting {
		sink.Completed(o.token, &device.PeerError{Rank: p.rank, Cause: cause})
	}
	p.out.out = outbound{lost: cause}
	sink.Failed(p.rank, cause)
}

// Sever implements protocol.Severer.
func (w *wire) Sever(peer int) {
	if p := w.peers[peer]; p.in.in.lands {
		p.in.in.fill, p.in.in.lands = nil, false
		p.close() // the memory of the long packet is not written any more
	}
	w.severed = append(w.severed, peer)
}

// sever closes the connections to peers that the protocol has abandoned, which ends their transfers
// and notifies them.
func (w *wire) sever(sink protocol.Sink) {
	for _, rank := range w.severed {
		w.fail(w.peers[rank], "it was given up", sink)
	}
	w.severed = w.severed[:0]
}

// retire removes p from the live peers.
func (w *wire) retire(p *peer) {
	w.live = slices.DeleteFunc(w.live, func(other *peer) bool { return other == p })
	if w.ready != nil {
		w.ready.drop(p)
	}
}

// Idle implements protocol.Wire. It detects peers that died without closing their connections.
func (w *wire) Idle(sink protocol.Sink) {
	if len(w.severed) > 0 {
		w.sever(sink)
	}
	w.idles++
	if w.later != nil {
		w.watch(time.Now())
	}
	for i := len(w.live) - 1; i >= 0; i-- { // fail removes from the list
		p := w.live[i]
		if p.closed {
			continue // settle will report it
		}
		if p.out != p.in {
			w.checkReverse(p, sink)
		}
		if p.cause == "" && p.out.out.lost != "" {
			if p.lasting++; p.lasting >= lossGrace {
				w.fail(p, p.out.out.lost, sink)
			}
		}
		if p.cause == "" && w.idles%healthEvery == 0 {
			w.checkSilence(p, time.Now(), sink)
		}
	}
	w.settle(sink)
}

const (
	// lossGrace is the number of Idles until a peer that takes no more data fails, so that what it
	// sent before its end is received first.
	lossGrace = 5
	// healthEvery is the number of Idles between checks of the kernel's connection: about a tenth
	// of a second.
	healthEvery = 10
)

// checkSilence fails a peer whose host has not answered for too long.
func (w *wire) checkSilence(p *peer, now time.Time, sink protocol.Sink) {
	worst, silent := p.in, time.Duration(0) // the connection that has had no answer for longest
	for _, c := range []*conn{p.in, p.out} {
		d, err := c.link.silent(now)
		if err != nil {
			w.fail(p, p.describe(err), sink)
			return
		}
		if d >= silent {
			worst, silent = c, d
		}
	}
	switch {
	case silent >= w.set.silence:
		w.fail(p, netif.DescribeSilence(p.host, silent, worst.link.packet(), p.echo != nil && p.echo.Load()), sink)
	case silent < w.set.silence/2:
		p.echo = nil // what the host answers in a later silence is asked then
	case p.echo == nil:
		p.echo = netif.Answers(p.address, w.set.silence-silent)
	}
}

// checkReverse reads a connection on which the peer must not send (connections=2).
func (w *wire) checkReverse(p *peer, sink protocol.Sink) {
	_, buf := p.out.in.target(&w.regions)
	n, err := p.out.link.read(nil, buf)
	switch {
	case n > 0:
		w.fail(p, "it sent data on the connection of the other direction", sink)
	case err != nil:
		p.out.lose(err)
	}
}

// describe returns the cause of the end of a connection, for people.
func (p *peer) describe(err error) string {
	switch {
	case errors.Is(err, io.EOF):
		return "it closed its connection without a goodbye: its process has ended"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "its connection was reset: its process has ended"
	case errors.Is(err, syscall.ETIMEDOUT), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Sprintf("its host %s does not answer any more (%v)", p.host, err)
	}
	return err.Error()
}
