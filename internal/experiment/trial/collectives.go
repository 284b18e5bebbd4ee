package trial

import (
	"context"
	"errors"
	"time"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/device"
	"gobench/device/profile"
)

// Operations that copy through shared memory, where the kernel's copy or halves by both ranks may
// be faster. Reductions read each other's data in place.
var operations = []struct {
	kind schedule.Kind
	run  func(world *comm.Comm, long, short []byte) error
}{
	{schedule.Bcast, func(w *comm.Comm, _, short []byte) error { return comm.Bcast(w, short, 0) }},
	{schedule.Scatter, func(w *comm.Comm, long, short []byte) error { return comm.Scatter(w, long, short, 0) }},
	{schedule.Gather, func(w *comm.Comm, long, short []byte) error { return comm.Gather(w, short, long, 0) }},
	{schedule.Allgather, func(w *comm.Comm, long, short []byte) error { return comm.Allgather(w, short, long) }},
	{schedule.Alltoall, func(w *comm.Comm, long, _ []byte) error {
		return comm.Alltoall(w, long[:len(long)/2], long[len(long)/2:])
	}},
}

// sizes are the sizes of a block, in bytes, for which an algorithm is chosen. That of the last one
// holds for all longer blocks.
var sizes = []int{16 << 10, 64 << 10, 256 << 10, 1 << 20}

// collectives chooses between the default algorithm of each operation of two ranks and the one by
// messages, which go as the choices of the transport say.
func collectives(ctx context.Context, job device.Job, driver device.Driver, end time.Time) (choices []profile.Choice, err error) {
	opts, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		return nil, err
	}
	messages := &coll.Table{Origin: "messages"}
	usual := map[schedule.Kind][]coll.Choice{}
	for _, o := range operations {
		for _, size := range sizes {
			shape := schedule.Shape{Kind: o.kind, Ranks: 2, Bytes: size, Elem: 1}
			both := []coll.Choice{coll.Defaults().Choose(driver.Name(), &shape, true), coll.Defaults().Choose(driver.Name(), &shape, false)}
			usual[o.kind] = append(usual[o.kind], both...)
			messages.Rules = append(messages.Rules, coll.Rule{Kind: o.kind, Bytes: size, Choice: both[1]})
		}
	}
	var worlds [2]*comm.Comm
	for i, table := range []*coll.Table{coll.Defaults(), messages} {
		d, err := driver.Open(ctx, job, opts)
		if err != nil {
			return nil, err
		}
		if worlds[i], err = comm.World(d, comm.Options{Coll: coll.Options{Table: table}}); err != nil {
			return nil, errors.Join(err, d.Close())
		}
		defer worlds[i].CloseAll(&err)
	}
	largest := sizes[len(sizes)-1]
	long, short := make([]byte, 4*largest), make([]byte, largest)
	for n, o := range operations {
		if profile.InForce().Settled(coll.RoutineOf(driver.Name(), o.kind)) != "" {
			continue
		}
		var picks []coll.SizedChoice
		var spread float64
		for i, size := range sizes {
			now := time.Now()
			left := len(operations)*len(sizes) - n*len(sizes) - i
			more := profile.Rounds(minRounds, maxRounds, now.Add(end.Sub(now)/time.Duration(left)), end, time.Now)
			best, s, err := profile.Trial{
				Names: make([]string, len(worlds)),
				Run: func(candidate int) (time.Duration, error) {
					begin := time.Now()
					for range max(2, largest/size/4) {
						parts := 2
						if o.kind == schedule.Alltoall {
							parts = 4
						}
						if err := o.run(worlds[candidate], long[:parts*size], short[:size]); err != nil {
							return 0, err
						}
					}
					return time.Since(begin), comm.Barrier(worlds[candidate])
				},
				More: func(round int) (bool, error) {
					word := []byte{0}
					if again, _ := more(round); again {
						word[0] = 1
					}
					err := comm.Bcast(worlds[0], word, 0)
					return word[0] == 1, err
				},
			}.Try()
			if err != nil {
				return nil, err
			}
			spread = max(spread, s)
			picks = append(picks, coll.SizedChoice{Bytes: size, Choice: usual[o.kind][2*i+best]})
		}
		choices = append(choices, profile.Choice{Routine: coll.RoutineOf(driver.Name(), o.kind), Pick: coll.FormatSized(picks), Spread: spread})
	}
	return choices, nil
}
