package smem

import (
	"fmt"

	"gobench/internal/weakmem"
)

// ringModel is a ring of a producer and a consumer: producer.push, consumer.look, pass and
// giveBack. A packet of size 0 fits its slot, the others take one place of the data ring, which
// is copied around the caches (copyStream).
type ringModel struct {
	*weakmem.Machine
	slots, data     []*weakmem.Data
	words           []*weakmem.Word // the publication words
	headSlots, head *weakmem.Word   // of heads
}

func newRingModel(m *weakmem.Machine, slots, data int) *ringModel {
	return &ringModel{
		Machine: m, slots: m.Data("slot", slots), data: m.Data("bytes", data), words: m.Words("word", slots),
		headSlots: m.Word("heads.slots", 0), head: m.Word("heads.data", 0),
	}
}

// position is an end of the ring: the packets and the places of data so far.
type position struct{ pos, data uint64 }

func (p *position) index(r *ringModel) (slot int, lap uint64) {
	return int(p.pos) % len(r.slots), 1 + p.pos/uint64(len(r.slots))
}

type ringProducer struct {
	position
	slotLimit, dataLimit uint64
}

func (r *ringModel) producer() *ringProducer {
	return &ringProducer{slotLimit: uint64(len(r.slots)), dataLimit: uint64(len(r.data))}
}

// refresh waits for room in one of the two parts, and is producer.refresh behind that.
func (r *ringModel) refresh(t *weakmem.Thread, p *ringProducer, full *weakmem.Word, limit uint64) {
	slots := t.Order("refresh: heads.slots before slots are written", weakmem.Acquire)
	data := t.Order("refresh: heads.data before data are written", weakmem.Acquire)
	for mark := t.Mark(); ; t.Idle(mark, full) {
		s, d := t.Load(r.headSlots, slots), t.Load(r.head, data)
		t.Require(p.pos-s <= uint64(len(r.slots)) && p.data-d <= uint64(len(r.data)), "the consumer is broken")
		p.slotLimit, p.dataLimit = s+uint64(len(r.slots)), d+uint64(len(r.data))
		if full == r.headSlots && p.slotLimit > limit || full == r.head && p.dataLimit > limit {
			return
		}
	}
}

func (r *ringModel) push(t *weakmem.Thread, p *ringProducer, value, size uint64) {
	if p.pos == p.slotLimit {
		r.refresh(t, p, r.headSlots, p.pos)
	}
	if size > 0 {
		if p.data == p.dataLimit {
			r.refresh(t, p, r.head, p.data)
		}
		t.WriteAround(r.data[p.data%uint64(len(r.data))], value)
		if t.Has("copyStream: SFENCE") {
			t.Drain()
		}
		p.data++
	}
	slot, lap := p.index(r)
	t.Write(r.slots[slot], value)
	t.Publish(r.words[slot], lap|size<<32, t.Order("push: packet before word", weakmem.Release))
	p.pos++
}

// look is the load of the publication word of the next packet.
func (r *ringModel) look(t *weakmem.Thread, c *position) (word uint64, ok bool) {
	slot, lap := c.index(r)
	word = t.Load(r.words[slot], t.Order("look: word before packet", weakmem.Acquire))
	return word, uint32(word) == uint32(lap)
}

// take reads the packet that look has found, and is pass after it.
func (r *ringModel) take(t *weakmem.Thread, c *position, word uint64) (value uint64) {
	slot, _ := c.index(r)
	value = t.Read(r.slots[slot])
	if word>>32 > 0 {
		t.Require(t.Read(r.data[c.data%uint64(len(r.data))]) == value, "data of another packet")
		c.data++
	}
	c.pos++
	t.Publish(r.head, c.data, t.Order("giveBack: data are read before heads.data", weakmem.Release))
	t.Publish(r.headSlots, c.pos, t.Order("giveBack: slots are read before heads.slots", weakmem.Release))
	return value
}

// ringModelOf is a model of a producer of packets of these sizes, and their consumer.
func ringModelOf(slots, data int, sizes ...uint64) weakmem.Model {
	return weakmem.Model{Name: fmt.Sprint("ring ", sizes), Build: func(m *weakmem.Machine) {
		r := newRingModel(m, slots, data)
		m.Thread("producer", func(t *weakmem.Thread) {
			p := r.producer()
			for i, size := range sizes {
				r.push(t, p, uint64(i), size)
			}
		})
		m.Thread("consumer", func(t *weakmem.Thread) {
			var c position
			for i := range sizes {
				index, _ := c.index(r)
				mark := t.Mark()
				word, ok := r.look(t, &c)
				for ; !ok; word, ok = r.look(t, &c) {
					t.Idle(mark, r.words[index])
				}
				value := r.take(t, &c, word)
				t.Require(value == uint64(i), "packet %d is %d", i, value)
			}
		})
	}}
}
