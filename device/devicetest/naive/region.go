package naive

import (
	"math/rand/v2"

	"gobench/device"
)

// A region does nothing before Flush, and then puts and gets in any order.
type region struct {
	d       *Device
	mine    []byte
	context int32
	ranks   []int
	parts   [][]byte   // by rank
	pending [][]func() // by target
}

// Regions implements device.RegionAllocator.
func (*Device) Regions([]int) bool { return true }

// AllocRegion passes the numbers of exported memory on (device.RegionAllocator).
func (d *Device) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	if d.shut() {
		return nil, device.ErrClosed
	}
	mine := alignedPages(n)
	name, err := d.Export(mine)
	if err != nil {
		return nil, err
	}
	g := &region{d, mine, context, ranks, make([][]byte, len(ranks)), make([][]func(), len(ranks))}
	names, err := device.Swap(d, name, ranks, 0, context)
	for i := 0; i < len(names) && err == nil; i++ {
		g.parts[i], err = d.Import(ranks[i], names[i])
	}
	if d.fault == LoneRegion && d.rank == ranks[0] {
		err = device.ErrRequest
	}
	return g, err
}

func (g *region) Bytes() []byte { return g.mine }

func (g *region) Put(data []byte, target, offset int) error {
	g.pending[target] = append(g.pending[target], func() {
		copy(g.parts[target][offset:], data)
		if g.d.fault == Flipped && len(data) >= 100 {
			g.parts[target][offset+len(data)-1] ^= 1
		}
	})
	return nil
}

func (g *region) Get(data []byte, target, offset int) error {
	g.pending[target] = append(g.pending[target], func() { copy(data, g.parts[target][offset:]) })
	return nil
}

func (g *region) Flush(target int) error {
	if g.d.shut() {
		return device.ErrClosed
	}
	if err := g.d.Progress(nil, g.context, g.ranks[target]); err != nil {
		return err
	}
	g.d.world.Lock()
	defer g.d.world.Unlock()
	pending := g.pending[target]
	rand.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
	for _, do := range pending {
		do()
	}
	g.pending[target] = pending[:0]
	return nil
}

func (*region) Close() error { return nil }
