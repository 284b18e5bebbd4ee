package sctp

import (
	"context"
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/contact"
	"gobench/device/protocol"
	"gobench/internal/netif"
	"gobench/internal/remedy"
)

// announcement describes a rank to all others.
type announcement struct {
	Process string // by device.Process
	Address string
	Secret  []byte `json:",omitempty"` // of the job, from rank 0
}

// version changes whenever the format of packets or greetings does.
const version = 3

// greetingSize is the length of a greeting: the rank of the sender, and its token.
const greetingSize = 4 + len(token{})

// token is a proof of the sender of a greeting.
type token = [contact.SecretSize]byte

// greeting returns that of a rank to another.
func greeting(secret *contact.Secret, from, to int) []byte {
	t := secret.Token(from, to, 0)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(from)), t[:]...)
}

// greeter returns the rank that has sent a greeting to rank to, false for the message of another
// program.
func greeter(secret *contact.Secret, b []byte, to int) (from int, ok bool) {
	if len(b) != greetingSize {
		return 0, false
	}
	from = int(binary.LittleEndian.Uint32(b))
	return from, hmac.Equal(b, greeting(secret, from, to))
}

// connectBound limits the time in which all associations are made.
const connectBound = 30 * time.Second

// connect connects the pairs of ranks that pairs selects. It is collective: an error of one rank is
// sent to all.
func connect(outer context.Context, job device.Job, set settings, pairs protocol.Pairs) (w *wire, err error) {
	ctx, cancel := context.WithTimeout(outer, connectBound)
	defer cancel()
	w = newWire(job.Rank(), job.Size(), set, pairs)
	defer func() {
		if err != nil && w.socket != nil {
			unix.Close(w.socket.fd)
		}
	}()
	mine := announcement{Process: device.Process()}
	if job.Rank() == 0 {
		secret := contact.NewSecret()
		mine.Secret = secret[:]
	}
	at, failed := ownAddress(set, job.LocalSize() == job.Size())
	var port uint16
	if failed == nil {
		w.socket, port, failed = listen(at, set)
	}
	if failed == nil {
		failed = w.bound()
	}
	mine.Address = netip.AddrPortFrom(at, port).String()
	all, err := device.Agree(ctx, job, version, mine, failed)
	if err != nil {
		return w, err
	}
	if len(all[0].Secret) != contact.SecretSize {
		return w, &device.ProtocolError{Rank: 0, Detail: "it gave no secret for the job"}
	}
	w.limits.Goroutines = job.Size() > 1
	for rank, p := range w.peers {
		w.limits.Goroutines = w.limits.Goroutines && (p == nil || all[rank].Process == mine.Process)
	}
	return w, w.join(outer, ctx, job, all, at)
}

// join makes the associations within the time of ctx, and tells the error of a rank to all. outer
// is the context of the caller: that time is over when a rank has not been reached.
func (w *wire) join(outer, ctx context.Context, job device.Job, all []announcement, at netip.Addr) error {
	_, err := device.Agree(outer, job, version, announcement{}, w.meet(ctx, job, all, at))
	return err
}

// ownAddress returns the address at which this rank is reached: of the loopback interface where all
// ranks are on this host and bind is empty.
func ownAddress(set settings, local bool) (netip.Addr, error) {
	if local && set.bind.String() == "" {
		if set.family == "6" {
			return netip.IPv6Loopback(), nil
		}
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	list, left, err := netif.Own(set.bind, set.family)
	if wrong, ok := errors.AsType[*netif.SelectionError](err); ok {
		return netip.Addr{}, &device.ValueError{Option: "bind", Value: set.bind.String(), Want: wrong.Want}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("this host has no address to use: %s", left)
	}
	if err != nil {
		return netip.Addr{}, err
	}
	return list[0].Addr, nil
}

// meet makes the associations from address at: this rank greets the lower ones and answers the
// higher ones.
func (w *wire) meet(ctx context.Context, job device.Job, all []announcement, at netip.Addr) error {
	secret := contact.Secret(all[0].Secret)
	missing := 0
	for rank, p := range w.peers {
		if p == nil {
			continue
		}
		missing++
		if rank > w.rank {
			continue
		}
		to, err := netip.ParseAddrPort(all[rank].Address)
		if err != nil {
			return &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf("its address cannot be read: %v", err)}
		}
		if err := insist(ctx, func() (bool, syscall.Errno) {
			return w.socket.invite(netif.Reach(to, at), greeting(&secret, w.rank, rank))
		}); err != nil {
			return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("greeting it at %v: %v", to, err)}
		}
	}
	for missing > 0 {
		if ctx.Err() != nil { // checked in each iteration, because other programs may send endlessly
			return w.silent(ctx, job, all, at)
		}
		n, association, notification, more, errno := w.socket.read(w.in)
		if errno == unix.EAGAIN || errno == unix.EINTR {
			w.await(50 * time.Millisecond)
			continue
		}
		if notification {
			switch a, cause, ok := ended(w.in[:n]); {
			case ok && w.by[a] != nil:
				return &device.PeerError{Rank: w.by[a].rank, Cause: cause}
			case ok && cause == notMade:
				return errors.New("connecting by SCTP: " + cause)
			}
			continue
		}
		if errno != 0 || more {
			continue
		}
		rank, ok := greeter(&secret, w.in[:n], w.rank)
		if !ok || rank >= len(w.peers) || w.peers[rank] == nil || w.peers[rank].association != 0 {
			continue
		}
		p := w.peers[rank]
		p.association = association
		w.by[association] = p
		missing--
		if rank > w.rank {
			if err := insist(ctx, func() (bool, syscall.Errno) {
				return w.socket.write(association, greeting(&secret, w.rank, rank), nil, 0)
			}); err != nil {
				return &device.PeerError{Rank: rank, Cause: "answering it: " + err.Error()}
			}
		}
	}
	return nil
}

// silent returns the error of the first rank that has not answered within the time of ctx.
func (w *wire) silent(ctx context.Context, job device.Job, all []announcement, at netip.Addr) error {
	for rank, p := range w.peers {
		if p == nil || p.association != 0 {
			continue
		}
		cause := fmt.Sprintf("no SCTP message has come from %s to %v: %v", all[rank].Address, at, context.Cause(ctx))
		if device.HostName(job, rank) != device.HostName(job, w.rank) {
			cause += fmt.Sprintf("; the launcher reaches both hosts, so a firewall or the routes stop it: let SCTP (IP protocol 132) through, or use %v", remedy.Set("transport", "tcp"))
		}
		return &device.PeerError{Rank: rank, Host: device.HostName(job, rank), State: "cannot be reached", Cause: cause}
	}
	return context.Cause(ctx)
}

// insist repeats a send until there is room for it. The kernel makes room without this rank.
func insist(ctx context.Context, send func() (bool, syscall.Errno)) error {
	for {
		switch over, errno := send(); {
		case errno != 0:
			return errno
		case over:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		time.Sleep(time.Millisecond)
	}
}
