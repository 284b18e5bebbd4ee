package smem

import (
	"fmt"

	"gobench/internal/weakmem"
)

// channelModel is the memory that two ranks share: a ring in each direction and the slot that
// both write in turns, with its area.
type channelModel struct {
	rings [2]*ringModel // by the rank that writes
	slot  *weakmem.Data // its header, inline data and area
	word  *weakmem.Word
}

// channelEnd is a channel.
type channelEnd struct {
	*channelModel
	side uint64
	turn uint64
	out  *ringProducer
	in   position
}

// push is channel.push: a packet goes to the slot if it is this rank's turn, else to the ring.
func (c *channelEnd) push(t *weakmem.Thread, value uint64) {
	if c.turn&1 != c.side {
		c.rings[c.side].push(t, c.out, value, 0)
		return
	}
	t.Write(c.slot, value)
	c.turn++
	t.Publish(c.word, c.turn<<16|c.out.pos, t.Order("answer: packet before word", weakmem.Release))
}

// pop polls by look until there is a packet, and passes it.
func (c *channelEnd) pop(t *weakmem.Thread) uint64 {
	r := c.rings[1-c.side]
	due := (c.turn+1)<<16 | c.in.pos
	order := t.Order("look: word before packet in the slot", weakmem.Acquire)
	for mark := t.Mark(); ; {
		found := t.Load(c.word, order) == due
		if !found {
			word, ok := r.look(t, &c.in)
			if ok && t.Has("look: the slot is loaded again behind the ring") {
				found = t.Load(c.word, order) == due
			}
			if ok && !found {
				return r.take(t, &c.in, word)
			}
		}
		if found {
			value := t.Read(c.slot)
			c.turn++
			return value
		}
		c.garbage(t)
		index, _ := c.in.index(r)
		t.Idle(mark, c.word, r.words[index])
	}
}

// garbage is channel.garbage, which must find none.
func (c *channelEnd) garbage(t *weakmem.Thread) {
	r := c.rings[1-c.side]
	index, lap := c.in.index(r)
	word := uint64(uint32(t.Load(r.words[index], 0)))
	t.Require(word == lap || word == lap-1, "the ring holds garbage, %d instead of %d", word, lap)
	word = t.Load(c.word, 0)
	turn, ahead := word>>16, word&0xffff-c.in.pos
	t.Require(turn == c.turn || turn == c.turn+1 && ahead <= uint64(len(r.words)), "the slot holds garbage, %#x in turn %d", word, c.turn)
}

// channelModelOf is a model of two ranks. Each gets the packets of the other in order, whichever
// way they take. A script is what a rank does: it pushes ('+') and waits for a packet ('-').
func channelModelOf(scripts ...string) weakmem.Model {
	return weakmem.Model{Name: fmt.Sprint("channel ", scripts), Build: func(m *weakmem.Machine) {
		c := &channelModel{slot: m.Data("turn slot", 1)[0], word: m.Word("turn word", 0)}
		for i := range c.rings {
			c.rings[i] = newRingModel(m, 2, 0)
		}
		for side, script := range scripts {
			m.Thread(fmt.Sprint("rank ", side), func(t *weakmem.Thread) {
				end := channelEnd{channelModel: c, side: uint64(side), out: c.rings[side].producer()}
				sent, got := uint64(0), uint64(0)
				for _, what := range script {
					if what == '+' {
						end.push(t, sent)
						sent++
						continue
					}
					value := end.pop(t)
					t.Require(value == got, "packet %d is %d", got, value)
					got++
				}
			})
		}
	}}
}
