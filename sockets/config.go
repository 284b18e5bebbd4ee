package sockets

import (
	"math"
	"runtime"
	"time"
)

// Options are settings of fast connections. The zero Options are the defaults.
type Options struct {
	// Buffer is the size in bytes of the ring of each direction, rounded up to a power of two, 4
	// KiB to 64 MiB. The dialing side decides. 0 = DefaultBuffer.
	Buffer int
	// Direct is the size in bytes from which the data of a Write need not be copied into the ring:
	// the reader copies it out of the writer's memory, if the kernel allows that, and unless the
	// ring has been faster, as between near cores. 0 = DefaultDirect, less than 0 = never.
	Direct int
	// Poll is the time for which a Read or Write polls before it sleeps, as long as waits are much
	// shorter; otherwise it sleeps almost immediately. 0 = DefaultPoll, less than 0 = no polling at
	// all.
	Poll time.Duration
}

// Defaults of Options, by measurement (docs/notes/sockets.md).
const (
	DefaultBuffer = 1 << 20
	DefaultDirect = 64 << 10
	DefaultPoll   = 50 * time.Microsecond
)

// settings are Options with the defaults filled in.
type settings struct {
	buffer int
	direct int
	poll   time.Duration
	// copyTimeout is the time for which a writer that must not wait still waits for a copy that the
	// reader has begun.
	copyTimeout time.Duration
	single      bool // one goroutine of this process runs at a time, and the peer may be another
}

func (o Options) settings() settings {
	s := settings{DefaultBuffer, DefaultDirect, DefaultPoll, time.Second, runtime.GOMAXPROCS(0) == 1}
	if o.Buffer > 0 {
		s.buffer = bufferSize(o.Buffer)
	}
	switch {
	case o.Direct > 0:
		s.direct = o.Direct
	case o.Direct < 0:
		s.direct = math.MaxInt
	}
	switch {
	case o.Poll > 0:
		s.poll = o.Poll
	case o.Poll < 0:
		s.poll = 0
	}
	if runtime.NumCPU() == 1 && o.Poll == 0 {
		s.poll = 0 // the peer needs the only processor
	}
	return s
}

// BufferSize returns the size of a ring in bytes, as it is rounded.
func (o Options) BufferSize() int { return o.settings().buffer }

// DirectSize returns the size in bytes from which data are not copied into the ring.
func (o Options) DirectSize() int { return o.settings().direct }
