package device

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Driver opens one kind of transport. A driver is stateless; it registers
// itself when its package is imported (package transports/all names them all).
type Driver interface {
	Name() string  // as in --transport=NAME
	About() string // one line
	// Probe returns nil if the transport can be used here, else an
	// *UnavailableError that says why not.
	Probe() error
	// Options lists what Open understands, with defaults.
	Options() []Option
	// Open is collective over the job. Ownership of the device passes to the
	// caller, who closes it.
	Open(ctx context.Context, job Job, opts Options) (Device, error)
}

// RawOpener is an optional ability of a Driver: OpenRaw opens the wire below
// the protocol (level "raw"). Such a channel delivers messages between a pair
// of ranks in order, one receive for one send, and ignores tag and context;
// wildcards are an *ArgumentError. Memory for messages that no receive waits for is
// bounded: senders wait.
type RawOpener interface {
	OpenRaw(ctx context.Context, job Job, opts Options) (Channel, error)
}

// RawLinker is a RawOpener whose channels are Linkers.
type RawLinker interface {
	RawOpener
	// RawLinks does nothing: that a driver has it is the ability.
	RawLinks()
}

var registry struct {
	sync.Mutex
	drivers []Driver
}

// Register adds a driver. It panics when the name is taken, which only a
// programming error can cause.
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

// Lookup returns the driver of that name, or an *UnknownError that lists the
// known ones.
func Lookup(name string) (Driver, error) {
	var names []string
	for _, d := range Drivers() {
		if d.Name() == name {
			return d, nil
		}
		names = append(names, d.Name())
	}
	return nil, &UnknownError{What: "transport", Name: name, Known: names}
}

// UnknownError says that a name given by the user does not exist.
type UnknownError struct {
	What  string // "transport", "option"
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown %s %q; available: %s", e.What, e.Name, strings.Join(e.Known, ", "))
}
