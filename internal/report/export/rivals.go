package export

import (
	"cmp"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/terminal"
	"gobench/record"
)

// A block holds the rows of one table of another program, by size.
type block struct {
	form
	bench, said string // said is a comment with the conditions of all rows
	rows        []*row
	values      []float64 // of the rows, of the metric that the table has
	rated       bool      // some rows have a bandwidth
}

// blocks groups rows that differ in the size only, which is what a table of OSU or IMB has. Of
// several states of the cores a table has the one that lasted longest. Rows without the metric that
// their table has are left out; of 0 bytes those of bandwidths need a rate of messages, if rates.
func blocks(rows []row, forms map[string]form, rates bool) []block {
	var list []block
	for _, alike := range collect.By(collect.Range(len(rows)), func(i int) string { return conditions(&rows[i], "size_B", "state") }) {
		b := block{bench: rows[alike[0]].Bench}
		known := false
		if b.form, known = forms[b.bench]; !known {
			continue
		}
		for _, l := range labels(&rows[alike[0]]) {
			if !slices.Contains([]string{"bench", "size_B", "ranks", "state"}, l.name) {
				b.said += " " + l.name + "=" + terminal.Plain(l.value)
			}
		}
		for _, states := range collect.By(alike, func(i int) int64 { return rows[i].Size }) {
			longest := slices.MaxFunc(states, func(i, j int) int { return cmp.Compare(rows[i].StateShare, rows[j].StateShare) })
			b.rows = append(b.rows, &rows[longest])
		}
		b.rows = collect.If(b.rows, func(p *row) bool {
			if p.Size == 0 && b.key == "bandwidth_Bps" {
				return rates && p.Metrics.Median("message_rate_per_s") > 0
			}
			_, ok := timeOf(&p.Point, b.key)
			return ok
		})
		slices.SortStableFunc(b.rows, func(a, b *row) int { return cmp.Compare(a.Size, b.Size) })
		for _, p := range b.rows {
			x, _ := timeOf(&p.Point, b.key)
			b.values = append(b.values, x)
			b.rated = b.rated || p.Metrics.Median("bandwidth_Bps") > 0
		}
		if len(b.rows) > 0 {
			list = append(list, b)
		}
	}
	return list
}

// A form is the table of OSU or IMB for a benchmark: its title, and the metric that it has.
type form struct{ title, key string }

// osuForms are the titles of OSU's tests (osu_latency.c and others, release 7).
var osuForms = map[string]form{
	"pingpong": {"Latency", "half_rtt_s"}, "uniband": {"Bandwidth", "bandwidth_Bps"}, "biband": {"Bi-Directional Bandwidth", "bandwidth_Bps"},
	"allgather": {"Allgather Latency", "local_s"}, "allreduce": {"Allreduce Latency", "local_s"}, "alltoall": {"All-to-All Personalized Exchange Latency", "local_s"},
	"barrier": {"Barrier Latency", "local_s"}, "bcast": {"Broadcast Latency", "local_s"}, "gather": {"Gather Latency", "local_s"},
	"reduce": {"Reduce Latency", "local_s"}, "reduce_scatter": {"Reduce_scatter Latency", "local_s"}, "scatter": {"Scatter Latency", "local_s"},
}

// timeOf returns the time of a row of a collective: that on each rank's own clock, as other
// programs measure it, or else the one that the row has.
func timeOf(p *record.Point, key string) (float64, bool) {
	if v, ok := p.Metrics.Lookup(key); ok {
		return v.Median, true
	}
	if key != "local_s" {
		return 0, false
	}
	if key = p.Metrics.Times().Key(); key == "" {
		return 0, false
	}
	return p.Metrics.Get(key).Median, true
}

// osu writes tables as the OSU Micro-Benchmarks print them. Values are medians between launches,
// where OSU prints means.
func osu(w *printer, rows []row) {
	for _, b := range blocks(rows, osuForms, false) {
		column := "Avg Latency(us)"
		if b.key == "bandwidth_Bps" {
			column = "Bandwidth (MB/s)"
		}
		w.printf("\n# OSU MPI %s Test v7.5\n# gobench:%s\n", b.title, b.said)
		if data := b.rows[0].Datatype; data != "" {
			w.printf("# Datatype: MPI_%s.\n", strings.ToUpper(terminal.Plain(data)))
		}
		w.printf("# %-10s%*s\n", "Size", 20, column)
		for i, p := range b.rows {
			x := b.values[i] * 1e6
			if b.key == "bandwidth_Bps" {
				x /= 1e12
			}
			w.rows++
			if b.bench == "barrier" {
				w.printf("%20.2f\n", x)
				continue
			}
			w.printf("%-12d%*.2f\n", p.Size, 20, x)
		}
	}
}

// imbForms are the names of benchmarks of IMB-MPI1 and IMB-P2P, with the metric of their rows.
var imbForms = map[string]form{
	"pingpong": {"PingPong", "half_rtt_s"}, "pingping": {"PingPing", "t_s"}, "sendrecv": {"Sendrecv", "t_s"}, "exchange": {"Exchange", "t_s"},
	"uniband": {"Uniband", "bandwidth_Bps"}, "biband": {"Biband", "bandwidth_Bps"},
	"allgather": {"Allgather", "local_s"}, "allreduce": {"Allreduce", "local_s"}, "alltoall": {"Alltoall", "local_s"}, "barrier": {"Barrier", "local_s"},
	"bcast": {"Bcast", "local_s"}, "gather": {"Gather", "local_s"}, "reduce": {"Reduce", "local_s"}, "scatter": {"Scatter", "local_s"},
}

// imb writes tables as IMB-MPI1 and IMB-P2P print them. Values are medians between launches, where
// IMB prints means.
func imb(w *printer, rows []row) {
	const line = "#---------------------------------------------------\n"
	for _, b := range blocks(rows, imbForms, true) {
		stream := b.bench == "uniband" || b.bench == "biband"
		pair := b.bench == "pingpong" || b.bench == "pingping"
		w.printf("\n%s# Benchmarking %s \n# #processes = %d \n# gobench:%s\n%s", line, b.title, b.rows[0].Ranks, b.said, line)
		switch {
		case b.bench == "barrier":
			w.printf(" #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n")
		case stream:
			w.printf("       #bytes #repetitions   Mbytes/sec      Msg/sec\n")
		case pair:
			w.printf("       #bytes #repetitions      t[usec]   Mbytes/sec\n")
		case b.rated:
			w.printf("       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n")
		default:
			w.printf("       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n")
		}
		for i, p := range b.rows {
			rate := p.Metrics.Median("bandwidth_Bps") / 1e6
			w.rows++
			if b.bench != "barrier" {
				w.printf(" %12d", p.Size)
			}
			w.printf(" %12d", max(1, p.Iterations))
			switch x := b.values[i] * 1e6; {
			case stream:
				w.printf(" %12.2f %12.0f\n", rate, p.Metrics.Median("message_rate_per_s"))
			case pair:
				w.printf(" %12.2f %12.2f\n", x, rate)
			default:
				w.printf(" %12.2f %12.2f %12.2f", x, x, x)
				if b.rated {
					w.printf(" %12.2f", rate)
				}
				w.printf("\n")
			}
		}
	}
}
