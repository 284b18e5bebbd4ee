package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/terminal"
	"gobench/record"
)

// applications returns the table of applications and of start-up, one row for each problem, number
// of ranks and transport.
func (s *firstScreen) applications(rows []record.Point) []string {
	var order []string
	for i := range rows {
		order = collect.Union(order, problem(&rows[i]))
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b record.Point) int {
		return cmp.Compare(slices.Index(order, problem(&a)), slices.Index(order, problem(&b)))
	})
	g := terminal.Grid{Color: s.terminal.Color}
	add := func(name string, keep int, left bool, cell func(r *record.Point) string) {
		c := terminal.Column{Name: name, Left: left, Keep: keep}
		for i := range rows {
			c.Cells = append(c.Cells, cell(&rows[i]))
		}
		g.Add(c)
	}
	metric := func(key string) func(r *record.Point) string {
		return func(r *record.Point) string {
			v := r.Metrics.Get(key)
			share, _ := halfWidth(v)
			if share == 0 {
				share, _ = halfWidth(mainValue(r))
			}
			return human.Rounded(v.Median, human.Digits(share))
		}
	}
	varies := func(of func(*record.Point) string) bool { return vary(rows, of) }
	startup := rows[0].Bench == "startup"
	add(map[bool]string{true: "", false: "problem"}[startup], 0, true, func(r *record.Point) string { return problem(r) })
	if varies(func(r *record.Point) string { return r.Transport + r.Library }) {
		add("over", 0, true, func(r *record.Point) string { return cmp.Or(r.Library, r.Transport) })
	}
	if varies(func(r *record.Point) string { return r.State }) && len(byCell(rows)) < len(rows) {
		add("cores", 7, true, func(r *record.Point) string { return stateWord(r, *s.scales.Of(nil)) })
	}
	if varies(func(r *record.Point) string { return r.Label }) {
		add("label", 8, true, func(r *record.Point) string { return r.Label })
	}
	add("ranks", 0, false, func(r *record.Point) string { return ranksColumn.cell(r) })
	if varies(func(r *record.Point) string { return fmt.Sprint(r.Threads) }) {
		add("threads", 9, false, func(r *record.Point) string { return fmt.Sprint(max(1, r.Threads)) })
	}
	add("t s", 0, false, metric("run_s"))
	add("± %", 20, false, func(r *record.Point) string {
		share, _ := halfWidth(r.Metrics.Get("run_s"))
		return cmp.Or(human.PlusMinus(share), absent)
	})
	if startup {
		for i, name := range []string{"processes", "connect", "agree", "barrier"} {
			title := map[string]string{"processes": "start s"}[name]
			add(cmp.Or(title, name+" s"), 10-i, false, func(r *record.Point) string { return human.Rounded(phases(r)[name], 3) })
		}
		add("end s", 5, false, func(r *record.Point) string {
			var end float64
			json.Unmarshal(r.Extra["end_s"], &end) // 0 if absent
			return human.Rounded(end, 3)
		})
		add("MB/rank", 6, false, residentMemory)
	}
	add("user s", 13, false, metric("user_s"))
	add("system s", 12, false, metric("system_s"))
	add("peak MiB", 11, false, func(r *record.Point) string { return human.Rounded(r.Metrics.Median("peak_memory_B")/(1<<20), 3) })
	add("Mop/s", 15, false, metric("mops"))
	add("Mcell/s", 15, false, metric("mcells"))
	add("speedup", 14, false, metric("speedup"))
	add("effic.", 6, false, metric("efficiency"))
	if !startup {
		add("comm %", 7, false, communication)
	}
	add("write MB/s", 5, false, func(r *record.Point) string { return human.Rounded(r.Metrics.Median("storage_Bps")/1e6, 3) })
	add("read MB/s", 4, false, func(r *record.Point) string { return human.Rounded(r.Metrics.Median("storage_read_Bps")/1e6, 3) })
	add("verified", 13, false, verifiedRuns)
	return g.Lines(s.terminal.Width)
}

// verifiedRuns returns whether the result of a row was verified, from the number of verified runs
// of its record: a wrong one would have ended the command.
func verifiedRuns(r *record.Point) string {
	var n int64
	if json.Unmarshal(r.Extra["verified"], &n) != nil || n == 0 {
		return absent
	}
	return "yes"
}
