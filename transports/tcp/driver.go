package tcp

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/netif"
	"gobench/internal/remedy"
)

const name = "tcp"

func init() { device.Register(driver{}) }

// driver implements device.Driver, device.RawOpener and device.OptionProber.
type driver struct{}

var (
	_ device.RawOpener    = driver{}
	_ device.OptionProber = driver{}
	_ protocol.WireOpener = driver{}
	_ protocol.RMA        = (*wire)(nil)
	_ protocol.Peeker     = (*wire)(nil)
	_ protocol.Sleeper    = (*wire)(nil)
	_ protocol.Lander     = (*wire)(nil)
	_ protocol.Severer    = (*wire)(nil)
	_ protocol.Leaver     = (*wire)(nil)
)

func (driver) Name() string  { return name }
func (driver) About() string { return "TCP sockets, on one host or between hosts" }

// Probe connects over the loopback interface: one that is down can be listened on.
func (driver) Probe() error {
	err := netif.Loop()
	if err == nil {
		return nil
	}
	return &device.UnavailableError{Transport: name, Reason: err.Error(), Remedy: netif.LoopRemedy(err)}
}

// ProbeWith is Probe where the options may use the loopback interface: not for sockets of
// family=vsock, nor with bind, whose networks join hosts as a rule.
func (d driver) ProbeWith(opts device.Options) error {
	if opts.Word("family") == "vsock" || opts.Word("bind") != "" {
		return nil
	}
	return d.Probe()
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
	set, err := parse(opts, job)
	if err == nil {
		err = errors.Join(refuseGet(opts), set.checkMultipath(), set.checkFamily())
	}
	if err != nil {
		return nil, c, err
	}
	set.pairs = pairs
	m, err := connect(ctx, job, set)
	if err != nil {
		return nil, c, err
	}
	mtu, multipath := m.mtu(), m.multipath(set) // while package net has the connections
	w, err := newWire(job.Rank(), set, m)
	if err != nil {
		return nil, c, fmt.Errorf("preparing the sockets: %w", err)
	}
	c.InForce, c.Found = w.inForce()
	c.Route, c.MTU = m.path, mtu
	if multipath != "" {
		c.InForce["mptcp"] = multipath
	}
	if f := c.InForce["family"]; set.family == "smc" && f != "smc-r" && f != "smc-d" {
		c.Warnings = append(c.Warnings, "family=smc: it is not certain that data go by SMC: "+f)
	}
	if set.multipath && multipath != "on" && multipath != "" {
		c.Warnings = append(c.Warnings, "mptcp=on: connections fell back to TCP ("+multipath+")")
	}
	if c.InForce["congestion"] == "bbr" && set.congestion == "" && c.Route != "" {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the system's congestion control is bbr, which paces: long messages may be slower than shorter ones; compare with %v", remedy.Transport("congestion", "cubic")))
	}
	return w, c, nil
}

// refuseGet returns an error if the options select a method by which one rank reads another's
// memory: over TCP the owner of the memory has to send it anyway. It is called before anything is
// connected.
func refuseGet(opts device.Options) error {
	switch m := opts.Word("rndv"); m {
	case protocol.Get.String(), protocol.Split.String():
		return &device.ValueError{Option: "rndv", Value: m, Want: "auto, pipeline or put: over TCP nobody can read a peer's memory"}
	}
	return nil
}

// newWire returns the wire of connected sockets, which it owns even if it returns an error.
func newWire(rank int, set settings, m *mesh) (*wire, error) {
	w := &wire{rank: rank, set: set, limits: limits(set), peers: make([]*peer, len(m.conns)),
		scratch: scratchFor(set), later: m.later, hint: device.AnySource, peeks: set.engineName == "poll"}
	w.limits.Goroutines = m.goroutines
	for other, list := range m.conns {
		if list == nil && (m.later == nil || !m.later.Wants(other)) {
			continue
		}
		p := &peer{rank: other}
		l := &absent{later: m.later, rank: other, within: set.later}
		p.out = &conn{wire: w, peer: p, link: l}
		if p.in = p.out; set.connections > 1 {
			p.in = &conn{wire: w, peer: p, link: l}
		}
		w.peers[other] = p
		if list == nil {
			continue
		}
		if err := w.attach(p, list); err != nil {
			w.abandon()
			m.close()
			return nil, err
		}
		w.serve(p)
	}
	return w, nil
}

// eagerLimit is the size above which the round trip of a rendezvous takes a negligible share of the
// time. Up to it an eager message costs one copy more than a rendezvous if its receive is posted
// late (docs/notes/tcp.md).
const eagerLimit = 2 << 20

func limits(set settings) protocol.Limits {
	return protocol.Limits{
		Packet:        packetLimit,
		Fragment:      packetLimit,
		EagerLimit:    eagerLimit,
		Calls:         set.engineName == "poll",
		MemoryPerPair: 2 * int64(set.connections*inboundSize+outboundSize),
		Methods:       []protocol.Method{protocol.Put},
		Copy:          "stream",
	}
}

// inForce returns the values in force of options, and the sizes of the buffers, which the kernel
// chooses within its bounds (sysctl net.ipv4.tcp_wmem and tcp_rmem) and changes while it sends.
func (w *wire) inForce() (m, found map[string]string) {
	m, found = map[string]string{}, map[string]string{}
	if len(w.live) == 0 {
		return m, found
	}
	for name, option := range map[string]int{"sndbuf_kernel": syscall.SO_SNDBUF, "rcvbuf_kernel": syscall.SO_RCVBUF} {
		if n, err := w.live[0].out.link.option(option); err == nil {
			found[name] = fmt.Sprint(n)
		}
	}
	m["family"] = w.set.familyInForce(w.live[0].out.link.descriptor())
	if name, err := w.live[0].out.link.congestion(); err == nil && name != "" {
		m["congestion"] = name
	}
	return m, found
}
