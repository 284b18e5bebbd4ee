package flow

import (
	"gobench/comm"
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// A Method is a solver of lines, by axis.
type Method struct {
	eliminate, substitute [3]func(*simd.Lines)
	// Numbers for each line: those of a position that the elimination keeps for the substitution,
	// and the states that pass from cell to cell forward and back.
	Kept, Forth, Backward int
	// Turned selects components in the order of BT: density, normal momentum, the others, energy.
	Turned bool
}

// Blocks returns the method of BT, block tridiagonal systems.
func Blocks() Method {
	k := simd.Best().Blocks
	return Method{
		eliminate:  [3]func(*simd.Lines){k.Forward, k.Forward, k.Forward},
		substitute: [3]func(*simd.Lines){k.Back, k.Back, k.BackAdd},
		Kept:       simd.BlockKept, Forth: simd.BlockForth, Backward: simd.BlockBack,
		Turned: true,
	}
}

// Pentadiagonal returns the method of SP, scalar pentadiagonal systems.
func Pentadiagonal() Method {
	k := simd.Best().Penta
	return Method{
		eliminate:  [3]func(*simd.Lines){k.Transformed, k.Forward, k.Forward},
		substitute: [3]func(*simd.Lines){k.BackX, k.BackY, k.BackZ},
		Kept:       simd.PentaKept, Forth: simd.PentaForth, Backward: simd.PentaBack,
	}
}

// A Sweeper solves along the lines of all cells of a rank. With several ranks, each passes the
// state of the elimination to the next rank, and then that of the substitution back.
type Sweeper struct {
	*Solver
	Method
	part       Partition
	neighbours [3][2]int
	threads    []sweepThread
	kept       [][]float64 // of each cell; nil with one rank, where each thread keeps a group of lines
	turned     [][]float64 // R of lines along x, in lanes
	bands      [3][][]float64
	in         []float64
	out        [2][]float64 // one may still be under way
	send       comm.Request

	// Arguments of the current job.
	cell, axis    int
	receive, give []float64
	forward, back func(thread int)
	both          func(thread int)
	transposer    simd.Transposer
}

// A sweepThread holds the memory with which a thread solves lines.
type sweepThread struct {
	simd.Lines
	rows        [simd.LineLanes]int
	u, r, kept  []float64 // of lines along x, and of any with one rank
	zero, state []float64
	result      []float64
	_           [64]byte
}

// NewSweeper returns a sweeper over the cells of s, which form a partition.
func NewSweeper(s *Solver, p Partition, m Method) *Sweeper {
	w := &Sweeper{Solver: s, Method: m, part: p, neighbours: p.Neighbours(), transposer: simd.Best().Transposer}
	longest, message := 0, 0
	for _, c := range s.Cells {
		for axis := range 3 {
			longest = max(longest, c.N[axis])
			message = max(message, c.lines(axis, s.N)*max(m.Forth, m.Backward))
			w.bands[axis] = append(w.bands[axis], s.Bands(axis, c.Lo[axis], c.N[axis]))
		}
		if p.P > 1 {
			kept, turned := c.sweepLen(m)
			w.kept = append(w.kept, make([]float64, kept))
			w.turned = append(w.turned, make([]float64, turned))
		}
	}
	if p.P > 1 {
		w.in, w.out[0], w.out[1] = make([]float64, message), make([]float64, message), make([]float64, message)
	}
	w.threads = make([]sweepThread, s.Team.Threads())
	for i := range w.threads {
		t := &w.threads[i]
		t.u = make([]float64, 5*simd.LineLanes*(longest+2))
		if p.P == 1 {
			t.r = make([]float64, 5*simd.LineLanes*longest)
			t.kept = make([]float64, m.Kept*simd.LineLanes*longest)
		}
		state := simd.LineLanes * max(m.Forth, m.Backward)
		t.zero, t.state, t.result = make([]float64, state), make([]float64, state), make([]float64, state)
	}
	eliminate, substitute, solve := w.eliminate, w.substitute, w.solve // a method value allocates
	w.forward = func(thread int) { w.each(thread, eliminate) }
	w.back = func(thread int) { w.each(thread, substitute) }
	w.both = func(thread int) { w.each(thread, solve) }
	return w
}

// SweeperMemory returns the bytes of a sweeper of cells with n points each.
func SweeperMemory(n [3]int, cells, threads int, m Method) int64 {
	c := layout([3]int{}, n)
	longest := max(n[0], n[1], n[2])
	each := 5 * simd.LineLanes * (longest + 2)
	if cells == 1 {
		return 8 * int64(threads*(each+(5+m.Kept)*simd.LineLanes*longest))
	}
	kept, turned := c.sweepLen(m)
	message := 0
	for axis := range 3 {
		message = max(message, n[(axis+1)%3]*n[(axis+2)%3]*m.Forth)
	}
	return 8 * int64(threads*each+cells*(kept+turned)+3*message)
}

// across returns the axis of the lanes and that of the rows of lines along an axis.
func across(axis int) (lanes, rows int) {
	switch axis {
	case 0:
		return 1, 2
	case 1:
		return 0, 2
	}
	return 0, 1
}

// groups returns the number of groups of lines side by side along an axis.
func (c *Cell) groups(axis int) int {
	lanes, _ := across(axis)
	return (c.N[lanes] + simd.LineLanes - 1) / simd.LineLanes
}

// sweepLen returns the numbers that a cell keeps from the elimination, and of right sides in lanes.
func (c *Cell) sweepLen(m Method) (kept, turned int) {
	for axis := range 3 {
		_, rows := across(axis)
		kept = max(kept, c.N[rows]*c.groups(axis)*c.N[axis]*m.Kept*simd.LineLanes)
	}
	return kept, c.N[2] * c.groups(0) * c.N[0] * 5 * simd.LineLanes
}

// lines returns the number of lines along an axis of a cell inside of a grid of n points.
func (c *Cell) lines(axis int, n [3]int) int {
	lo, hi := c.Inside(n)
	lanes, rows := across(axis)
	return (hi[lanes] - lo[lanes]) * (hi[rows] - lo[rows])
}

// Solve solves along all lines of an axis: R becomes the solution.
func (w *Sweeper) Solve(axis int) error {
	w.axis = axis
	if w.part.P == 1 {
		w.cell = 0
		w.Team.Run(w.both)
		return nil
	}
	before, after := w.neighbours[axis][0], w.neighbours[axis][1]
	if err := w.pass(w.Forth, before, after, false, w.forward); err != nil {
		return err
	}
	return w.pass(w.Backward, after, before, true, w.back)
}

// pass runs a job on the cells along the axis, in order or from the end, and passes on the state of
// its lines, of state numbers each.
func (w *Sweeper) pass(state, from, to int, reverse bool, job func(int)) error {
	tag := 8 + w.axis
	if reverse {
		tag += 3
	}
	for stage := range w.part.P {
		at := stage
		if reverse {
			at = w.part.P - 1 - stage
		}
		w.cell = w.part.CellAt(w.axis, at)
		size := w.Cells[w.cell].lines(w.axis, w.N) * state
		w.receive, w.give = nil, nil
		if stage > 0 {
			w.receive = w.in[:size]
			w.Rank.Timers.Begin(application.Exchange)
			_, err := comm.Recv(w.Comm, w.receive, from, tag)
			w.Rank.Timers.Begin(application.Compute)
			if err != nil {
				return err
			}
		}
		if stage < w.part.P-1 {
			w.give = w.out[stage%2][:size]
		}
		w.Team.Run(job)
		w.Rank.Timers.Begin(application.Exchange)
		if stage > 0 {
			if _, err := w.send.Wait(); err != nil {
				return err
			}
		}
		if w.give != nil {
			var err error
			if w.send, err = comm.Isend(w.Comm, w.give, to, tag); err != nil {
				return err
			}
			w.Rank.Profile.Sent(to, 8*size)
		}
		w.Rank.Timers.Begin(application.Compute)
	}
	return nil
}

// each calls f for each group of lines of the current cell that a thread solves: with its row and
// its number in the row.
func (w *Sweeper) each(thread int, f func(t *sweepThread, row, group int)) {
	c := w.Cells[w.cell]
	_, rows := across(w.axis)
	lo, hi := c.bounds(rows, w.N[rows])
	groups := c.groups(w.axis)
	first, end := application.Part((hi-lo)*groups, thread, w.Team.Threads())
	t := &w.threads[thread]
	for i := first; i < end; i++ {
		row, group := i/groups, i%groups
		w.position(t, c, lo+row, group)
		f(t, row, group)
	}
}

// position describes a group of lines.
func (w *Sweeper) position(t *sweepThread, c *Cell, row, group int) {
	l := &t.Lines
	axis := w.axis
	l.Lo, l.Hi = c.bounds(axis, w.N[axis])
	l.Tau1, l.Tau2, l.Delta = w.Dt*w.Square(axis), w.Dt*w.Half(axis), delta[axis]
	l.Bands = w.bands[axis][w.cell]
	comp := c.Comp
	l.U, l.R = c.U, c.R
	number := row*c.groups(axis) + group
	switch axis {
	case 0:
		comp = simd.LineLanes
		for lane := range t.rows { // the last line is repeated
			t.rows[lane] = c.At(-1, min(group*simd.LineLanes+lane, c.N[1]-1), row)
		}
		w.transposer.ToLanes(t.u, c.U, &t.rows, c.Comp, c.N[0]+2)
		l.U, l.UAt, l.UStep = t.u, 5*comp, 5*comp
		l.R, l.RAt, l.RStep = t.r, 0, 5*comp
		if w.turned != nil {
			l.R, l.RAt = w.turned[w.cell], number*c.N[0]*5*comp
		}
		for lane := range t.rows {
			t.rows[lane]++ // R has no ghosts
		}
	case 1:
		l.UAt = c.At(group*simd.LineLanes, 0, row)
		l.UStep = c.Y
	case 2:
		l.UAt = c.At(group*simd.LineLanes, row, 0)
		l.UStep = c.Z
	}
	if axis != 0 {
		l.RAt, l.RStep = l.UAt, l.UStep
	}
	order := [5]int{0, 1, 2, 3, 4}
	if w.Turned {
		order[1], order[1+axis] = order[1+axis], order[1]
	}
	for m, at := range order {
		l.UComp[m], l.RComp[m] = at*comp, at*comp
	}
	l.Normal = (1 + axis) * comp
	l.Kept, l.At = t.kept, 0
	if w.kept != nil {
		l.Kept, l.At = w.kept[w.cell], number*c.N[axis]*w.Kept*simd.LineLanes
	}
	l.In, l.Out = t.zero, t.result
}

// solve solves a group of whole lines.
func (w *Sweeper) solve(t *sweepThread, row, group int) {
	c := w.Cells[w.cell]
	if w.axis == 0 {
		w.transposer.ToLanes(t.R[t.RAt:], c.R, &t.rows, c.Comp, c.N[0])
	}
	w.Method.eliminate[w.axis](&t.Lines)
	w.Method.substitute[w.axis](&t.Lines)
	if w.axis == 0 {
		w.transposer.ToRows(c.R, t.R[t.RAt:], &t.rows, c.Comp, c.N[0])
	}
}

func (w *Sweeper) eliminate(t *sweepThread, row, group int) {
	c := w.Cells[w.cell]
	if w.axis == 0 {
		w.transposer.ToLanes(t.R[t.RAt:], c.R, &t.rows, c.Comp, c.N[0])
	}
	w.arrive(t, c, w.Forth, row, group)
	w.Method.eliminate[w.axis](&t.Lines)
	w.leave(t, c, w.Forth, row, group)
}

func (w *Sweeper) substitute(t *sweepThread, row, group int) {
	c := w.Cells[w.cell]
	w.arrive(t, c, w.Backward, row, group)
	w.Method.substitute[w.axis](&t.Lines)
	w.leave(t, c, w.Backward, row, group)
	if w.axis == 0 {
		w.transposer.ToRows(c.R, t.R[t.RAt:], &t.rows, c.Comp, c.N[0])
	}
}

// message returns the index of the first line of a group in a message, and the range of its lanes.
// Messages have only the lines inside of a grid of n points.
func (c *Cell) message(axis, state, row, group int, n [3]int) (at, first, end int) {
	lanes, _ := across(axis)
	lo, hi := c.bounds(lanes, n[lanes])
	origin := group * simd.LineLanes
	first, end = max(lo-origin, 0), min(hi-origin, simd.LineLanes)
	return state * (row*(hi-lo) + origin + first - lo), first, max(end, first)
}

// arrive takes the state of a group from the message that was received.
func (w *Sweeper) arrive(t *sweepThread, c *Cell, state, row, group int) {
	if w.receive == nil {
		return
	}
	at, first, end := c.message(w.axis, state, row, group, w.N)
	lanes, _ := across(w.axis)
	last := c.N[lanes] - 1 - group*simd.LineLanes
	for i := range state {
		to := t.state[i*simd.LineLanes : (i+1)*simd.LineLanes]
		clear(to)
		at += copy(to[first:end], w.receive[at:])
		for lane := last + 1; lane < simd.LineLanes && w.axis == 0; lane++ {
			to[lane] = to[last] // lanes past the end repeat the last line
		}
	}
	t.In = t.state
}

// leave puts the state of a group into the message to be sent.
func (w *Sweeper) leave(t *sweepThread, c *Cell, state, row, group int) {
	if w.give == nil {
		return
	}
	at, first, end := c.message(w.axis, state, row, group, w.N)
	for i := range state {
		at += copy(w.give[at:], t.result[i*simd.LineLanes+first:i*simd.LineLanes+end])
	}
}
