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

// Regions implements device.RegionAllocator: there are regions where all peers have one wire, which
// puts and gets any bytes, as a Router does not, and whose completed puts are in place
// (Limits.Written). Where ranks map memory (Exporter) they need none.
func (d *Device) Regions([]int) bool {
	k := d.carriers[0]
	_, maps := k.wire.(Exporter)
	_, chooses := k.wire.(Router)
	has := func(m Method) bool { return slices.Contains(k.limits.Methods, m) }
	return !d.closed && len(d.carriers) == 1 && !maps && !chooses && k.limits.Written && has(Get) && has(Put)
}

// AllocRegion exchanges keys by messages, behind a byte that tells whether the rank has one: if the
// memory of any rank cannot be registered, no rank has a region.
func (d *Device) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	r := &region{d: d, context: context, bytes: n, parts: make([]part, len(ranks))}
	var err error
	if r.mem, err = d.Alloc(max(n, 1)); err == nil {
		r.mine, err = d.carriers[0].rma.Register(r.mem)
		r.keyed = err == nil
	}
	own := make([]byte, 1, 1+8*len(r.mine))
	if r.keyed {
		own[0] = 1
	}
	for _, word := range r.mine {
		own = binary.LittleEndian.AppendUint64(own, word)
	}
	all, err := device.Swap(d, own, ranks, 0, context)
	registered := true
	for i := range all {
		registered = registered && all[i][0] == 1
		t := &r.parts[i]
		t.rank = ranks[i]
		for k := range t.key {
			t.key[k] = binary.LittleEndian.Uint64(all[i][1+8*k:])
		}
	}
	if err = device.Ready(d, err, ranks, context); err == nil && !registered {
		err = errors.ErrUnsupported
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	d.regions = append(d.regions, r)
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

// start queues a put or get behind the other transfers of the peer and moves it as far as the wire
// has room now. The request holds the key of data, which arrived or the death of the peer gives
// back, and stays in under until Flush.
func (r *region) start(step step, data []byte, target, offset int) error {
	d, t := r.d, &r.parts[target]
	p := &d.peers[t.rank]
	switch {
	case d.closed:
		return device.ErrClosed
	case p.err != nil:
		return p.err
	case d.breach(r.context) != nil:
		return d.breach(r.context)
	case len(data) == 0:
		return nil
	}
	key, err := p.rma.Register(data)
	if err != nil {
		return errors.ErrUnsupported
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

// Flush implements device.Region. A put that is complete is in place (Limits.Written).
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
	r.d.regions = slices.DeleteFunc(r.d.regions, func(open *region) bool { return open == r })
	r.deregister()
	if r.mem == nil {
		return nil
	}
	return r.d.Free(r.mem)
}

// deregister ends the access of peers to the memory. Close of the device does it for regions that
// are still open, because a wire closes only when nothing is registered.
func (r *region) deregister() {
	if r.keyed {
		r.d.carriers[0].rma.Deregister(r.mine)
	}
}
