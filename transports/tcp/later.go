package tcp

import (
	"errors"
	"net"
	"time"

	"gobench/device"
	"gobench/device/contact"
	"gobench/device/protocol"
)

// absent is the link of a peer that is not connected yet. The first write connects it; until then
// there is no room.
type absent struct {
	later  *contact.Contacts
	rank   int
	within time.Duration
	called bool
}

func (l *absent) read(a, b []byte) (int, error) { return 0, nil }

func (l *absent) write(a, b, c []byte) (int, error) {
	l.call()
	return 0, nil
}

func (l *absent) call() {
	if !l.called {
		l.called = true
		l.later.Call(l.rank, l.within)
	}
}

func (l *absent) finish() error                           { return nil }
func (l *absent) close() error                            { return nil }
func (l *absent) option(int) (int, error)                 { return 0, errAbsent }
func (l *absent) descriptor() int                         { return -1 }
func (l *absent) congestion() (string, error)             { return "", errAbsent }
func (l *absent) packet() int                             { return 0 }
func (l *absent) silent(time.Time) (time.Duration, error) { return 0, nil }

var errAbsent = errors.New("it is not connected")

// connected reports whether p is, or has been, connected.
func (p *peer) connected() bool {
	_, is := p.out.link.(*absent)
	return !is
}

// uncalled reports whether this rank has never connected with p nor begun to.
func (p *peer) uncalled() bool {
	l, is := p.out.link.(*absent)
	return is && !l.called
}

// join handles the peers that have been connected, and those to which connecting has failed.
func (w *wire) join(sink protocol.Sink) {
	for _, c := range w.later.Take() {
		p, err := w.peers[c.Rank], c.Err
		conns := connections(c.Conns)
		if err == nil && p.cause == "" {
			if err = w.set.finish(conns); err == nil {
				err = w.attach(p, conns)
			}
		}
		if err == nil && p.cause == "" {
			w.serve(p)
			continue
		}
		for _, conn := range conns {
			conn.Close()
		}
		if lost := (*device.PeerError)(nil); errors.As(err, &lost) {
			w.fail(p, lost.Cause, sink)
		} else if err != nil {
			w.fail(p, err.Error(), sink)
		}
	}
}

// attach makes the links of p from its connections, which it then owns unless it returns an error.
func (w *wire) attach(p *peer, list []connection) error {
	switch a := list[0].RemoteAddr().(type) { // gone once an engine has the socket
	case *net.TCPAddr:
		p.host, p.address = a.IP.String(), a.String()
	case vsockAddr:
		p.host = a.String()
	}
	links := make([]link, len(list))
	for i, tcp := range list {
		l, err := w.set.engine.link(tcp)
		if err != nil {
			for _, l := range links[:i] {
				l.close()
			}
			return err
		}
		links[i] = l
	}
	// The lower rank sends on connection 0, the higher on connection 1. A single connection is for
	// both.
	out, in := 0, len(list)-1
	if w.rank > p.rank {
		out, in = in, out
	}
	p.out.link, p.in.link = links[out], links[in]
	return nil
}

// serve adds p to the peers from which Poll reads.
func (w *wire) serve(p *peer) {
	w.live = append(w.live, p)
	switch {
	case w.ready != nil:
		w.ready.add(p)
	case w.set.engineName == "poll" && len(w.live) > fewPeers:
		w.ready = newReadiness(w.live)
	}
}

// watchAfter is the time after which Poll connects a peer that it waits for. Otherwise the death of
// that peer would not be detected.
const watchAfter = time.Second

// watch connects a peer that Poll has waited for.
func (w *wire) watch(now time.Time) {
	switch {
	case w.hint < 0 || w.peers[w.hint] == nil || w.peers[w.hint].connected():
		w.missed = time.Time{}
	case w.missed.IsZero():
		w.missed = now
	case now.Sub(w.missed) >= watchAfter:
		w.missed = time.Time{}
		w.peers[w.hint].out.link.(*absent).call()
	}
}

// Leave implements protocol.Leaver.
func (w *wire) Leave(uint64, bool) (strangers []int, said bool) {
	if w.later == nil {
		return nil, false
	}
	return w.later.Leave(), false
}
