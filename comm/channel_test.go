package comm_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/device"
)

// The channel is a device.Channel: what is sent in its two contexts does not mix,
// and neither does what its communicator does besides.
func TestChannel(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		ch, err := comm.NewChannel(w)
		if err != nil {
			return err
		}
		n, me := ch.Size(), ch.Rank()
		if n != w.Size() || me != w.Rank() || ch.Comm() != w || ch.Info().Transport != w.Device().Info().Transport {
			return fmt.Errorf("rank %d of %d over %v", me, n, ch.Info())
		}
		_, near := w.Device().(device.CoreLatencyMeter)
		if _, ok := ch.(device.CoreLatencyMeter); ok != near {
			return fmt.Errorf("the channel is a CoreLatencyMeter: %v, the device %v", ok, near)
		}
		right, left := (me+1)%n, (me+n-1)%n
		for _, size := range []int{0, 8, 5000} {
			var receives [2]device.Request
			in := [2][]byte{make([]byte, size), make([]byte, size)}
			out := [2][]byte{bytes.Repeat([]byte{byte(me)}, size), bytes.Repeat([]byte{byte(100 + me)}, size)}
			for k := range in {
				if receives[k], err = ch.Irecv(in[k], left, 4, int32(k)); err != nil {
					return err
				}
			}
			for k := 1; k >= 0; k-- {
				s, err := ch.Isend(out[k], right, 4, int32(k))
				if err != nil {
					return err
				}
				if _, err := ch.Wait(s); err != nil {
					return err
				}
				if _, err := ch.Wait(s); !errors.Is(err, device.ErrRequest) {
					return fmt.Errorf("a released request: %v", err)
				}
			}
			sum := []int64{1}
			if err := comm.Allreduce(ch.Comm(), nil, sum, op.Sum[int64]()); err != nil {
				return err
			}
			for k := range in {
				var s device.Status
				for done := false; !done; {
					if s, done, err = ch.Test(receives[k]); err != nil {
						return err
					}
				}
				if s != (device.Status{Source: left, Tag: 4, Size: size}) || size > 0 && (in[k][0] != byte(100*k+left) || in[k][size-1] != byte(100*k+left)) {
					return fmt.Errorf("context %d: %+v", k, s)
				}
			}
			if me == 0 && n > 1 {
				if err := ch.Send(out[0], right, 0, 1); err != nil {
					return err
				}
			}
			if me == 1 {
				if s, err := ch.Recv(in[0], device.AnySource, device.AnyTag, 1); err != nil || s.Source != 0 || s.Size != size {
					return fmt.Errorf("%+v %v", s, err)
				}
			}
		}
		var arg *device.ArgumentError
		_, irecv := ch.Irecv(nil, 0, 0, 2)
		_, isend := ch.Isend(nil, 0, 0, -1)
		_, recv := ch.Recv(nil, 0, 0, 16)
		for _, err := range []error{irecv, isend, recv, ch.Send(nil, 0, 0, 2)} {
			if !errors.As(err, &arg) || arg.Name != "context" {
				return fmt.Errorf("another context: %v", err)
			}
		}
		_, _, test := ch.Test(0)
		_, wait := ch.Wait(0)
		if !errors.Is(test, device.ErrRequest) || !errors.Is(wait, device.ErrRequest) {
			return fmt.Errorf("the zero request: %v, %v", test, wait)
		}
		mem, err := ch.Alloc(100)
		if err != nil {
			return err
		}
		if err := ch.Free(mem); err != nil {
			return err
		}
		if err := ch.Close(); err != nil {
			return err
		}
		err = w.Device().Send(nil, 0, 0, 0)
		return must(errors.Is(err, device.ErrClosed), "the device is not closed: %v", err)
	})
}
