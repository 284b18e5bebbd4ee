package comm

import "gobench/device"

// attentive is the device as the collectives of a communicator see it: while one
// of them waits, non-blocking ones that are under way move on, because the peer
// that is waited for may need them first.
type attentive struct {
	device.Device
	job *job
}

// sharing is attentive with shared memory.
type sharing struct {
	attentive
	device.Sharer
}

// attend makes an attentive device with the abilities of the job's.
func (j *job) attend() device.Device {
	a := attentive{j.dev, j}
	if s, ok := j.dev.(device.Sharer); ok {
		return &sharing{a, s}
	}
	return &a
}

func (a *attentive) Send(buf []byte, dst int, tag, context int32) error {
	if len(a.job.under) == 0 {
		return a.Device.Send(buf, dst, tag, context)
	}
	q, err := a.Isend(buf, dst, tag, context)
	if err != nil {
		return err
	}
	_, err = a.job.wait(q)
	return err
}

func (a *attentive) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if len(a.job.under) == 0 {
		return a.Device.Recv(buf, src, tag, context)
	}
	q, err := a.Irecv(buf, src, tag, context)
	if err != nil {
		return device.Status{}, err
	}
	return a.job.wait(q)
}

func (a *attentive) Wait(q device.Request) (device.Status, error) {
	if len(a.job.under) == 0 {
		return a.Device.Wait(q)
	}
	return a.job.wait(q)
}

func (s *sharing) Vain(w *device.Waiting, context int32, peer int) error {
	if len(s.job.under) > 0 {
		s.job.progress()
	}
	return s.Sharer.Vain(w, context, peer)
}
