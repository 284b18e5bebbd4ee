package protocol

import "gobench/device"

// Iprobe makes progress once and looks for an unexpected message.
func (d *Device) Iprobe(src int, tag, context int32) (device.Status, bool, error) {
	if err := d.checkSource(src, tag); err != nil {
		return device.Status{}, false, err
	}
	d.progress(src)
	status, found, err := d.look(src, tag, context)
	if !found && err == nil {
		d.glance()
	}
	return status, found, err
}

func (d *Device) look(src int, tag, context int32) (device.Status, bool, error) {
	if err := d.breach(context); err != nil {
		return device.Status{}, false, err
	}
	if m := d.unexpected.find(src, tag, context); m != nil {
		return device.Status{Source: m.source, Tag: m.tag, Size: m.size}, true, nil
	}
	return device.Status{}, false, d.unreachable(src)
}

// Probe waits for an unexpected message.
func (d *Device) Probe(src int, tag, context int32) (device.Status, error) {
	if err := d.checkSource(src, tag); err != nil {
		return device.Status{}, err
	}
	var w device.WaitState
	for {
		status, found, err := d.look(src, tag, context)
		if found || err != nil {
			return status, err
		}
		d.step(&w, src)
	}
}

// Peek waits for one of the outstanding requests to be complete.
func (d *Device) Peek() (device.Request, error) {
	var w device.WaitState
	for {
		if d.closed {
			return 0, device.ErrClosed
		}
		if r := d.requests.done.head; r != nil {
			return r.handle, nil
		}
		if d.requests.live == 0 {
			return 0, device.ErrRequest
		}
		d.step(&w, device.AnySource)
	}
}
