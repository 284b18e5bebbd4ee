package seqpacket

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"gobench/device"
)

func socket() (int, error) {
	return unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
}

// connect connects this rank with all others: it connects to every lower rank and accepts every
// higher one. The kernel chooses the names of the listeners in the abstract namespace, which leaves
// no files behind, and job.Exchange distributes them. The names are visible in /proc/net/unix and
// any process may connect: the credentials of the peer exclude other users, but not other processes
// of the same user. The handshake of package tcp excludes those too.
func connect(ctx context.Context, job device.Job) (_ *wire, err error) {
	w := newWire(job.Rank(), job.Size())
	defer func() {
		if err != nil {
			w.Close()
			err = fmt.Errorf("connecting over %s: %w", name, err)
		}
	}()
	listener, err := socket()
	if err != nil {
		return nil, err
	}
	defer unix.Close(listener)
	if err := unix.Bind(listener, &unix.SockaddrUnix{}); err != nil {
		return nil, err
	}
	if err := unix.Listen(listener, job.Size()); err != nil {
		return nil, err
	}
	own, err := unix.Getsockname(listener)
	if err != nil {
		return nil, err
	}
	// The process goes before the name: ranks of one process are goroutines.
	me := []byte(device.Process())
	endpoints, err := job.Exchange(ctx, append(me, own.(*unix.SockaddrUnix).Name...))
	if err != nil {
		return nil, err
	}
	w.limits.Goroutines = !slices.ContainsFunc(endpoints, func(endpoint []byte) bool { return !bytes.HasPrefix(endpoint, me) })
	for rank := range job.Rank() {
		if err := w.call(rank, string(endpoints[rank][len(me):])); err != nil {
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	for missing := job.Size() - job.Rank() - 1; missing > 0; {
		joined, err := w.answer(ctx, listener)
		if err != nil {
			return nil, err
		}
		if joined {
			missing--
		}
	}
	return w, w.ready()
}

// call connects to a listening rank and sends this rank's number.
func (w *wire) call(rank int, address string) error {
	fd, err := socket()
	if err != nil {
		return err
	}
	w.fds[rank] = fd
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: address}); err != nil {
		return err
	}
	_, err = unix.Write(fd, binary.LittleEndian.AppendUint32(nil, uint32(w.rank)))
	return err
}

// answer accepts one connection. It reports false if the connection is not of this job: of another
// user, or with a first packet that names no missing rank.
func (w *wire) answer(ctx context.Context, listener int) (bool, error) {
	timeout := unix.Timeval{Usec: 100_000} // between looks at ctx
	if err := unix.SetsockoptTimeval(listener, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		return false, err
	}
	fd, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return false, context.Cause(ctx)
	}
	if err != nil {
		return false, err
	}
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err == nil && int(who.Uid) == os.Getuid() {
		hello := make([]byte, 5)
		// A rank of this job may lose its processor between its call and its first packet.
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1})
		n, err := unix.Read(fd, hello)
		for err == unix.EINTR { // also with SA_RESTART, because of the time-out
			n, err = unix.Read(fd, hello)
		}
		if n == 4 {
			if rank := int(binary.LittleEndian.Uint32(hello)); rank > w.rank && rank < len(w.fds) && w.fds[rank] < 0 {
				w.fds[rank] = fd
				return true, nil
			}
		}
	}
	return false, unix.Close(fd)
}
