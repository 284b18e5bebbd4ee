package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"gobench/internal/human"
	"gobench/internal/launch/hostlist"
	"gobench/internal/report/host"
	"gobench/record"
)

// Run prints the context of a run before its first row: machine, placement of ranks, clock, noise,
// and warnings.
func (t *Table) Run(r record.Run) error {
	if err := t.End(); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(t.fact("run", r.ID+": "+strings.Join(r.Command, " ")))
	hosts := t.hosts.Of(&r)
	if len(hosts) > 1 {
		b.WriteString(t.fact("hosts", hostsLine(hosts, r.Job)))
	}
	for _, line := range machineLines(hosts) {
		b.WriteString(t.fact("host", line))
	}
	b.WriteString(t.fact("ranks", ranksLine(hosts, r.Job)))
	if t.bare {
		_, err := io.WriteString(t.w, b.String()+"\n")
		return err
	}
	if table := r.Fact("coll_table"); table != "" && table != "defaults" {
		b.WriteString(t.fact("table", table+", by which the algorithms of collectives are chosen"))
	}
	if len(r.Clocks) > 0 {
		c := r.Clocks[0]
		b.WriteString(t.fact("clock", fmt.Sprintf("%s, resolution %.0f ns, overhead %.0f ns per reading", c.Source, c.Resolution*1e9, c.Cost*1e9)))
	}
	if len(r.Noise) > 0 {
		b.WriteString(t.fact("noise", noiseLine(hosts, &r)))
	}
	for _, w := range r.Warnings {
		b.WriteString(t.remark("warning: " + w))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(t.w, b.String())
	return err
}

// fact returns a named line.
func (t *Table) fact(name, s string) string {
	if t.markdown {
		return t.remark(name + ": " + s)
	}
	first, rest, _ := strings.Cut(comment(s, max(0, t.terminal.Width-6)), "\n")
	line := fmt.Sprintf("# %-6s%s\n", name, strings.TrimPrefix(first, "# "))
	return line + strings.ReplaceAll(rest, "#   ", "#       ")
}

// maxNamed is the number of hosts that a line names.
const maxNamed = 8

// hostsLine names the hosts of a job: "2 hosts: h1 (ranks 0-1), h2 (ranks 2-3)".
func hostsLine(hosts []host.Facts, j record.Job) string {
	var parts []string
	for i, f := range hosts {
		if i == maxNamed && len(hosts) > maxNamed+1 {
			parts = append(parts, fmt.Sprintf("and %d more", len(hosts)-maxNamed))
			break
		}
		var ranks []int
		for rank, at := range j.Hosts {
			if at == i {
				ranks = append(ranks, rank)
			}
		}
		word := "ranks"
		if len(ranks) == 1 {
			word = "rank"
		}
		parts = append(parts, fmt.Sprintf("%s (%s %s)", cmp.Or(f.Hostname, "unnamed"), word, spans(ranks)))
	}
	s := fmt.Sprintf("%d hosts: %s", len(hosts), strings.Join(parts, ", "))
	if j.Scheduler != "" {
		s += fmt.Sprintf("; job %s of %s", j.ID, j.Scheduler)
	}
	return s
}

// spans formats ascending numbers in the syntax of taskset and Slurm: "0-3,8", and "0-1016:8" for
// every eighth.
func spans(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i // the last of equal steps
		for j+1 < len(numbers) && numbers[j+1]-numbers[j] == numbers[i+1]-numbers[i] {
			j++
		}
		part := fmt.Sprint(numbers[i])
		switch {
		case j > i && numbers[i+1] == numbers[i]+1:
			part += fmt.Sprintf("-%d", numbers[j])
		case j > i+2:
			part += fmt.Sprintf("-%d:%d", numbers[j], numbers[i+1]-numbers[i])
		default:
			j = i
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// machineLines describes the machines of hosts, one line for all equal ones.
func machineLines(hosts []host.Facts) []string {
	var order []string
	names := map[string][]string{}
	for _, f := range hosts {
		name := f.Hostname
		if f.Hostname = ""; names[f.String()] == nil {
			order = append(order, f.String())
		}
		names[f.String()] = append(names[f.String()], name)
	}
	var lines []string
	for _, machine := range order {
		list := names[machine]
		of := hostlist.Fold(list)
		switch {
		case of == "":
			lines = append(lines, machine)
		case machine == host.Facts{}.String():
			lines = append(lines, of)
		case len(list) > 1:
			lines = append(lines, of+": "+machine)
		default:
			lines = append(lines, of+", "+machine)
		}
	}
	return lines
}

func ranksLine(hosts []host.Facts, j record.Job) string {
	var locations []string
	for rank, core := range j.Cores {
		if core >= 0 {
			at := fmt.Sprintf("rank %d on core %d", rank, core)
			if len(hosts) > 1 && rank < len(j.Hosts) && j.Hosts[rank] < len(hosts) {
				at += " of " + hosts[j.Hosts[rank]].Hostname
			}
			locations = append(locations, at)
		}
		if len(locations) == 8 && len(j.Cores) > 8 {
			locations = append(locations, fmt.Sprintf("and %d more", len(j.Cores)-8))
			break
		}
	}
	s := fmt.Sprintf("%d, launcher %s", j.Ranks, j.Launcher)
	if len(locations) == 0 {
		return s + ", not pinned"
	}
	return s + ": " + strings.Join(locations, ", ")
}

// noiseLine describes the noise of the most affected core.
func noiseLine(hosts []host.Facts, r *record.Run) string {
	worst, j := r.WorstNoise(), r.Job
	if worst.Detours == 0 {
		return "none seen"
	}
	on := ""
	if len(hosts) > 1 && worst.Rank < len(j.Hosts) && j.Hosts[worst.Rank] < len(hosts) {
		on = " on " + hosts[j.Hosts[worst.Rank]].Hostname
	}
	return fmt.Sprintf("rank %d%s was preempted for %s %% of the %.0f ms probe (%s, the longest %.1f us)",
		worst.Rank, on, human.Percent(worst.Lost), worst.Duration*1e3, human.Count(worst.Detours, "interruption", "interruptions"), worst.Longest*1e6)
}
