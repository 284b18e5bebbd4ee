package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"gobench/comm/op"
	"gobench/comm/schedule"
)

// Options configure a simulated run.
type Options struct {
	Seed     uint64
	Buffered bool // a send completes immediately; else when its receive is posted
	Op       *op.Op
	Barrier  bool // no rank may end before it has received word of all others, directly or not
}

// transfer is a send or receive that was started.
type transfer struct {
	rank *rank
	part schedule.Mem
	data []byte // of a buffered send
	hold int32  // added to the busy count of its memory
	news heard  // the ranks that the sender has heard of
	done bool
}

// rank is the state of one rank.
type rank struct {
	program *schedule.Program
	memory  [4]memory
	next    int
	slots   []*transfer
	current *transfer // of a blocking instruction
	heard   heard
}

type world struct {
	Options
	ranks []*rank
	sends map[[2]int][]*transfer // by sender and receiver, in order
	recvs map[[2]int][]*transfer
}

// Run runs one program for each rank. send and recv are the callers' buffers; given returns the
// part of a Recv buffer that the caller has written.
func Run(programs []*schedule.Program, send, recv [][]byte, given func(rank int) schedule.Mem, o Options) error {
	w := &world{Options: o, sends: map[[2]int][]*transfer{}, recvs: map[[2]int][]*transfer{}}
	for i, p := range programs {
		r := &rank{program: p, slots: make([]*transfer, p.Slots), heard: self(i, len(programs))}
		r.memory[schedule.SendBuffer] = over(send[i])
		r.memory[schedule.SendBuffer].wrote(schedule.Mem{Len: len(send[i])})
		r.memory[schedule.Scratch] = newMemory(p.Scratch)
		r.memory[schedule.RecvBuffer] = over(recv[i])
		r.memory[schedule.RecvBuffer].wrote(given(i))
		w.ranks = append(w.ranks, r)
	}
	random := rand.New(rand.NewPCG(o.Seed, 1))
	for stuck := 0; ; {
		me := random.IntN(len(w.ranks))
		moved, err := w.step(me)
		if err != nil {
			return fmt.Errorf("rank %d, instruction %d: %w", me, w.ranks[me].next, err)
		}
		if stuck++; moved {
			stuck = 0
		}
		if stuck > 0 && stuck%(8*len(w.ranks)) == 0 {
			all, err := w.sweep()
			if all || err != nil {
				return err
			}
			stuck = 0
		}
	}
}

// sweep gives every rank a turn. It reports whether all are done, and an error if
// none can go on.
func (w *world) sweep() (done bool, err error) {
	done = true
	any := false
	for me, r := range w.ranks {
		moved, err := w.step(me)
		if err != nil {
			return false, fmt.Errorf("rank %d, instruction %d: %w", me, r.next, err)
		}
		any = any || moved
		done = done && r.next == len(r.program.Instrs)
	}
	if done {
		return true, w.leftOver()
	}
	if !any {
		return false, w.deadlock()
	}
	return false, nil
}

func (w *world) leftOver() error {
	for pair, list := range w.sends {
		if len(list) > 0 {
			return fmt.Errorf("%d messages from rank %d to rank %d are never received", len(list), pair[0], pair[1])
		}
	}
	for pair, list := range w.recvs {
		if len(list) > 0 {
			return fmt.Errorf("%d receives of rank %d from rank %d never get a message", len(list), pair[1], pair[0])
		}
	}
	for me, r := range w.ranks {
		if peer := r.heard.missing(len(w.ranks)); w.Barrier && peer >= 0 {
			return fmt.Errorf("rank %d may leave the barrier before rank %d has come", me, peer)
		}
		for s, t := range r.slots {
			if t != nil {
				return fmt.Errorf("rank %d never waits for its request %d", me, s)
			}
		}
	}
	return nil
}

// deadlock returns an error that lists the instructions for which ranks wait.
func (w *world) deadlock() error {
	var b strings.Builder
	for me, r := range w.ranks {
		if r.next < len(r.program.Instrs) {
			i := r.program.Instrs[r.next]
			if i.Code == schedule.Wait {
				i = r.program.Starter(i.Slot)
			}
			verb := "send to"
			if i.Code == schedule.Recv || i.Code == schedule.Irecv {
				verb = "receive from"
			}
			fmt.Fprintf(&b, "; rank %d waits to %s rank %d", me, verb, i.Peer)
		}
	}
	return fmt.Errorf("deadlock%s", b.String())
}
