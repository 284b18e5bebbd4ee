package comm_test

import (
	"testing"

	"gobench/comm"
	"gobench/device"
)

// null is a device of two ranks that does nothing at all: what remains is the
// cost of the layer above.
type null struct{ device.Device }

func (null) Rank() int         { return 0 }
func (null) Size() int         { return 2 }
func (null) Info() device.Info { return device.Info{} }

func (null) Send([]byte, int, int32, int32) error { return nil }
func (null) Recv([]byte, int, int32, int32) (device.Status, error) {
	return device.Status{Source: 1}, nil
}
func (null) Isend([]byte, int, int32, int32) (device.Request, error) { return 1, nil }
func (null) Wait(device.Request) (device.Status, error)              { return device.Status{Source: 1}, nil }

// BenchmarkLayer measures the cost of a message in this package: the difference of comm and
// device.
func BenchmarkLayer(b *testing.B) {
	var dev device.Device = null{}
	w, err := comm.World(dev, comm.Options{})
	if err != nil {
		b.Fatal(err)
	}
	data := make([]float64, 1)
	buf := make([]byte, 8)
	b.Run("send/device", func(b *testing.B) {
		for b.Loop() {
			dev.Send(buf, 1, 0, 0)
		}
	})
	b.Run("send/comm", func(b *testing.B) {
		for b.Loop() {
			comm.Send(w, data, 1, 0)
		}
	})
	b.Run("recv/device", func(b *testing.B) {
		for b.Loop() {
			dev.Recv(buf, 1, 0, 0)
		}
	})
	b.Run("recv/comm", func(b *testing.B) {
		for b.Loop() {
			comm.Recv(w, data, 1, 0)
		}
	})
	b.Run("isend,wait/device", func(b *testing.B) {
		for b.Loop() {
			q, _ := dev.Isend(buf, 1, 0, 0)
			dev.Wait(q)
		}
	})
	b.Run("isend,wait/comm", func(b *testing.B) {
		for b.Loop() {
			r, _ := comm.Isend(w, data, 1, 0)
			r.Wait()
		}
	})
}
