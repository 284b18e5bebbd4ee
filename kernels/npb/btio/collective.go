package btio

import (
	"cmp"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/comm"
	"gobench/kernels/application"
	"gobench/kernels/npb/flow"
)

// collective is the store of the subtype full: two-phase collective buffering (Thakur, Gropp and
// Lusk, "Data Sieving and Collective I/O in ROMIO", 1999). The planes of the field are divided
// among a few ranks, the aggregators. In each round every aggregator gets the rows of a window of
// its planes from all ranks, and writes the window, or reads it and sends the rows to their ranks.
// The owners of rows follow from the partition, so no other data are exchanged.
type collective struct {
	rank   *application.Rank
	solver *flow.Solver
	name   string
	direct bool
	n      int
	boxes  [][]flow.Box // cells, by rank

	aggregators []int // their ranks
	lines       int   // rows of the whole field in a window
	rounds      int
	own         int // number among the aggregators, -1 = none

	file     *os.File
	bypass   *os.File    // the same file without the cache, nil = not direct
	out      [][]float64 // rows of this rank for each aggregator
	in       []float64   // rows of all ranks, one after the other
	mine     []float64   // part of in with the rows of this rank
	window   []float64   // with room for alignment, see aligned
	requests []comm.Request
}

// sector is the unit of direct access to files, in bytes. No device requires a larger one.
const sector = 4096

func newCollective(r *application.Rank, s *flow.Solver, name string, o Options) *collective {
	ranks, n := r.Comm.Size(), s.N[0]
	c := &collective{rank: r, solver: s, name: name, direct: o.Direct, n: n, own: -1}
	for rank := range ranks {
		c.boxes = append(c.boxes, flow.NewPartition(rank, ranks).Boxes(s.N))
	}
	count := min(cmp.Or(o.Aggregators, r.Comm.Hosts()), ranks, n)
	for a := range count { // spread over the hosts, which ranks fill one after the other
		c.aggregators = append(c.aggregators, a*ranks/count)
		if c.aggregators[a] == r.Comm.Rank() {
			c.own = a
		}
	}
	_, largest := flow.Slab(n, 0, count)
	c.lines = o.lines(n, largest)
	c.rounds = (largest*n + c.lines - 1) / c.lines
	size := 5 * n * c.lines
	c.out = make([][]float64, count)
	for a := range c.out {
		largest := 0
		for round := range c.rounds {
			first, end := c.span(a, round)
			largest = max(largest, c.numbers(r.Comm.Rank(), first, end))
		}
		c.out[a] = make([]float64, largest)
	}
	if c.own >= 0 {
		c.in, c.window = make([]float64, size), make([]float64, size+sector/8)
	}
	return c
}

// span returns the range of rows in the window of an aggregator in a round. Row l lies at y = l %
// n, z = l / n.
func (c *collective) span(aggregator, round int) (first, end int) {
	plane, planes := flow.Slab(c.n, aggregator, len(c.aggregators))
	last := (plane + planes) * c.n
	first = min(plane*c.n+round*c.lines, last)
	return first, min(first+c.lines, last)
}

// each calls f for the rows of the cells of a rank in a span: with the number of the cell, the row
// in the cell, and its place in the window, in points.
func (c *collective) each(rank, first, end int, f func(cell, j, k, at int)) {
	for number, b := range c.boxes[rank] {
		for k := max(first/c.n-b.Lo[2], 0); k < b.N[2] && (b.Lo[2]+k)*c.n < end; k++ {
			for j := range b.N[1] {
				if l := (b.Lo[2]+k)*c.n + b.Lo[1] + j; l >= first && l < end {
					f(number, j, k, (l-first)*c.n+b.Lo[0])
				}
			}
		}
	}
}

// numbers returns the numbers of a rank in a span.
func (c *collective) numbers(rank, first, end int) (sum int) {
	c.each(rank, first, end, func(cell, _, _, _ int) { sum += 5 * c.boxes[rank][cell].N[0] })
	return sum
}

func (c *collective) create() error { return c.openAs(os.O_RDWR | os.O_CREATE) }

func (c *collective) open() error { return c.openAs(os.O_RDONLY) }

func (c *collective) openAs(mode int) (err error) {
	c.bypass = nil
	if c.file, err = os.OpenFile(c.name, mode, 0o666); err != nil || !c.direct {
		return err
	}
	c.bypass, err = os.OpenFile(c.name, mode|unix.O_DIRECT, 0o666)
	return err
}

func (c *collective) close(sync bool) error {
	if c.bypass != nil {
		if err := c.bypass.Close(); err != nil {
			return err
		}
	}
	return closed(c.file, sync && c.own >= 0)
}

// tagStorage is the tag of rows on their way to and from aggregators.
const tagStorage = 20

// write implements store. A round ends when the rows of this rank have been sent and, on an
// aggregator, its window has been written.
func (c *collective) write(d int) error {
	for round := range c.rounds {
		c.requests = c.requests[:0]
		if err := c.slots(round, comm.Irecv[float64]); err != nil {
			return err
		}
		err := c.parts(round, func(a, first, end int, out []float64) error {
			at := 0
			c.each(c.rank.Comm.Rank(), first, end, func(cell, j, k, _ int) {
				pack(out[at:], c.solver.Cells[cell], j, k)
				at += 5 * c.solver.Cells[cell].N[0]
			})
			if a == c.own {
				copy(c.mine, out)
				return nil
			}
			c.rank.Profile.Sent(c.aggregators[a], 8*len(out))
			return c.start(comm.Isend(c.rank.Comm, out, c.aggregators[a], tagStorage))
		})
		if err != nil {
			return err
		}
		if err := c.wait(); err != nil {
			return err
		}
		err = c.turn(d, round, func(b []byte, at int64) error { return c.access(b, at, (*os.File).WriteAt) },
			func(window, row []float64) { copy(window, row) }, true)
		if err != nil {
			return err
		}
	}
	return nil
}

