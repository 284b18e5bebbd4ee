package main

import (
	"fmt"
	"io"
)

// fewest is the number of rounds below which no target is decided.
const fewest = 5

// A verdict is a target with the measured value.
type verdict struct {
	what     string
	measured string
	met      bool
	decided  bool
}

// A bound is the side of the limit on which values meet the target.
type bound int

const (
	atMost bound = iota
	atLeast
)

func judge(what string, r ratio, b bound, limit float64, of string) verdict {
	v := verdict{what: what, decided: r.n >= fewest}
	if r.n == 0 {
		v.measured = "nothing to compare"
		return v
	}
	v.measured = fmt.Sprintf("%.2f [%.2f, %.2f] of %s, n=%d", r.of, r.lo, r.hi, of, r.n)
	v.met = r.of <= limit
	if b == atLeast {
		v.met = r.of >= limit
	}
	return v
}

// verdicts compares the results with gobench's targets for point-to-point.
func verdicts(programs []program, all *results) []verdict {
	smem := find(programs, "smem", "gobench device")
	tcp := find(programs, "tcp", "gobench device")
	var list []verdict

	time := func(what string, size int, limit float64) {
		p, rival := best(programs, all, "smem", mpi, size)
		list = append(list, judge(what, ratioOf(all.series(smem, size, halfRTT), rival), atMost, limit, p.name))
	}
	time("smem 8 B: at most 0.5 of the best MPI's time", 8, 0.5)
	list = append(list, judge("smem 8 B: at most 2 times one shared line",
		ratioOf(all.series(smem, 8, halfRTT), all.series(find(programs, "smem", "C line"), 8, halfRTT)), atMost, 2, "the line"))
	time("smem 1 KiB: at most 0.8 of the best MPI's time", 1<<10, 0.8)

	rate := func(what string, us program, size int, limit float64) {
		p, _ := best(programs, all, us.group, mpi, size)
		var rival map[int]float64
		if p.name != "" {
			rival = all.series(p, size, bandwidth)
		}
		list = append(list, judge(what, ratioOf(all.series(us, size, bandwidth), rival), atLeast, limit, p.name))
	}
	rate("smem 64 KiB: at least 1.6 times the best MPI's bandwidth", smem, 64<<10, 1.6)
	rate("smem 1 MiB: at least 1.8 times the best MPI's bandwidth", smem, 1<<20, 1.8)
	rate("smem 4 MiB: at least 1.8 times the best MPI's bandwidth", smem, 4<<20, 1.8)

	polled := find(programs, "tcp", "C polled")
	list = append(list, judge("tcp 8 B: at most 1.1 times polled C sockets",
		ratioOf(all.series(tcp, 8, halfRTT), all.series(polled, 8, halfRTT)), atMost, 1.1, polled.name))
	rate("tcp 1 MiB: at least the best MPI's bandwidth", tcp, 1<<20, 1)

	return list
}

// printTargets prints each target with the measured value.
func printTargets(w io.Writer, list []verdict) {
	fmt.Fprintln(w, "\ntargets: ratio of medians over the rounds in which both count [smallest, largest ratio of one round]")
	for _, v := range list {
		word := "missed"
		switch {
		case !v.decided:
			word = "open  "
		case v.met:
			word = "met   "
		}
		fmt.Fprintf(w, "%s  %s: %s\n", word, v.what, v.measured)
	}
}
