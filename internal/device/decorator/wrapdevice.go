package decorator

import "gobench/device"

// dev wraps a Device: the channel's part and the rest.
type dev struct {
	*channel
	inner device.Device
}

func (w *dev) Issend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := w.begin(Call{Op: OpIssend, Peer: dst, Tag: tag, Context: context, buf: buf}); err != nil {
		return 0, err
	}
	return w.started(w.inner.Issend(buf, dst, tag, context))
}

func (w *dev) Ssend(buf []byte, dst int, tag, context int32) error {
	if err := w.begin(Call{Op: OpSsend, Peer: dst, Tag: tag, Context: context, buf: buf}); err != nil {
		return err
	}
	return w.end(true, w.inner.Ssend(buf, dst, tag, context))
}

func (w *dev) Iprobe(src int, tag, context int32) (device.Status, bool, error) {
	if err := w.begin(Call{Op: OpIprobe, Peer: src, Tag: tag, Context: context}); err != nil {
		return device.Status{}, false, err
	}
	st, found, err := w.inner.Iprobe(src, tag, context)
	w.st = st
	err = w.end(found, err)
	return w.st, found, err
}

func (w *dev) Probe(src int, tag, context int32) (device.Status, error) {
	if err := w.begin(Call{Op: OpProbe, Peer: src, Tag: tag, Context: context}); err != nil {
		return device.Status{}, err
	}
	var err error
	w.st, err = w.inner.Probe(src, tag, context)
	err = w.end(true, err)
	return w.st, err
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

func (w *dev) Alloc(n int) ([]byte, error) { return w.inner.Alloc(n) }
func (w *dev) Free(b []byte) error         { return w.inner.Free(b) }
