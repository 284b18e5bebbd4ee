package naive

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"

	"gobench/device"
)

// A region does nothing before Flush, and then puts and gets in any order.
type region struct {
	d       *Device
	mine    []byte
	parts   [][]byte // by rank
	copies  [][]func()
	updates [][]func()
}

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
	g := &region{d, mine, make([][]byte, len(ranks)), make([][]func(), len(ranks)), make([][]func(), len(ranks))}
	names, err := device.Swap(d, name, ranks, 0, context)
	for i := range names {
		if g.parts[i], err = d.Import(ranks[i], names[i]); err != nil {
			break
		}
	}
	return g, err
}

func (g *region) Bytes() []byte { return g.mine }

func (g *region) Put(data []byte, target, offset int) error {
	g.copies[target] = append(g.copies[target], func() {
		copy(g.parts[target][offset:], data)
		if g.d.fault == Flipped && len(data) >= 100 {
			g.parts[target][offset+len(data)-1] ^= 1
		}
	})
	return nil
}

func (g *region) Get(data []byte, target, offset int) error {
	g.copies[target] = append(g.copies[target], func() { copy(data, g.parts[target][offset:]) })
	return nil
}

// Offers returns false for some operators, so that a window uses both ways.
func (*region) Offers(operator, element string) bool {
	return (element == "int64" || element == "uint64") && (operator == "sum" || operator == device.OpNone || operator == device.OpSwap)
}

func (g *region) Update(u *device.Update, target, offset int) error {
	a := *u
	g.updates[target] = append(g.updates[target], func() {
		mem := g.parts[target][offset:]
		if a.Operator == device.OpSwap {
			mem = mem[:len(a.Data)/2]
		} else {
			mem = mem[:len(a.Data)]
		}
		before := slices.Clone(mem)
		if g.d.fault == LostUpdates {
			g.d.world.Unlock()
			runtime.Gosched()
			g.d.world.Lock()
		}
		switch {
		case a.Operator == "sum":
			for i := 0; i < len(mem); i += 8 {
				binary.NativeEndian.PutUint64(mem[i:], binary.NativeEndian.Uint64(before[i:])+binary.NativeEndian.Uint64(a.Data[i:]))
			}
		case a.Operator == device.OpSwap && slices.Equal(before, a.Data[:len(mem)]):
			copy(mem, a.Data[len(mem):])
		}
		copy(a.Result, before)
	})
	return nil
}

func (g *region) Flush(target int) error {
	if g.d.shut() {
		return device.ErrClosed
	}
	g.d.world.Lock()
	defer g.d.world.Unlock()
	copies := g.copies[target]
	rand.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
	for _, do := range slices.Concat(copies, g.updates[target]) {
		do()
	}
	g.copies[target], g.updates[target] = copies[:0], g.updates[target][:0]
	return nil
}

func (*region) Close() error { return nil }
