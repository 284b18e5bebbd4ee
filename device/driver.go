package device

import (
	"context"
	"slices"
	"strings"
	"sync"

	"gobench/nearest"
)

// A Driver opens one kind of transport. It is stateless, and registers itself when its package is
// imported (package transports/all imports them all).
type Driver interface {
	Name() string  // as in --transport=NAME
	About() string // one line
	// Probe returns nil if the transport can be used on this machine, else an *UnavailableError
	// with the reason.
	Probe() error
	// Options lists the options of Open, with defaults.
	Options() []Option
	// Open is collective over the job. Ownership of the device passes to the
	// caller, who closes it.
	Open(ctx context.Context, job Job, opts Options) (Device, error)
}

// An OptionProber is a Driver whose Probe depends on options, such as the file of a library.
type OptionProber interface {
	// ProbeWith is Probe for a device with these options.
	ProbeWith(opts Options) error
}

// ProbeWith is Probe of a driver for a device with these options.
func ProbeWith(d Driver, opts Options) error {
	if p, ok := d.(OptionProber); ok {
		return p.ProbeWith(opts)
	}
	return d.Probe()
}

// A RawOpener is a Driver that opens the wire below the protocol (level "raw"). Such a channel
// delivers the messages between a pair of ranks in order, one receive for one send, and ignores tag
// and context. Wildcards are an *ArgumentError. Memory for messages without a receive is bounded:
// senders wait.
type RawOpener interface {
	OpenRaw(ctx context.Context, job Job, opts Options) (Channel, error)
}

// RawLinker is a RawOpener whose channels are Linkers.
type RawLinker interface {
	RawOpener
	// RawLinks does nothing. It marks the driver.
	RawLinks()
}

// A Describer is a Driver that can describe the hardware it found, for gobench probe. It is called
// only if Probe returned nil.
type Describer interface {
	Describe() []Feature
}

// A Feature is a named property of a device, such as "offloads", with its value.
type Feature struct {
	Device string `json:"device"`
	Name   string `json:"name"`
	Value  string `json:"value"`
}

var registry struct {
	sync.Mutex
	drivers []Driver
}

// Register adds a driver. It panics if the name is taken, which is a programming error.
func Register(d Driver) {
	registry.Lock()
	defer registry.Unlock()
	for _, other := range registry.drivers {
		if other.Name() == d.Name() {
			panic("device: two drivers are named " + d.Name())
		}
	}
	registry.drivers = append(registry.drivers, d)
}

// Drivers returns all drivers, sorted by name.
func Drivers() []Driver {
	registry.Lock()
	defer registry.Unlock()
	list := slices.Clone(registry.drivers)
	slices.SortFunc(list, func(a, b Driver) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// An Aliaser is a Driver that Lookup also finds under the names that other programs use for it.
type Aliaser interface {
	Aliases() []string // lower case
}

// Lookup returns the driver with a name or an alias, ignoring case; in the name of a combination,
// such as smem+tcp, each part may be an alias. Its error is an *UnknownError that lists the
// registered drivers.
func Lookup(name string) (Driver, error) {
	drivers := Drivers()
	parts := strings.Split(strings.ToLower(name), "+")
	for i, part := range parts {
		for _, d := range drivers {
			if a, ok := d.(Aliaser); ok && slices.Contains(a.Aliases(), part) {
				parts[i] = d.Name()
			}
		}
	}
	plain := strings.Join(parts, "+")
	var names []string
	for _, d := range drivers {
		if d.Name() == plain {
			return d, nil
		}
		names = append(names, d.Name())
	}
	return nil, &UnknownError{What: "transport", Name: name, Known: names}
}

// An UnknownError reports a name given by the user that does not exist. All packages of this module
// return it.
type UnknownError = nearest.UnknownError
