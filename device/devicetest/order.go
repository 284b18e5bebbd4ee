package devicetest

import (
	"encoding/binary"

	"gobench/device"
)

func orderRules() []rule {
	return []rule{
		{name: "no overtaking", ranks: []int{2}, run: noOvertaking},
		{name: "order of many senders", ranks: []int{4}, run: manySenders},
		{name: "first posted receive matches", ranks: []int{2}, run: func(r *rank) { mixedReceives(r, true) }},
		{name: "first unexpected message matches", ranks: []int{2}, run: func(r *rank) { mixedReceives(r, false) }},
		{name: "contexts are apart", ranks: []int{2}, run: contextsApart},
	}
}

// numbered makes a message of at least 8 bytes that carries a number.
func numbered(size, number int) []byte {
	b := make([]byte, max(size, 8))
	binary.LittleEndian.PutUint64(b, uint64(number))
	return b
}

func number(b []byte) int { return int(binary.LittleEndian.Uint64(b)) }

// noOvertaking streams messages of changing protocols; receives of every kind
// see them in order.
func noOvertaking(r *rank) {
	const messages = 400
	sizes := r.mixed()
	if r.Rank() == 0 {
		var open []device.Request
		for i := range messages {
			b := numbered(sizes[i*7%len(sizes)], i)
			if i%11 == 3 {
				open = append(open, r.issend(b, 1, int32(i%3), 5))
			} else {
				open = append(open, r.isend(b, 1, int32(i%3), 5))
			}
		}
		for _, q := range open {
			r.wait(q)
		}
		return
	}
	buf := make([]byte, 1<<20)
	for i := range messages {
		src, tag := 0, int32(i%3)
		if i/10%2 == 1 {
			src = device.AnySource
		}
		if i/20%2 == 1 {
			tag = device.AnyTag
		}
		r.same(r.recv(buf, src, tag, 5), 0, int32(i%3), max(sizes[i*7%len(sizes)], 8))
		if number(buf) != i {
			r.fail("message %d overtook message %d", number(buf), i)
		}
	}
}

// manySenders receives from all others with AnySource; each one's messages
// come in order.
func manySenders(r *rank) {
	const messages = 160
	sizes := r.mixed()
	if r.Rank() != 0 {
		for i := range messages {
			r.send(numbered(sizes[(i+r.Rank())%len(sizes)], i), 0, int32(i%5), 0)
		}
		return
	}
	next := make([]int, r.Size())
	buf := make([]byte, 1<<20)
	for range messages * (r.Size() - 1) {
		st := r.recv(buf, device.AnySource, device.AnyTag, 0)
		if got := number(buf); got != next[st.Source] || st.Tag != int32(got%5) {
			r.fail("rank %d: message %d (tag %d) came where %d was due", st.Source, got, st.Tag, next[st.Source])
		}
		next[st.Source]++
	}
}

// mixedReceives matches random receives with random messages of one sender,
// for which MPI leaves no choice: the naive matching below is the only legal one.
func mixedReceives(r *rank, posted bool) {
	const count = 60
	for round := range 12 {
		rnd := r.rand(round) // the same for both ranks
		type pattern struct {
			src  int
			tag  int32
			want int // message that must match
		}
		tags, sizes := make([]int32, count), make([]int, count)
		for i := range count {
			tags[i] = int32(rnd.IntN(4))
			sizes[i] = max(8, r.mixed()[rnd.IntN(len(r.mixed()))])
		}
		patterns := make([]pattern, count)
		taken := make([]bool, count)
		for i := range patterns {
			p := pattern{src: 0, tag: int32(rnd.IntN(4)), want: -1}
			if rnd.IntN(2) == 0 {
				p.src = device.AnySource
			}
			if rnd.IntN(3) == 0 {
				p.tag = device.AnyTag
			}
			// Whether receives or messages are first in line, the i-th receive
			// takes the first message that fits and is not taken.
			for m := range tags {
				if !taken[m] && (p.tag == device.AnyTag || p.tag == tags[m]) {
					p.want, taken[m] = m, true
					break
				}
			}
			patterns[i] = p
		}
		var token [1]byte
		if r.Rank() == 0 {
			if posted {
				r.recv(token[:], 1, 0, 9)
			}
			var open []device.Request
			for i := range count {
				open = append(open, r.isend(numbered(sizes[i], i), 1, tags[i], 2))
			}
			r.send(token[:], 1, 99, 2) // comes behind all others
			r.recv(token[:], 1, 1, 9)
			for _, q := range open {
				r.wait(q)
			}
			continue
		}
		bufs := make([][]byte, count)
		open := make([]device.Request, count)
		post := func() {
			for i, p := range patterns {
				bufs[i] = make([]byte, 128<<10+3*r.eagerLimit())
				if p.want >= 0 {
					open[i] = r.irecv(bufs[i], p.src, p.tag, 2)
				}
			}
		}
		if posted {
			post()
			r.send(token[:], 0, 0, 9)
			r.recv(token[:], 0, 99, 2)
		} else {
			r.recv(token[:], 0, 99, 2)
			post()
		}
		for i, p := range patterns {
			if p.want < 0 {
				continue
			}
			r.same(r.wait(open[i]), 0, tags[p.want], sizes[p.want])
			if got := number(bufs[i]); got != p.want {
				r.fail("receive %d (source %d tag %d) got message %d, MPI's order wants %d", i, p.src, p.tag, got, p.want)
			}
		}
		for m := range tags { // what no receive was for
			if !taken[m] {
				r.recv(bufs[0], 0, tags[m], 2)
				if got := number(bufs[0]); got != m {
					r.fail("message %d is left, want %d", got, m)
				}
			}
		}
		r.send(token[:], 0, 1, 9)
	}
}

// contextsApart receives the contexts of equal messages in another order than they
// were sent.
func contextsApart(r *rank) {
	contexts := []int32{0, 1, 2, r.lastContext / 2, r.lastContext - 1}
	const messages = 40
	if r.Rank() == 0 {
		var open []device.Request
		for i := range messages {
			for c, context := range contexts {
				open = append(open, r.isend(numbered(r.mixed()[i%len(r.mixed())], i*10+c), 1, 4, context))
			}
		}
		for _, q := range open {
			r.wait(q)
		}
		return
	}
	buf := make([]byte, 1<<20)
	if st, found := r.iprobe(device.AnySource, device.AnyTag, 40); found {
		r.fail("context 40, which nobody uses, has a message: %+v", st)
	}
	for c := len(contexts) - 1; c >= 0; c-- {
		for i := range messages {
			r.recv(buf, device.AnySource, device.AnyTag, contexts[c])
			if number(buf) != i*10+c {
				r.fail("context %d: got message %d, want %d", contexts[c], number(buf), i*10+c)
			}
		}
	}
}
