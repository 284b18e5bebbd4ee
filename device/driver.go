package device

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gobench/device/profile"
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

// A SocketOpener is a Driver that opens stream connections as ordinary programs use them (level
// "socket"). Its Open returns an *UnavailableError, because streams have no tagged messages.
//
// Send and Recv of such a channel are blocking write and read calls. A message has no header, so a
// receive fills its whole buffer, and tag and context are ignored. A message of 0 bytes is sent as
// one byte. Wildcards are an *ArgumentError.
type SocketOpener interface {
	OpenSocket(ctx context.Context, job Job, opts Options) (Channel, error)
}

// Levels of measurement that drivers open. Communicators (level "comm") are made over a device.
const (
	LevelRaw    = "raw"
	LevelDevice = "device"
	LevelSocket = "socket"
)

// Levels returns the levels that a driver opens, the usual one first.
func Levels(d Driver) []string {
	if _, ok := d.(SocketOpener); ok {
		return []string{LevelSocket}
	}
	list := []string{LevelDevice}
	if _, ok := d.(RawOpener); ok {
		list = append(list, LevelRaw)
	}
	return list
}

// OpenAt opens a driver at one of its levels. It is collective over the job, and ownership of the
// channel passes to the caller.
func OpenAt(ctx context.Context, d Driver, level string, job Job, opts Options) (Channel, error) {
	if !slices.Contains(Levels(d), level) {
		return nil, fmt.Errorf("transport %s has no level %s, only %s", d.Name(), level, strings.Join(Levels(d), " and "))
	}
	switch level {
	case LevelSocket:
		return d.(SocketOpener).OpenSocket(ctx, job, opts)
	case LevelRaw:
		return d.(RawOpener).OpenRaw(ctx, job, opts)
	}
	return d.Open(ctx, job, opts)
}

// A Trier is a Driver whose best methods depend on the machine. It reads them from the profile in
// force when it opens.
type Trier interface {
	Driver
	// Tried reports whether a profile has the choices for two cores at this latency in seconds.
	Tried(p *profile.Profile, latency float64) bool
	// Try finds them by trials between the two ranks of a job on one host, on the cores of
	// the ranks that will use them. It is collective; rank 0 returns the choices. It takes
	// little longer than the given time.
	Try(ctx context.Context, job Job, within time.Duration) ([]profile.Choice, error)
}
