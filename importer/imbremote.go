package importer

import (
	"fmt"
	"strings"

	"gobench/record"
)

// imbMode matches the mode of a table of IMB-EXT and IMB-RMA: operations that are completed one by
// one, or all together.
var imbMode = match(`^#\s+MODE: (NON-)?AGGREGATE`)

// imbRemote maps the benchmarks of IMB-EXT and IMB-RMA that have a counterpart to it: of operations
// that are completed one by one, and all together. Those without one keep IMB's name.
var imbRemote = map[string][2]string{
	"unidir_put": {"put", "put_uniband"}, "unidir_get": {"get", "get_uniband"},
	"bidir_put": {}, "bidir_get": {}, "put_local": {}, "get_local": {}, "put_all_local": {}, "get_all_local": {},
	"one_put_all": {}, "one_get_all": {}, "all_put_all": {}, "all_get_all": {}, "exchange_put": {}, "exchange_get": {},
	"accumulate": {}, "get_accumulate": {}, "fetch_and_op": {}, "compare_and_swap": {}, "window": {}, "truly_passive_put": {},
}

// imbToAll lists the benchmarks in which one rank works on the memory of all others.
var imbToAll = map[string]bool{"put_all_local": true, "get_all_local": true, "one_put_all": true, "one_get_all": true}

// imbCompletion returns what completes the operations of a program by its title, "" if it lacks
// one.
func imbCompletion(title string) string {
	switch {
	case strings.Contains(title, "RMA part"):
		return "MPI_Win_flush"
	case strings.Contains(title, "MPI-2 part"), strings.Contains(title, "EXT part"):
		return "MPI_Win_fence"
	}
	return ""
}

// epoch returns the name of bench.Epoch for the calls that complete operations, or the calls.
func epoch(calls string) string {
	switch calls {
	case "MPI_Win_flush":
		return "flush"
	case "MPI_Win_lock/unlock":
		return "lock"
	case "MPI_Win_fence":
		return "fence"
	case "MPI_Win_post/start/complete/wait":
		return "pscw"
	}
	return calls
}

// remote sets the benchmark and the metrics of a point of IMB-EXT or IMB-RMA. In mode aggregate
// the window is the number of operations that are completed together. It returns false if the row
// has no value that is known.
func (l *imbLog) remote(p *record.Point, t number, timed bool, r row) bool {
	names := imbRemote[l.bench]
	streams := false
	if l.aggregate && p.Iterations > 0 {
		p.Window, p.Batched = int(p.Iterations), 0
		p.Method = fmt.Sprintf("mean of %d operations completed together, as %s prints it", p.Iterations, l.writer())
		if names[1] != "" {
			p.Bench, streams = names[1], true
		}
	} else if names[0] != "" {
		p.Bench = names[0]
	}
	if l.completed != "" {
		p.Method += "; completed by " + l.completed
		p.Options = chosen("epoch", epoch(l.completed))
	}
	pure, ok := r["t_pure[usec]"]
	if overlapped := r["t_ovrl[usec]"]; ok && pure.x > 0 && overlapped.x > 0 { // the target computes
		p.Metrics.Set("pure_s", mean(pure.x*1e-6))
		p.Metrics.Set("overlapped_s", mean(overlapped.x*1e-6))
		return true
	}
	_, rated := r["Mbytes/sec"]
	switch {
	case !timed:
		return false
	case streams:
		return l.streamed(p, r["Mbytes/sec"].times(1e6), t.over(1))
	case !rated:
		p.Metrics.Set("t_s", mean(t.x))
	case imbToAll[l.bench]:
		l.finest(p, "t_s", int64(max(1, p.Ranks-1)), t, r)
	default:
		l.finest(p, "t_s", 1, t, r)
	}
	if _, several := r["t_max[usec]"]; several {
		p.Method += "; of the slowest rank"
	}
	return true
}
