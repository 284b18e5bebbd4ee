package pairwise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/netif"
	"gobench/pairs"
)

const (
	// dialTimeout is the time-out of one connection between hosts, and of its data.
	dialTimeout = 2 * time.Second
	// dialsAtOnce is the number of hosts that a worker connects to at the same time.
	dialsAtOnce = 16
	// longSize is the number of bytes that pass in several packets of any MTU.
	longSize = 64 << 10
	// reachTimeout is the time-out of a host that connects to others, besides what that takes.
	reachTimeout = 10 * time.Second
)

// reachTime returns the longest time in which a host connects to n others: each may take one
// time-out for the connection and one for the data.
func reachTime(n int) time.Duration {
	return reachTimeout + 2*dialTimeout*time.Duration((n+dialsAtOnce-1)/dialsAtOnce)
}

// A target is a host that listens, for a worker that connects to it.
type target struct {
	Host      string   `json:"host"`
	Addresses []string `json:"addresses"` // with ports, the likeliest first
}

// listen accepts connections on all interfaces, and sends back what they send, until stop is
// called.
func listen() (addresses []string, stop func(), err error) {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return nil, nil, err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(2 * dialTimeout))
				io.CopyN(c, c, 1+longSize)
			}()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	own, _, err := netif.Own(netif.Selection{}, "auto")
	if err != nil {
		l.Close()
		return nil, nil, err
	}
	for _, c := range own {
		addresses = append(addresses, net.JoinHostPort(c.Addr.String(), fmt.Sprint(port)))
	}
	return addresses, func() { l.Close() }, nil
}

// dialAll connects to each target and tries short and long packets.
func dialAll(ctx context.Context, targets []target) []pairs.Reach {
	results := make([]pairs.Reach, len(targets))
	slots := make(chan struct{}, dialsAtOnce)
	var wait sync.WaitGroup
	for i, t := range targets {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = t.dial(ctx)
		})
	}
	wait.Wait()
	return results
}

// dial connects to the first address that answers; all are tried at the same time, because one of
// them may be that of a network of containers, which every host has.
func (t target) dial(ctx context.Context) pairs.Reach {
	ctx, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	type answer struct {
		r   pairs.Reach
		err error
	}
	answers := make(chan answer, len(t.Addresses))
	for _, a := range t.Addresses {
		go func() {
			r, err := try(ctx, a)
			answers <- answer{r, err}
		}()
	}
	var errs []string
	best := pairs.Reach{}
	for range t.Addresses {
		a := <-answers
		switch {
		case a.err != nil:
			errs = append(errs, shortened(a.err))
		case a.r.Long:
			a.r.To = t.Host
			return a.r
		default:
			best = a.r
		}
	}
	best.To = t.Host
	if best.Address == "" {
		slices.Sort(errs)
		best.Failed = strings.Join(slices.Compact(errs), "; ")
		best.Failed = cmp.Or(best.Failed, "it has no address")
	}
	return best
}

// try connects to an address.
func try(ctx context.Context, address string) (pairs.Reach, error) {
	start := time.Now()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return pairs.Reach{}, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(dialTimeout))
	r := pairs.Reach{Address: address, Seconds: time.Since(start).Seconds()}
	word := []byte{1}
	if _, err := c.Write(word); err != nil {
		return r, err
	}
	if _, err := io.ReadFull(c, word); err != nil {
		return pairs.Reach{}, fmt.Errorf("%s accepts connections and does not answer: %w", address, err)
	}
	data := make([]byte, longSize)
	if _, err := c.Write(data); err == nil {
		_, err = io.ReadFull(c, data)
		r.Long = err == nil
	}
	r.MTU = pathMTU(c)
	return r, nil
}

// pathMTU returns the MTU of the path of a connection, as the kernel knows it, 0 if it does not.
func pathMTU(c net.Conn) (mtu int) {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return 0
	}
	raw.Control(func(fd uintptr) {
		if n, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MTU); err == nil {
			mtu = n
		} else if n, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MTU); err == nil {
			mtu = n
		}
	})
	return mtu
}

// shortened returns an error of package net without what everybody knows.
func shortened(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Addr != nil {
		if op.Timeout() {
			return fmt.Sprintf("%v does not answer", op.Addr)
		}
		return fmt.Sprintf("%v: %v", op.Addr, op.Err)
	}
	return err.Error()
}

// Reach connects every host with every other one, in both directions. Hosts that have not done so
// when ctx ends are left out; deaf has those that
// could not listen, with the reason.
func (w *Workers) Reach(ctx context.Context) (all []pairs.Reach, deaf map[string]error) {
	deaf = map[string]error{}
	var mu sync.Mutex
	var targets []target
	var wait sync.WaitGroup
	for name, r := range w.all {
		wait.Go(func() {
			addresses, err := r.listening(ctx)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				targets = append(targets, target{name, addresses})
			case ctx.Err() == nil:
				deaf[name] = err
			}
		})
	}
	wait.Wait()
	slices.SortFunc(targets, func(a, b target) int { return strings.Compare(a.Host, b.Host) })
	for _, t := range targets {
		wait.Go(func() {
			others := slices.DeleteFunc(slices.Clone(targets), func(o target) bool { return o.Host == t.Host })
			if len(others) == 0 {
				return // an order without targets has no answer
			}
			list, err := w.all[t.Host].dialing(ctx, others)
			if err != nil && ctx.Err() != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for i, o := range others {
				r := pairs.Reach{To: o.Host}
				if err != nil {
					r.Failed = err.Error()
				} else if i < len(list) {
					r = list[i]
				}
				r.From = t.Host
				all = append(all, r)
			}
		})
	}
	wait.Wait()
	for _, t := range targets {
		w.all[t.Host].send(order{Listen: "end"})
	}
	slices.SortFunc(all, func(a, b pairs.Reach) int {
		return strings.Compare(a.From+"\x00"+a.To, b.From+"\x00"+b.To)
	})
	return all, deaf
}

func (r *remoteWorker) listening(ctx context.Context) ([]string, error) {
	if err := r.send(order{Listen: "begin"}); err != nil {
		return nil, err
	}
	a, err := await(ctx, r.reached, answerTimeout)
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a.Addresses, err
}

func (r *remoteWorker) dialing(ctx context.Context, targets []target) ([]pairs.Reach, error) {
	if err := r.send(order{Dial: targets}); err != nil {
		return nil, err
	}
	a, err := await(ctx, r.reached, reachTime(len(targets)))
	return a.List, err
}

// await receives a value within a time.
func await[T any](ctx context.Context, from <-chan T, d time.Duration) (v T, err error) {
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	select {
	case v = <-from:
		return v, nil
	case <-timeout.C:
		return v, fmt.Errorf("no answer within %v", d)
	case <-ctx.Done():
		return v, context.Cause(ctx)
	}
}
