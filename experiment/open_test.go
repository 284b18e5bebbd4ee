package experiment

import (
	"context"
	"errors"
	"testing"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/device"
)

// opener is a Driver that opens one device.
type opener struct {
	device.Driver
	device *closer
}

func (o opener) Name() string { return "opener" }

func (o opener) Open(context.Context, device.Job, device.Options) (device.Device, error) {
	return o.device, nil
}

// closer is a device of two ranks that counts how often it is closed.
type closer struct {
	device.Device
	closed int
}

func (*closer) Info() device.Info { return device.Info{} }
func (*closer) Rank() int         { return 0 }
func (*closer) Size() int         { return 2 }
func (c *closer) Close() error    { c.closed++; return nil }

// What fails after a transport was opened is an error of the rank, and closes the transport.
func TestOpenFailsLate(t *testing.T) {
	gone := errors.New("standard output is closed")
	for _, c := range []struct {
		name  string
		level string
		out   *output
		right func(error) bool
	}{
		{"no communicator can be created", levelComm, nil, func(err error) bool { return errors.As(err, new(*comm.ArgumentError)) }},
		{"nobody reads the stages", device.LevelDevice, &output{round: round{Stages: true}, rows: &recorder{err: gone}}, func(err error) bool { return err == gone }},
		{"nobody reads the stages of communicators", levelComm, &output{round: round{Stages: true}, rows: &recorder{err: gone}}, func(err error) bool { return err == gone }},
	} {
		o := opener{device: &closer{}}
		r := &measurement{Coll: coll.Options{Hosts: []int{0}}} // a host for one rank of two
		_, _, err := r.open(t.Context(), nil, Transport{Driver: o, Level: c.level}, location{signals: t.Context()}, c.out)
		if !c.right(err) || o.device.closed != 1 {
			t.Errorf("%s: %v, closed %d times", c.name, err, o.device.closed)
		}
	}
}
