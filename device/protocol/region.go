package protocol

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"gobench/device"
)

var _ device.RegionAllocator = (*Device)(nil)

// A region is memory whose keys its ranks have exchanged. Its puts and gets are requests with a
// transfer that this rank alone moves, and no packet of it: awaited is waitOwn.
type region struct {
	d       *Device
	context int32
	mem     []byte // at least one byte
	bytes   int    // of it that are used
	mine    Key
	keyed   bool // mine is valid
	parts   []part
}

// A part is the memory of a rank of the region.
type part struct {
	rank  int
	key   Key
	under []*request // since the last Flush
}

// AllocRegion exchanges keys by messages. There are regions where all peers have one wire, whose
// RMA has puts and gets. Where ranks map memory (Exporter) they need none.
func (d *Device) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	k := d.carriers[0]
	_, maps := k.wire.(Exporter)
	switch {
	case d.closed:
		return nil, device.ErrClosed
	case len(d.carriers) > 1 || maps || !slices.Contains(k.limits.Methods, Get) || !slices.Contains(k.limits.Methods, Put):
		return nil, errors.ErrUnsupported
	}
	r := &region{d: d, context: context, bytes: n, parts: make([]part, len(ranks))}
	var failed error
	if r.mem, failed = d.Alloc(max(n, 1)); failed == nil {
		r.mine, failed = k.rma.Register(r.mem)
		r.keyed = failed == nil
	}
	own := make([]byte, 0, 8*len(r.mine))
	for _, word := range r.mine {
		own = binary.LittleEndian.AppendUint64(own, word)
	}
	all, err := device.Swap(d, own, ranks, 0, context)
	for i := range all {
		t := &r.parts[i]
		t.rank = ranks[i]
		for k := range t.key {
			t.key[k] = binary.LittleEndian.Uint64(all[i][8*k:])
		}
	}
	if err := device.Ready(d, cmp.Or(failed, err), ranks, context); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Bytes implements device.Region.
func (r *region) Bytes() []byte { return r.mem[:r.bytes] }

// Put implements device.Region.
func (r *region) Put(data []byte, target, offset int) error {
	return r.start(stepWrite, data, target, offset)
}

// Get implements device.Region.
func (r *region) Get(data []byte, target, offset int) error {
	return r.start(stepGet, data, target, offset)
}

func (r *region) start(step step, data []byte, target, offset int) error {
	d, t := r.d, &r.parts[target]
	p := &d.peers[t.rank]
	switch {
	case d.closed:
		return device.ErrClosed
	case p.err != nil:
		return p.err
	case len(data) == 0:
		return d.breach(r.context)
	}
	key, err := p.rma.Register(data)
	if err != nil {
		return err
	}
	q := d.requests.take(true)
	q.send, q.buf, q.peer, q.context = true, data, t.rank, r.context
	q.part = transfer{used: true, far: t.rank, theirs: t.key, mine: key, keyed: true, step: step, there: offset, length: len(data), awaited: waitOwn}
	t.under = append(t.under, q)
	p.bulk.push(q)
	d.enlist(p)
	d.drain()
	d.shortcut(device.AnySource)
	return nil
}

// Offers implements device.Region: there are none. Adapters have atomic operations, but those of
// the processor are not atomic beside them, and no wire connects a rank with itself.
func (*region) Offers(string, string) bool { return false }

// Update implements device.Region.
func (*region) Update(*device.Update, int, int) error { return errors.ErrUnsupported }

// Flush implements device.Region. A put that is complete was written before any packet that is
// pushed later is delivered (RMA).
func (r *region) Flush(target int) (err error) {
	if r.d.closed {
		return device.ErrClosed
	}
	t := &r.parts[target]
	for _, q := range t.under {
		_, e := r.d.await(q, t.rank)
		err = cmp.Or(err, e)
	}
	clear(t.under)
	t.under = t.under[:0]
	return err
}

// Close implements device.Region.
func (r *region) Close() error {
	if r.d.closed {
		return device.ErrClosed
	}
	if r.keyed {
		r.d.carriers[0].rma.Deregister(r.mine)
	}
	if r.mem == nil {
		return nil
	}
	return r.d.Free(r.mem)
}