// read implements store.
func (c *collective) read(d int) error {
	for round := range c.rounds {
		c.requests = c.requests[:0]
		err := c.parts(round, func(a, _, _ int, out []float64) error {
			if a == c.own {
				return nil
			}
			return c.start(comm.Irecv(c.rank.Comm, out, c.aggregators[a], tagStorage))
		})
		if err != nil {
			return err
		}
		err = c.turn(d, round, func(b []byte, at int64) error {
			return c.access(b, at, func(f *os.File, b []byte, at int64) (int, error) { return len(b), readAt(f, b, at) })
		}, func(window, row []float64) { copy(row, window) }, false)
		if err != nil {
			return err
		}
		if err := c.slots(round, comm.Isend[float64]); err != nil {
			return err
		}
		if err := c.wait(); err != nil {
			return err
		}
		err = c.parts(round, func(a, first, end int, out []float64) error {
			if a == c.own {
				copy(out, c.mine)
			}
			at := 0
			c.each(c.rank.Comm.Rank(), first, end, func(cell, j, k, _ int) {
				unpack(c.solver.Cells[cell], j, k, out[at:])
				at += 5 * c.solver.Cells[cell].N[0]
			})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// parts calls f for each aggregator whose window has rows of this rank, with a buffer for them.
func (c *collective) parts(round int, f func(a, first, end int, out []float64) error) error {
	for a := range c.aggregators {
		first, end := c.span(a, round)
		n := c.numbers(c.rank.Comm.Rank(), first, end)
		if n == 0 {
			continue
		}
		if err := f(a, first, end, c.out[a][:n]); err != nil {
			return err
		}
	}
	return nil
}

// slots starts a transfer for the rows of each other rank in the window of this aggregator, and
// sets mine to the memory of its own rows.
func (c *collective) slots(round int, transfer func(*comm.Comm, []float64, int, int) (comm.Request, error)) error {
	if c.own < 0 {
		return nil
	}
	first, end := c.span(c.own, round)
	at := 0
	for rank := range c.boxes {
		slot := c.in[at:][:c.numbers(rank, first, end)]
		at += len(slot)
		switch {
		case rank == c.rank.Comm.Rank():
			c.mine = slot
		case len(slot) > 0:
			if err := c.start(transfer(c.rank.Comm, slot, rank, tagStorage)); err != nil {
				return err
			}
		}
	}
	return nil
}

// start adds a request.
func (c *collective) start(q comm.Request, err error) error {
	c.requests = append(c.requests, q)
	return err
}

// wait waits for all requests.
func (c *collective) wait() error {
	c.rank.Timers.Begin(application.Exchange)
	defer c.rank.Timers.Begin(application.Storage)
	return comm.WaitAll(c.requests, nil)
}

// turn transfers the window of this aggregator in a round. move copies one row between the window
// and c.in, access transfers the window between memory and the file. With collect the rows move
// first (writing), otherwise the file is accessed first (reading).
func (c *collective) turn(d, round int, access func(b []byte, at int64) error, move func(window, row []float64), collect bool) error {
	if c.own < 0 {
		return nil
	}
	first, end := c.span(c.own, round)
	if first == end {
		return nil
	}
	at := offset(c.n, d, [3]int{0, first % c.n, first / c.n})
	window := c.aligned(at, 5*c.n*(end-first))
	if !collect {
		if err := access(raw(window), at); err != nil {
			return err
		}
	}
	position := 0
	for rank := range c.boxes {
		c.each(rank, first, end, func(cell, _, _, point int) {
			n := 5 * c.boxes[rank][cell].N[0]
			move(window[5*point:][:n], c.in[position:][:n])
			position += n
		})
	}
	if collect {
		return access(raw(window), at)
	}
	return nil
}

// aligned returns n numbers of the window, at an address with the same offset in a sector as the
// place at in the file.
func (c *collective) aligned(at int64, n int) []float64 {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(c.window)))
	skip := (uintptr(at) - address) % sector / 8
	return c.window[skip:][:n]
}

// access reads or writes memory at a place in the file. With direct access, whole sectors bypass
// the page cache and the remainders at both ends go through it. A sector takes the same path in all
// accesses.
func (c *collective) access(b []byte, at int64, f func(*os.File, []byte, int64) (int, error)) error {
	head := int(-at & (sector - 1))
	if c.bypass == nil || len(b) < head+sector {
		_, err := f(c.file, b, at)
		return err
	}
	whole := (len(b) - head) &^ (sector - 1)
	for _, part := range []struct {
		file       *os.File
		first, end int
	}{{c.file, 0, head}, {c.bypass, head, head + whole}, {c.file, head + whole, len(b)}} {
		if part.first == part.end {
			continue
		}
		if _, err := f(part.file, b[part.first:part.end], at+int64(part.first)); err != nil {
			return err
		}
	}
	return nil
}
