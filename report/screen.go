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
	var b strings.Builder
	b.WriteString(t.fact("run", r.ID+": "+strings.Join(r.Command, " ")))
	for _, h := range r.Hosts {
		b.WriteString(t.fact("host", hostLine(h)))
	}
	b.WriteString(t.fact("ranks", ranksLine(r.Job)))
	if len(r.Clocks) > 0 {
		b.WriteString(t.fact("clock", clockLine(r.Clocks[0])))
	}
	if len(r.Noise) > 0 {
		b.WriteString(t.fact("noise", noiseLine(r.Noise)))
	}
	for _, w := range r.Warnings {
		b.WriteString(comment("warning: "+w, t.terminal.Width))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(t.w, b.String())
	return err
}

// fact is a line with a name before it.
func (t *Table) fact(name, s string) string {
	first, rest, _ := strings.Cut(comment(s, max(0, t.terminal.Width-6)), "\n")
	line := fmt.Sprintf("# %-6s%s\n", name, strings.TrimPrefix(first, "# "))
	return line + strings.ReplaceAll(rest, "#   ", "#       ")
}

// host is what a reader should know of a machine first. The names are those of
// launch/host.Facts; what a record does not have is left out.
type host struct {
	Hostname   string `json:"hostname"`
	Kernel     string `json:"kernel"`
	Hypervisor string `json:"hypervisor"`
	CPU        struct {
		Model    string `json:"model"`
		Packages int    `json:"packages"`
		Cores    int    `json:"cores"`
		Threads  int    `json:"threads"`
	} `json:"cpu"`
}

// hostLine names a machine by the facts that explain most of a number.
func hostLine(facts any) string {
	var h host
	if decode(facts, &h) != nil {
		return "unknown"
	}
	var parts []string
	add := func(s string, known bool) {
		if known {
			parts = append(parts, s)
		}
	}
	add(h.Hostname, h.Hostname != "")
	add(h.CPU.Model, h.CPU.Model != "")
	add(fmt.Sprintf("%d sockets", h.CPU.Packages), h.CPU.Packages > 1)
	cores := fmt.Sprintf("%d cores", h.CPU.Cores)
	if h.CPU.Threads > h.CPU.Cores {
		cores += fmt.Sprintf(" with %d threads", h.CPU.Threads)
	}
	add(cores, h.CPU.Cores > 0)
	add("kernel "+h.Kernel, h.Kernel != "")
	add("virtual machine: "+h.Hypervisor, h.Hypervisor != "" && h.Hypervisor != "none")
	if len(parts) == 0 {
		return "unknown"
	}
	return strings.Join(parts, ", ")
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
	if worst.Detours == 0 {
		return "none seen"
	}
	return fmt.Sprintf("rank %d loses %s %% of its time to others: %d detours in %.0f ms, the longest %.1f us",
		worst.Rank, percent(worst.Lost), worst.Detours, worst.Duration*1e3, worst.Longest*1e6)
}

// percent writes a share with two digits: 0.031, 4.7, 98.
func percent(share float64) string {
	if share >= 0.0995 {
		return fmt.Sprintf("%.0f", 100*share)
	}
	return fmt.Sprintf("%.2g", 100*share)
}

// decode reads the JSON object of facts into v, whatever it was made of.
func decode(facts, v any) error {
	b, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
