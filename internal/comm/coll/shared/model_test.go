package shared

import (
	"fmt"
	"slices"
	"testing"

	"gobench/internal/weakmem"
)

// arenaModel is an arena: the board of each rank, with fewer entries, and pieces of store with room
// for one datum each.
type arenaModel struct {
	steps     [][]*weakmem.Word // entry.step by rank
	entries   [][]*weakmem.Data // what, and data
	stores    [][]*weakmem.Data // by rank and piece
	completed []*weakmem.Word
}

func newArenaModel(m *weakmem.Machine, ranks, entries, pieces int) *arenaModel {
	a := &arenaModel{}
	for r := range ranks {
		a.steps = append(a.steps, m.Words(fmt.Sprint("note.step ", r), entries))
		a.entries = append(a.entries, m.Data(fmt.Sprint("note ", r), entries))
		a.stores = append(a.stores, m.Data(fmt.Sprint("store ", r), pieces))
		a.completed = append(a.completed, m.Word(fmt.Sprint("completed ", r), 0))
	}
	return a
}

// arenaRank is an Arena.
type arenaRank struct {
	*arenaModel
	rank       int
	step, free uint64
	known      []uint64 // completed
	used       []uint64
	piece      int
}

func (a *arenaModel) open(rank int) *arenaRank {
	return &arenaRank{arenaModel: a, rank: rank, step: 1, free: a.count() + 1,
		known: make([]uint64, len(a.steps)), used: make([]uint64, len(a.stores[0]))}
}

// count returns the number of entries of a rank.
func (a *arenaModel) count() uint64 { return uint64(len(a.entries[0])) }

// waitCompleted is Arena.waitCompleted.
func (a *arenaRank) waitCompleted(t *weakmem.Thread, step uint64) {
	order := t.Order("waitCompleted: completed before memory is written again", weakmem.Acquire)
	for r := range a.known {
		if r != a.rank && a.known[r] < step {
			a.known[r] = t.Await(a.completed[r], order, func(v uint64) bool { return v >= step })
		}
	}
}

// entry is Arena.entry.
func (a *arenaRank) entry(t *weakmem.Thread) *weakmem.Data {
	if a.step >= a.free {
		after := uint64(0)
		if t.Has("note: it may be read in the step after its own") {
			after = 1
		}
		a.waitCompleted(t, a.step-a.count()+after)
		known := slices.Delete(slices.Clone(a.known), a.rank, a.rank+1)
		a.free = slices.Min(known) + a.count() + 1 - after
	}
	return a.entries[a.rank][a.step%a.count()]
}

// room is Arena.room.
func (a *arenaRank) room(t *weakmem.Thread, delay uint64) int {
	i := a.piece
	a.piece = (i + 1) % len(a.used)
	if t.Has("room: the piece is not read any more") {
		a.waitCompleted(t, a.used[i])
	}
	a.used[i] = a.step + delay
	return i
}

func datum(rank int, step uint64) uint64 { return step<<8 | uint64(rank) }

// post is Arena.post of long data.
func (a *arenaRank) post(t *weakmem.Thread, delay uint64) {
	n, i := a.entry(t), a.room(t, delay)
	t.WriteAround(a.stores[a.rank][i], datum(a.rank, a.step))
	if t.Has("copyStream: SFENCE") {
		t.Drain()
	}
	t.Write(n, uint64(i))
	t.Publish(a.steps[a.rank][a.step%a.count()], a.step, t.Order("publish: data and note before its step", weakmem.Release))
}

// posted is Arena.posted.
func (a *arenaRank) posted(t *weakmem.Thread, r int, delay uint64) {
	step := a.step - delay
	order := t.Order("entryOf: the step before note and data", weakmem.Acquire)
	t.Await(a.steps[r][step%a.count()], order, func(v uint64) bool { return v == step })
	i := t.Read(a.entries[r][step%a.count()])
	got := t.Read(a.stores[r][i])
	t.Require(got == datum(r, step), "the datum of rank %d and step %d is %#x", r, step, got)
}

// next is Arena.next.
func (a *arenaRank) next(t *weakmem.Thread) {
	t.Publish(a.completed[a.rank], a.step, t.Order("next: note and data are read before completed", weakmem.Release))
	a.step++
	t.At(a.step, a.free, a.known, a.used, a.piece)
}

// bcastModel is Bcast: rank 0 posts and the others read.
func bcastModel(ranks, entries, pieces, steps int) weakmem.Model {
	return weakmem.Model{Name: fmt.Sprintf("bcast of %d ranks, %d notes, %d pieces", ranks, entries, pieces), Build: func(m *weakmem.Machine) {
		arena := newArenaModel(m, ranks, entries, pieces)
		for rank := range ranks {
			m.Thread(fmt.Sprint("rank ", rank), func(t *weakmem.Thread) {
				a := arena.open(rank)
				for range steps {
					if rank == 0 {
						a.post(t, 0)
					} else {
						a.posted(t, 0, 0)
					}
					a.next(t)
				}
			})
		}
	}}
}

// stepsModel is inSteps: every rank posts, and reads what the others have posted in this step or in
// the one before.
func stepsModel(delay uint64, ranks, entries, pieces, steps int) weakmem.Model {
	return weakmem.Model{Name: fmt.Sprintf("inSteps with delay %d, %d ranks, %d notes, %d pieces", delay, ranks, entries, pieces), Build: func(m *weakmem.Machine) {
		arena := newArenaModel(m, ranks, entries, pieces)
		for rank := range ranks {
			m.Thread(fmt.Sprint("rank ", rank), func(t *weakmem.Thread) {
				a := arena.open(rank)
				for i := range steps {
					if last := delay == 1 && i == steps-1; !last {
						a.post(t, delay)
					}
					if i >= int(delay) {
						for r := range ranks {
							if r != rank {
								a.posted(t, r, delay)
							}
						}
					}
					a.next(t)
				}
			})
		}
	}}
}

// TestModels checks the protocol of this package under a weak memory model
// (docs/notes/weak-memory.md).
func TestModels(t *testing.T) {
	weakmem.Verify(t,
		bcastModel(2, 2, 3, 6), // entries run out first
		bcastModel(2, 3, 2, 6), // the store does
		stepsModel(0, 2, 2, 3, 5),
		stepsModel(1, 2, 2, 3, 5),
		stepsModel(1, 2, 3, 2, 5),
		stepsModel(1, 3, 2, 3, 4),
		bcastModel(3, 2, 2, 4),
	)
}
