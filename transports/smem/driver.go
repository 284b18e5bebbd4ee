package smem

import (
	"context"
	"os"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
)

// Name is the transport's name, as in --transport=smem.
const Name = "smem"

func init() { device.Register(driver{}) }

// driver has no state: all of it is in the wire. The wire implements every optional interface of
// package protocol but those of networks (Lander, Notifier, Looper), and one of hybrid's two wires
// is always of this driver.
type driver struct{}

var (
	_ device.RawOpener    = driver{}
	_ protocol.WireOpener = driver{}
	_ protocol.RMA        = (*wire)(nil)
	_ protocol.Peeker     = (*wire)(nil)
	_ protocol.Sleeper    = (*wire)(nil)
	_ protocol.Router     = (*wire)(nil)
	_ protocol.Severer    = (*wire)(nil)
	_ protocol.Leaver     = (*wire)(nil)
	_ protocol.Allocator  = (*wire)(nil)
	_ protocol.Exporter   = (*wire)(nil)
)

func (driver) Name() string { return Name }

// Aliases implements device.Aliaser.
func (driver) Aliases() []string { return []string{"shm", "sm", "vader"} }

func (driver) About() string {
	return "shared memory: ranks of one host, as processes or as goroutines of one process"
}

// Probe tries the system calls that every open needs. Cross memory attach can only be tried on a
// peer, when the transport is opened.
func (driver) Probe() error {
	fd, mem, err := createShared("probe", pageSize)
	if err != nil {
		return &device.UnavailableError{Transport: Name, Reason: err.Error()}
	}
	defer unix.Close(fd)
	defer unix.Munmap(mem)
	there, err := openShared(os.Getpid(), fd)
	if err != nil {
		return &device.UnavailableError{Transport: Name,
			Reason: "memory of another process cannot be opened: " + err.Error(),
			Remedy: "mount /proc"}
	}
	return unix.Munmap(there)
}

// Open implements device.Driver. The device also measures core latencies and shares memory
// (matched).
func (driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	w, config, err := open(ctx, job, opts, nil)
	if err != nil {
		return nil, err
	}
	d, err := protocol.New(w, config)
	if err != nil {
		return nil, err
	}
	return &matched{protocol.Share(d, w), w}, nil
}

// OpenRaw implements device.RawOpener.
func (driver) OpenRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	w, config, err := open(ctx, job, opts, nil)
	if err != nil {
		return nil, err
	}
	r, err := protocol.NewRaw(w, config)
	if err != nil {
		return nil, err
	}
	return &raw{r, w}, nil
}

// OpenWire implements protocol.WireOpener. Two ranks with a common peer must be peers of each
// other.
func (driver) OpenWire(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	w, config, err := open(ctx, job, opts, pairs)
	if err != nil {
		return nil, config, err
	}
	return w, config, nil
}

// open checks the options that need no peer, and opens the wire. The Config is valid even if it
// returns an error, because a caller may report what it has asked for.
func open(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (*wire, protocol.Config, error) {
	c := protocol.NewConfig(Name, job, opts)
	w, err := openWire(ctx, job, pairs, opts.Bytes("ring_bytes"), opts.Word("cma"), opts.Word("wait"))
	if err != nil {
		return nil, c, err
	}
	c.InForce, c.Found, c.Warnings = w.inForce(), w.found(), append(w.fenceWarning(), w.unknown...)
	return w, c, nil
}

// matched is the device, raw the channel without matching. Both implement
// device.CoreLatencyMeter.
type matched struct {
	protocol.Sharing
	w *wire
}

type raw struct {
	*protocol.Raw
	w *wire
}

var (
	_ device.Device           = (*matched)(nil)
	_ device.CoreLatencyMeter = (*matched)(nil)
	_ device.Sharer           = (*matched)(nil)
	_ device.Binder           = (*matched)(nil)
	_ device.CoreLatencyMeter = (*raw)(nil)
)

// Interrupt implements device.Interrupter, for CoreLatency as well.
func (d *matched) Interrupt(cause error) {
	d.w.interrupt.CompareAndSwap(nil, &cause)
	d.Sharing.Interrupt(cause)
}

// Interrupt implements device.Interrupter, for CoreLatency as well.
func (r *raw) Interrupt(cause error) {
	r.w.interrupt.CompareAndSwap(nil, &cause)
	r.Raw.Interrupt(cause)
}

// CoreLatency implements device.CoreLatencyMeter.
func (d *matched) CoreLatency(peer, line, rounds int) (float64, error) {
	return d.w.coreLatency(peer, line, rounds)
}

// CoreLatency implements device.CoreLatencyMeter.
func (r *raw) CoreLatency(peer, line, rounds int) (float64, error) {
	return r.w.coreLatency(peer, line, rounds)
}
