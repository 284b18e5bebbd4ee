package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gobench/bench/record"
	"gobench/report/host"
)

// Run prints the context of a run before its first row: machine, placement of ranks, clock, noise,
// and warnings.
func (t *Table) Run(r record.Run) error {
	if err := t.End(); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(t.fact("run", r.ID+": "+strings.Join(r.Command, " ")))
	for _, facts := range host.Of(&r) {
		b.WriteString(t.fact("host", facts.String()))
	}
	b.WriteString(t.fact("ranks", ranksLine(r.Job)))
	if table := tableOfCollectives(r.Program); table != "" {
		b.WriteString(t.fact("table", table+", by which the algorithms of collectives are chosen"))
	}
	if len(r.Clocks) > 0 {
		b.WriteString(t.fact("clock", clockLine(r.Clocks[0])))
	}
	if len(r.Noise) > 0 {
		b.WriteString(t.fact("noise", noiseLine(r.Noise)))
	}
	for _, w := range r.Warnings {
		b.WriteString(t.note("warning: " + w))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(t.w, b.String())
	return err
}

// tableOfCollectives returns the path of the tuning table in use, "" for the defaults.
func tableOfCollectives(program any) string {
	b, err := json.Marshal(program)
	if err != nil {
		return ""
	}
	var p struct {
		Table string `json:"coll_table"`
	}
	if json.Unmarshal(b, &p) != nil || p.Table == "defaults" {
		return ""
	}
	return p.Table
}

// fact returns a named line.
func (t *Table) fact(name, s string) string {
	if t.markdown {
		return t.note(name + ": " + s)
	}
	first, rest, _ := strings.Cut(comment(s, max(0, t.terminal.Width-6)), "\n")
	line := fmt.Sprintf("# %-6s%s\n", name, strings.TrimPrefix(first, "# "))
	return line + strings.ReplaceAll(rest, "#   ", "#       ")
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
	return fmt.Sprintf("%s, resolution %.0f ns, overhead %.0f ns per reading", c.Source, c.Resolution*1e9, c.Cost*1e9)
}

// noiseLine describes the noise of the most affected core.
func noiseLine(all []record.Noise) string {
	worst := all[0]
	for _, n := range all {
		if n.Lost > worst.Lost {
			worst = n
		}
	}
	if worst.Detours == 0 {
		return "none seen"
	}
	interruptions := "interruptions"
	if worst.Detours == 1 {
		interruptions = "interruption"
	}
	return fmt.Sprintf("rank %d was preempted for %s %% of the %.0f ms probe (%d %s, the longest %.1f us)",
		worst.Rank, percent(worst.Lost), worst.Duration*1e3, worst.Detours, interruptions, worst.Longest*1e6)
}

// percent formats a share with two digits: 0.031, 4.7, 98.
func percent(share float64) string {
	if share >= 0.0995 {
		return fmt.Sprintf("%.0f", 100*share)
	}
	return fmt.Sprintf("%.2g", 100*share)
}
