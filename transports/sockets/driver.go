// Package sockets measures stream connections as programs use them: TCP, Unix sockets, and the fast
// sockets of gobench/sockets. It supports the level "socket" only: a message is one blocking write
// at one end and blocking reads of equally many bytes at the other, without header or matching, as
// in NetPIPE.
//
// A non-blocking send writes as much as there is room for, and leaves the rest to a goroutine per
// peer, as a program does that sends and receives at the same time.
package sockets

import (
	"context"
	"fmt"
	"time"

	"gobench/device"
	"gobench/internal/netif"
	"gobench/internal/remedy"
	"gobench/sockets"
)

const name = "sockets"

func init() { device.Register(driver{}) }

type driver struct{}

var (
	_ device.SocketOpener = driver{}
	_ device.OptionProber = driver{}
)

func (driver) Name() string  { return name }
func (driver) About() string { return "stream connections: TCP, Unix sockets, fast sockets" }

// Probe creates a listener of every family.
func (driver) Probe() error {
	for _, family := range []string{familyTCP, familyUnix} {
		l, err := listen(context.Background(), settings{family: family}, true)
		if err != nil {
			return &device.UnavailableError{Transport: name, Reason: err.Error()}
		}
		l.Close()
	}
	return nil
}

// ProbeWith connects over the loopback interface where the options need it: other families use Unix
// sockets inside a host.
func (d driver) ProbeWith(opts device.Options) error {
	if opts.Word("family") == familyTCP {
		if err := netif.Loop(); err != nil {
			return &device.UnavailableError{Transport: name, Reason: err.Error(), Remedy: netif.LoopRemedy(err)}
		}
	}
	return d.Probe()
}

// Families of sockets, and ways to wait.
const (
	familyTCP  = "tcp"
	familyUnix = "unix"
	familyFast = "fast"

	callsAuto  = "auto"
	callsBlock = "block"
	callsPoll  = "poll"
)

func (driver) Options() []device.Option {
	return []device.Option{
		{Name: "family", Kind: device.Word, Default: familyFast, Values: []string{familyFast, familyTCP, familyUnix},
			Help: "sockets to measure: fast is shared memory inside a host and TCP between hosts"},
		{Name: "calls", Kind: device.Word, Default: callsAuto, Values: []string{callsAuto, callsBlock, callsPoll},
			Help: "auto: Go's net.Conn, fast polls for poll_us and then sleeps; block: the thread sleeps in read and write, fast never polls; poll: never sleeps"},
		{Name: "poll_us", Kind: device.Count, Default: fmt.Sprint(int(sockets.DefaultPoll / time.Microsecond)),
			Help: "time for which fast polls before it sleeps, microseconds"},
		{Name: "buffer", Kind: device.Bytes, Default: "auto", Max: 64 << 20,
			Help: "buffer of a direction, bytes: ring of fast, send and receive buffers of tcp and unix; auto is the default of each"},
		{Name: "direct", Kind: device.Bytes, Default: "auto",
			Help: "size from which fast copies a message only once, bytes; 0 = never"},
	}
}

// Open returns an error: streams have no messages with tags.
func (driver) Open(context.Context, device.Job, device.Options) (device.Device, error) {
	return nil, &device.UnavailableError{Transport: name, Reason: "streams have no messages with tags", Remedy: fmt.Sprintf("use %v", remedy.Set("level", "socket"))}
}

// settings are the options as values.
type settings struct {
	family, calls string
	buffer        int // 0 = default
	options       sockets.Options
}

func parse(o device.Options) settings {
	s := settings{family: o.Word("family"), calls: o.Word("calls"), buffer: max(0, o.Bytes("buffer"))}
	s.options.Buffer = s.buffer
	switch n := o.Bytes("direct"); {
	case n == 0:
		s.options.Direct = -1
	case n > 0:
		s.options.Direct = n
	}
	s.options.Poll = time.Duration(o.Count("poll_us")) * time.Microsecond
	switch {
	case s.calls == callsBlock || s.options.Poll == 0:
		s.options.Poll = -1
	case s.calls == callsPoll:
		s.options.Poll = time.Hour
	}
	return s
}

// OpenSocket connects all ranks with each other.
func (driver) OpenSocket(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	c := &channel{rank: job.Rank(), peers: make([]*peer, job.Size()), hosts: job.Hosts(), settings: parse(opts), options: opts.Map()}
	if err := c.connect(ctx, job); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}
