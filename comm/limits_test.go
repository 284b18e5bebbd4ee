package comm_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/device"
	"gobench/launch"
)

// narrow is a driver whose tags and contexts are the fewest that a device may have, as MPI
// guarantees no tags beyond 32767.
type narrow struct{ device.Driver }

const (
	narrowTag     = 1<<15 - 1
	narrowContext = 63
)

func (n narrow) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	d, err := n.Driver.Open(ctx, job, opts)
	return narrowDevice{d, d.(device.Binder)}, err
}

type narrowDevice struct {
	device.Device
	device.Binder
}

func (d narrowDevice) Info() device.Info {
	i := d.Device.Info()
	i.MaxTag, i.MaxContext = narrowTag, narrowContext
	return i
}

func (d narrowDevice) check(tag, context int32) error {
	if tag > narrowTag || uint32(context) > narrowContext {
		return &device.ArgumentError{Name: "tag or context", Value: int(max(tag, context)), Want: "less"}
	}
	return nil
}

func (d narrowDevice) Send(buf []byte, dst int, tag, context int32) error {
	return errors.Join(d.check(tag, context), d.Device.Send(buf, dst, tag, context))
}

func (d narrowDevice) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	q, err := d.Device.Isend(buf, dst, tag, context)
	return q, errors.Join(d.check(tag, context), err)
}

func (d narrowDevice) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	st, err := d.Device.Recv(buf, src, tag, context)
	return st, errors.Join(d.check(tag, context), err)
}

func (d narrowDevice) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	q, err := d.Device.Irecv(buf, src, tag, context)
	return q, errors.Join(d.check(tag, context), err)
}

// Communicators and collective operations stay within the tags and contexts of the device, however
// many operations there are, with checked arguments as well.
func TestDeviceWithFewTagsAndContexts(t *testing.T) {
	for _, check := range []coll.Check{coll.CheckFree, coll.CheckStrict} {
		d := narrow{driver(t, "memwire")}
		err := launch.Goroutines(t.Context(), 2, func(ctx context.Context, job device.Job) error {
			return comm.Run(ctx, d, job, comm.Options{Coll: coll.Options{Check: check}}, func(w *comm.Comm) error {
				for range narrowTag/4 + 10 { // every tag of an operation, and the first ones again
					x := []int64{1}
					if err := comm.Allreduce(w, nil, x, op.Sum[int64]()); err != nil {
						return err
					}
					if x[0] != 2 {
						t.Errorf("allreduce is %d, want 2", x[0])
					}
				}
				made := 0
				for {
					c, err := w.Dup()
					if errors.Is(err, comm.ErrContexts) {
						break
					}
					if err != nil {
						return err
					}
					made++
					if err := comm.Barrier(c); err != nil {
						return err
					}
					if err := c.Close(); err != nil {
						return err
					}
				}
				// Two contexts each, the first ones for w; the last context of a device is not
				// used.
				if want := (narrowContext-int(comm.FirstContext))/2 - 1; made != want {
					t.Errorf("%d communicators beside the first, want %d", made, want)
				}
				return nil
			})
		})
		if err != nil {
			t.Errorf("%v: %v", check, err)
		}
	}
}

func TestContextsOfAnOrdinaryDevice(t *testing.T) {
	if i := (device.Info{}); i.Tags() != math.MaxInt32 || i.Contexts() != math.MaxInt32 {
		t.Errorf("tags to %d, contexts to %d, want all", i.Tags(), i.Contexts())
	}
}
