// Package sctp is the transport over SCTP (RFC 9260): the kernel keeps the boundaries of messages,
// and one socket of a rank reaches all others (one-to-many style, RFC 6458).
//
// # Data path
//
// A packet of the protocol is one SCTP message that begins with the header. Messages to a peer use
// stream 0, so they arrive in order. One system call receives from all peers; the association that
// the kernel reports with a message identifies the sender. Messages that the kernel delivers in
// parts are reassembled. All peers share the buffers of the socket: while a peer takes nothing,
// what is queued for it may leave no room for the messages to others.
//
// # Connecting
//
// Every rank opens one listening socket and announces its address by Job.Exchange. The higher rank
// of a pair sends the first message, a greeting with its rank and a proof that it knows the
// secret of the job, which establishes the association; the lower rank answers. Messages of other associations are ignored.
//
// # Closing and failure
//
// Close ends each association gracefully, so the kernel first delivers data in flight. Meanwhile
// Close reads, because a socket closed with unread data aborts its associations. The kernel reports
// the end of an association after the data before it; then the peer is lost. Unanswered heartbeats
// and retransmissions detect a vanished host within about peer_timeout.
package sctp

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
)

const name = "sctp"

func init() { device.Register(driver{}) }

// driver implements device.Driver and device.RawOpener.
type driver struct{}

var (
	_ device.RawOpener    = driver{}
	_ protocol.WireOpener = driver{}
)

func (driver) Name() string  { return name }
func (driver) About() string { return "SCTP sockets (one-to-many), on one host or between hosts" }

// Probe makes the socket that Open needs.
func (driver) Probe() error {
	fd, err := socket(unix.AF_INET)
	if err != nil {
		return explainSocket(err)
	}
	return unix.Close(fd)
}

// explainSocket names what a kernel without SCTP lacks.
func explainSocket(err error) error {
	reason, remedy := "no SCTP socket can be made: "+err.Error(), ""
	if errors.Is(err, unix.EPROTONOSUPPORT) || errors.Is(err, unix.ESOCKTNOSUPPORT) {
		reason = "this kernel has no SCTP, or its module sctp is not loaded (" + err.Error() + ")"
		remedy = "modprobe sctp, on a kernel with CONFIG_IP_SCTP"
	}
	return &device.UnavailableError{Transport: name, Reason: reason, Remedy: remedy}
}

func (driver) Options() []device.Option { return append(declared(), protocol.Options()...) }

// Open connects all ranks.
func (d driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	return protocol.Open(d.OpenWire(ctx, job, opts, nil))
}

// OpenRaw connects all ranks for level "raw".
func (d driver) OpenRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	return protocol.OpenRaw(d.OpenWire(ctx, job, opts, nil))
}

// OpenWire implements protocol.WireOpener.
func (driver) OpenWire(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	c := protocol.NewConfig(name, job, opts)
	set, err := parse(opts)
	if err != nil {
		return nil, c, err
	}
	w, err := connect(ctx, job, set, pairs)
	if err != nil {
		return nil, c, err
	}
	c.InForce, c.Found = w.socket.inForce()
	return w, c, nil
}
