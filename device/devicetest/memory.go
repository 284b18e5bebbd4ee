package devicetest

import (
	"runtime"

	"gobench/device"
	"gobench/internal/race"
)

func memoryRules() []rule {
	return []rule{
		{name: "10000 unexpected messages", ranks: []int{3}, run: unexpected,
			options: map[string]string{"eager_budget": "256KiB"}},
		{name: "flood", ranks: []int{4}, run: flood},
	}
}

// unexpected sends 10,000 messages of 4 KiB that no receive waits for. The
// receiver's memory stays bounded, the last one of them can be received first, and
// the others come in order.
func unexpected(r *rank) {
	const messages, size = 10_000, 4096
	const last = 1
	if r.Rank() != 0 {
		count := messages / (r.Size() - 1)
		// Message i is a window into one buffer that starts with word i.
		all := make([]byte, 8*count+size)
		for i := range len(all) / 8 {
			copy(all[8*i:], numbered(8, i))
		}
		open := make([]device.Request, count)
		r.sync()
		for i := range open {
			tag := int32(0)
			if i == count-1 {
				tag = last
			}
			open[i] = r.isend(all[8*i:8*i+size], 0, tag, 0)
		}
		for _, q := range open {
			r.wait(q)
		}
		return
	}
	senders := r.Size() - 1
	count := messages / senders
	heap, resident := memoryInUse() // before anything is sent: goroutines share their heap
	r.sync()
	for src := 1; src <= senders; src++ {
		r.same(r.probe(src, last, 0), src, last, size)
	}
	// Each message may take memory for its header; eager data is limited by the budget.
	const limit = 8<<20 + messages*512
	heap2, resident2 := memoryInUse()
	if grown := heap2 - heap; grown > limit {
		r.fail("the heap grew by %d bytes for unexpected messages, want at most %d", grown, limit)
	}
	if grown := resident2 - resident; r.forked && grown > 2*limit {
		r.fail("the resident memory grew by %d bytes for unexpected messages, want at most %d", grown, 2*limit)
	}
	in := make([]byte, size)
	for src := 1; src <= senders; src++ {
		r.same(r.recv(in, src, last, 0), src, last, size)
		r.window(in, count-1)
	}
	// Many receives at a time, so that a busy machine does not make this long.
	const batch = 125
	ins, open := make([][]byte, batch), make([]device.Request, batch)
	for i := range ins {
		ins[i] = make([]byte, size)
	}
	for src := 1; src <= senders; src++ {
		for done := 0; done < count-1; {
			n := min(batch, count-1-done)
			for i := range n {
				open[i] = r.irecv(ins[i], src, device.AnyTag, 0)
			}
			for i := range n {
				r.same(r.wait(open[i]), src, 0, size)
				r.window(ins[i], done+i)
			}
			done += n
		}
	}
}

// window checks message i of unexpected.
//
//go:norace
func (r *rank) window(b []byte, i int) {
	race.Reads(b)
	for w := range len(b) / 8 {
		if number(b[8*w:]) != i+w {
			r.fail("unexpected message %d: word %d is %d", i, w, number(b[8*w:]))
		}
	}
}

// memoryInUse is the live heap and the resident memory of this process.
func memoryInUse() (heap, resident int64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), residentMemory()
}

// flood sends much faster than the receiver takes, from several ranks, with
// small messages that are complete before they are received.
func flood(r *rank) {
	const messages = 5000
	var b [64]byte
	if r.Rank() != 0 {
		for i := range messages {
			r.send(fill(b[:1+i%64], key(r.Rank(), 0, i)), 0, int32(r.Rank()), 0)
		}
		return
	}
	for i := range messages { // the last rank's first
		for src := r.Size() - 1; src > 0; src-- {
			n := 1 + i%64
			r.same(r.recv(b[:], device.AnySource, int32(src), 0), src, int32(src), n)
			r.check(b[:n], key(src, 0, i), "one of a flood")
		}
	}
}
