package decorator

import (
	"fmt"

	"gobench/device"
)

// A Hook runs before and after each call of a decorated channel.
type Hook interface {
	// Before may fail the call with an error; After is not called then.
	Before(c *Call) error
	// After gets the result and may replace the error. done is false only for a Test or Iprobe that
	// found nothing.
	After(c *Call, done bool, st *device.Status, err error) error
}

// Wrap returns inner with h around its calls. Of inner's optional interfaces it keeps
// device.CoreLatencyMeter, device.Binder and device.Confiner. Those that move data, device.Sharer,
// device.Collector, device.RegionAllocator and device.Linker, make no call that a hook could
// observe or disturb.
func Wrap[C device.Channel](inner C, h Hook) C {
	ch := &channel{Channel: inner, hook: h}
	var result any = ch
	meter, near := any(inner).(device.CoreLatencyMeter)
	if d, ok := any(inner).(device.Device); ok {
		full := &dev{channel: ch, inner: d}
		binder, binds := any(inner).(device.Binder)
		switch {
		case near && binds:
			result = struct {
				*dev
				device.CoreLatencyMeter
				device.Binder
			}{full, meter, binder}
		case near:
			result = struct {
				*dev
				device.CoreLatencyMeter
			}{full, meter}
		case binds:
			result = struct {
				*dev
				device.Binder
			}{full, binder}
		default:
			result = full
		}
	} else if near {
		result = struct {
			*channel
			device.CoreLatencyMeter
		}{ch, meter}
	}
	wrapped, ok := result.(C)
	if !ok {
		panic(fmt.Sprintf("decorator: the type parameter is %T, want device.Channel or device.Device", inner))
	}
	return wrapped
}

// channel wraps a Channel. call is the call under way, a field because a channel belongs to one
// goroutine and a call must not allocate.
type channel struct {
	device.Channel
	hook Hook
	call Call
	st   device.Status
}

// begin records the call and runs Hook.Before.
func (w *channel) begin(c Call) error {
	c.Size = len(c.Buf)
	w.call, w.st = c, device.Status{}
	return w.hook.Before(&w.call)
}

// end runs Hook.After.
func (w *channel) end(done bool, err error) error {
	err = w.hook.After(&w.call, done, &w.st, err)
	w.call.Buf = nil
	return err
}

func (w *channel) started(q device.Request, err error) (device.Request, error) {
	w.call.Request = q
	err = w.end(true, err)
	return q, err
}

// received and tested end calls that return a status, which the hook may change.
func (w *channel) received(st device.Status, err error) (device.Status, error) {
	st, _, err = w.tested(st, true, err)
	return st, err
}

func (w *channel) tested(st device.Status, done bool, err error) (device.Status, bool, error) {
	w.st = st
	err = w.end(done, err)
	return w.st, done, err
}

func (w *channel) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := w.begin(Call{Op: OpIsend, Peer: dst, Tag: tag, Context: context, Buf: buf}); err != nil {
		return 0, err
	}
	return w.started(w.Channel.Isend(buf, dst, tag, context))
}

func (w *channel) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	if err := w.begin(Call{Op: OpIrecv, Peer: src, Tag: tag, Context: context, Buf: buf}); err != nil {
		return 0, err
	}
	return w.started(w.Channel.Irecv(buf, src, tag, context))
}

func (w *channel) Send(buf []byte, dst int, tag, context int32) error {
	if err := w.begin(Call{Op: OpSend, Peer: dst, Tag: tag, Context: context, Buf: buf}); err != nil {
		return err
	}
	return w.end(true, w.Channel.Send(buf, dst, tag, context))
}

func (w *channel) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if err := w.begin(Call{Op: OpRecv, Peer: src, Tag: tag, Context: context, Buf: buf}); err != nil {
		return device.Status{}, err
	}
	return w.received(w.Channel.Recv(buf, src, tag, context))
}

func (w *channel) Wait(q device.Request) (device.Status, error) {
	if err := w.begin(Call{Op: OpWait, Request: q}); err != nil {
		return device.Status{}, err
	}
	return w.received(w.Channel.Wait(q))
}

func (w *channel) Test(q device.Request) (device.Status, bool, error) {
	if err := w.begin(Call{Op: OpTest, Request: q}); err != nil {
		return device.Status{}, true, err
	}
	return w.tested(w.Channel.Test(q))
}

func (w *channel) Close() error {
	if err := w.begin(Call{Op: OpClose}); err != nil {
		return err
	}
	return w.end(true, w.Channel.Close())
}

// dev wraps a Device: the channel's part and the rest.
type dev struct {
	*channel
	inner device.Device
}

func (w *dev) Issend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := w.begin(Call{Op: OpIssend, Peer: dst, Tag: tag, Context: context, Buf: buf}); err != nil {
		return 0, err
	}
	return w.started(w.inner.Issend(buf, dst, tag, context))
}

func (w *dev) Ssend(buf []byte, dst int, tag, context int32) error {
	if err := w.begin(Call{Op: OpSsend, Peer: dst, Tag: tag, Context: context, Buf: buf}); err != nil {
		return err
	}
	return w.end(true, w.inner.Ssend(buf, dst, tag, context))
}

func (w *dev) Iprobe(src int, tag, context int32) (device.Status, bool, error) {
	if err := w.begin(Call{Op: OpIprobe, Peer: src, Tag: tag, Context: context}); err != nil {
		return device.Status{}, false, err
	}
	return w.tested(w.inner.Iprobe(src, tag, context))
}

func (w *dev) Probe(src int, tag, context int32) (device.Status, error) {
	if err := w.begin(Call{Op: OpProbe, Peer: src, Tag: tag, Context: context}); err != nil {
		return device.Status{}, err
	}
	return w.received(w.inner.Probe(src, tag, context))
}

func (w *dev) Peek() (device.Request, error) {
	if err := w.begin(Call{Op: OpPeek}); err != nil {
		return 0, err
	}
	return w.started(w.inner.Peek())
}

func (w *dev) Cancel(q device.Request) error {
	if err := w.begin(Call{Op: OpCancel, Request: q}); err != nil {
		return err
	}
	return w.end(true, w.inner.Cancel(q))
}

// OneThread reports whether only the owner's thread may call the device (package coll).
func (w *dev) OneThread() bool {
	d, ok := w.inner.(interface{ OneThread() bool })
	return ok && d.OneThread()
}

// Confine makes each wrapped device.Binder a device.Confiner. It does nothing where inner is not
// one.
func (w *dev) Confine(context int32, ranks []int) error {
	if c, ok := w.inner.(device.Confiner); ok {
		return c.Confine(context, ranks)
	}
	return nil
}

func (w *dev) Alloc(n int) ([]byte, error) { return w.inner.Alloc(n) }
func (w *dev) Free(b []byte) error         { return w.inner.Free(b) }
