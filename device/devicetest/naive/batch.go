package naive

import "gobench/device"

// StartAll implements device.Batcher.
func (d *Device) StartAll(ops []device.Operation, requests []device.Request) (int, error) {
	if d.fault != Backwards {
		return device.StartEach(d, ops, requests)
	}
	for i := len(ops) - 1; i >= 0; i-- {
		if _, err := device.StartEach(d, ops[i:i+1], requests[i:i+1]); err != nil {
			return i, err
		}
	}
	return len(ops), nil
}

// WaitAll implements device.Batcher.
func (d *Device) WaitAll(requests []device.Request, statuses []device.Status) (int, error) {
	if d.fault != EndsEarly {
		return device.WaitEach(d, requests, statuses)
	}
	for i, q := range requests {
		st, err := d.Wait(q)
		if err != nil {
			return i, err
		}
		if statuses != nil {
			statuses[i] = st
		}
	}
	return 0, nil
}
