package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gobench/bench/record"
)

// Run prints what a reader must know of a run before its first number: the
// machine, where the ranks are, the clock, the noise, and warnings.
func (t *Table) Run(r record.Run) error {
	if err := t.End(); err != nil {
		return err
	}
	var lines []string
	for i, h := range r.Hosts {
		lines = append(lines, fmt.Sprintf("%-8s%s", "host", hostLine(i, h)))
	}
	lines = append(lines, fmt.Sprintf("%-8s%s", "ranks", ranksLine(r.Job)))
	if len(r.Clocks) > 0 {
		lines = append(lines, fmt.Sprintf("%-8s%s", "clock", clockLine(r.Clocks[0])))
	}
	if len(r.Noise) > 0 {
		lines = append(lines, fmt.Sprintf("%-8s%s", "noise", noiseLine(r.Noise)))
	}
	for _, w := range r.Warnings {
		lines = append(lines, "warning: "+w)
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(comment(line, t.terminal.Width))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(t.w, b.String())
	return err
}

// hostLine names a machine by those facts that explain most of a number.
func hostLine(index int, facts any) string {
	return fmt.Sprint(index, facts)
}

func ranksLine(j record.Job) string {
	var places []string
	for rank, core := range j.Cores {
		if core >= 0 {
			places = append(places, fmt.Sprintf("rank %d on core %d", rank, core))
		}
		if len(places) == 8 && len(j.Cores) > 8 {
			places = append(places, fmt.Sprintf("and %d more", len(j.Cores)-8))
			break
		}
	}
	s := fmt.Sprintf("%d, launcher %s", j.Ranks, j.Launcher)
	if len(places) == 0 {
		return s + ", not pinned"
	}
	return s + ": " + strings.Join(places, ", ")
}

func clockLine(c record.Clock) string {
	return fmt.Sprintf("%s, resolution %.0f ns, cost of a reading %.0f ns", c.Source, c.Resolution*1e9, c.Cost*1e9)
}

// noiseLine tells the worst core.
func noiseLine(all []record.Noise) string {
	worst := all[0]
	for _, n := range all {
		if n.Lost > worst.Lost {
			worst = n
		}
	}
	s := fmt.Sprintf("rank %d loses %.2g %% of its time to others", worst.Rank, 100*worst.Lost)
	if worst.Detours == 0 {
		return "none seen"
	}
	return s + fmt.Sprintf(", %d detours in %.0f ms, the longest %.1f us", worst.Detours, worst.Duration*1e3, worst.Longest*1e6)
}

// decode reads the JSON object of facts into v, whatever it was made of.
func decode(facts, v any) error {
	b, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
