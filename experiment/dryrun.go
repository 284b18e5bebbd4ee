package experiment

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"gobench/bench"
	"gobench/internal/bench/pace"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/launch/host"
	"gobench/internal/launch/hostlist"
	"gobench/internal/terminal"
	"gobench/kernels/application"
	"gobench/report"
	"gobench/stats"
)

// writeDryRun prints the plan and its expected time, in JSON an Estimate.
func (r *measurement) writeDryRun(w io.Writer) error {
	if r.Form == report.JSON {
		smallest, largest := r.expectedTime(measureSpeed())
		return json.NewEncoder(w).Encode(Estimate{Cells: r.cells(), Min: smallest.Seconds(), Max: largest.Seconds()})
	}
	if r.Jobs != nil {
		return r.dryRunApplications(w)
	}
	var transports, benchmarks []string
	var levels []string
	for _, t := range r.Transports {
		transports, levels = append(transports, t.Driver.Name()), append(levels, t.Level)
	}
	transports, levels = collect.Union(nil, transports...), collect.Union(nil, levels...)
	cells := r.Plan.Cases
	for i, c := range cells {
		if i == 0 || c.Bench.Name != cells[i-1].Bench.Name {
			benchmarks = append(benchmarks, c.Bench.Name)
		}
	}
	sizes := collect.Each(cells, func(c bench.Case) int { return c.Size })
	if r.startup {
		benchmarks = []string{"startup"}
	}
	return writePlan(w, [][2]string{
		{"transports", strings.Join(transports, ", ") + ", level " + strings.Join(levels, ", ")},
		{"benchmarks", strings.Join(benchmarks, ", ")},
		{"sizes", sizesText(sizes)},
		{"ranks", fmt.Sprintf("%d as %s, %s", r.Ranks, plural(r.RankKind), r.where())},
		{"cells", fmt.Sprint(r.cells())},
		{"launches", r.launchesText() + ", each with new ranks and buffers, cells in random order"},
		{"time", r.timeText()},
		{"network", r.networkText()},
		{"records", r.recordsText()},
	})
}

// sizesText lists sizes in ascending order, each once.
func sizesText(sizes []int) string {
	var list []string
	for _, size := range slices.Compact(slices.Sorted(slices.Values(sizes))) {
		list = append(list, human.Size(int64(size)))
	}
	return strings.Join(list, ", ")
}

// writePlan prints lines of a name and a text, without those whose text is empty.
func writePlan(w io.Writer, lines [][2]string) error {
	width := terminal.Of(w).Width
	for _, line := range lines {
		if line[1] == "" {
			continue
		}
		if _, err := io.WriteString(w, terminal.Hang(fmt.Sprintf("%-11s ", line[0]), line[1], width)); err != nil {
			return err
		}
	}
	return nil
}

func (r *measurement) launchesText() string {
	switch {
	case r.Endless:
		return "all that begin before an interrupt"
	case r.timed():
		return fmt.Sprintf("all that begin within %v", r.Duration)
	}
	return fmt.Sprint(r.Launches)
}

func (r *measurement) recordsText() string {
	if r.NoRecords {
		return "none are kept"
	}
	return "appended to " + r.file()
}

// where describes the places of the ranks.
func (r *measurement) where() string {
	switch {
	case r.pairs > 0:
		return fmt.Sprintf("on each pair of cores in turn, %d in all", r.pairs)
	case r.Hosts != nil:
		return r.onHosts()
	case r.Cores != nil:
		return "on cores " + host.FormatCores(r.Cores)
	}
	return "not pinned"
}

// onHosts describes the hosts for a dry run: "on hosts a (ranks 0-3), b (4-7)".
func (r *measurement) onHosts() string {
	on, err := hostlist.Assign(r.on.Map, r.Hosts, r.processes())
	if err != nil {
		return ""
	}
	var parts []string
	for i, h := range r.Hosts {
		var ranks []int
		for process, host := range on {
			for rank := process * r.PerProcess; host == i && rank < (process+1)*r.PerProcess; rank++ {
				ranks = append(ranks, rank)
			}
		}
		if ranks != nil {
			parts = append(parts, fmt.Sprintf("%s (%s)", h.Name, host.FormatCores(ranks)))
		}
	}
	return "on hosts " + strings.Join(parts, ", ")
}

// startTime is the expected time of a launch without its cells: processes, connections,
// calibrations.
const startTime = 50 * time.Millisecond

// A speed is what expected times of this machine depend on.
type speed struct {
	check float64 // bench.CheckRate
	core  float64 // time of a computation relative to that on the core of application.Program.Rate
}

func measureSpeed() speed { return speed{bench.CheckRate(), pace.Loop() / application.RateLoop} }

// expectedTime returns the time of the minimum number of launches, and of as many as the budget
// allows, or of cells that reach the limit of their time before they have the iterations asked for.
// Both are 0 if launches begin until an interrupt.
func (r *measurement) expectedTime(on speed) (smallest, largest time.Duration) {
	if r.timed() {
		return r.Duration, r.Duration
	}
	of := func(p bench.Plan) time.Duration {
		var each time.Duration
		switch {
		case r.startup:
		case r.Jobs == nil:
			each = p.ExpectedTime(r.Ranks, on.check)
		default:
			if each = r.runTime(on); each == 0 {
				return 0
			}
		}
		return time.Duration(r.Launches*max(1, r.pairs)) * (startTime + time.Duration(len(r.Transports))*each)
	}
	smallest = of(r.Plan)
	if r.Budget > 0 {
		return smallest, max(smallest, r.budget())
	}
	limit := r.Plan
	limit.Stop.MaxSamples = 0
	return smallest, of(limit)
}

// runTime returns the expected time of the applications of a launch on idle cores: the probe of
// noise, their runs, and a setup that takes about half as long as one; 0 = unknown.
func (r *measurement) runTime(on speed) time.Duration {
	cores := r.Ranks * r.Threads
	if !r.on.several {
		cores = min(cores, runtime.NumCPU())
	}
	sum := host.NoiseTime.Seconds()
	for _, j := range r.Jobs {
		if j.Program.Rate == 0 {
			return 0
		}
		run := on.core * j.Program.Operations / j.Program.Rate / float64(cores)
		if j.Copies {
			run *= float64(r.Ranks)
		}
		all := run * float64(max(1, r.Repeat))
		if r.Repeat == 0 {
			all = max(all, application.RepeatTime)
		}
		sum += all + min(run/2, 0.4)
	}
	return time.Duration(sum * float64(time.Second))
}

func (r *measurement) timeText() string {
	smallest, largest := r.expectedTime(measureSpeed())
	if smallest == 0 {
		return ""
	}
	text := fmt.Sprintf("about %v", rounded(smallest))
	switch {
	case r.Budget > 0:
		text += fmt.Sprintf(", at most %v where rows are not known to %g %% earlier", rounded(largest), 100*r.Precision)
	case largest != smallest:
		text += fmt.Sprintf(", at most %v", rounded(largest))
	case !r.timed() && r.Launches >= stats.MinLaunches:
		text += fmt.Sprintf(", up to %v if the cores change their state", rounded(2*largest))
	}
	return text
}

// networkText describes what the expected time leaves out, between hosts: the time of the messages
// over a network whose speed is not known.
func (r *measurement) networkText() string {
	if !r.on.several || r.startup {
		return ""
	}
	launches, in := r.Launches, "in all"
	if r.timed() {
		launches, in = 1, "in a launch"
	}
	checked, others := r.Plan.Bytes(r.Ranks)
	bytes := float64(checked+others) * float64(len(r.Transports)*launches)
	at := func(rate float64) time.Duration { return time.Duration(8 * bytes / rate * float64(time.Second)) }
	return fmt.Sprintf("messages of at least %s %s: %v more at 1 Gbit/s, %v at 10 Mbit/s", memorySize(int64(bytes)), in, rounded(at(1e9)), rounded(at(10e6)))
}

// Estimate is the output of a dry run in JSON.
type Estimate struct {
	Cells int `json:"cells"`
	// Misfit is the reason why the command cannot run although each of its values is valid; ""
	// if it can.
	Misfit string  `json:"misfit,omitempty"`
	Min    float64 `json:"least_s,omitzero"` // time of the minimum number of launches, 0 = unknown
	Max    float64 `json:"most_s,omitzero"`  // time of all launches that the budget allows, 0 = unknown
}

// cells returns the number of cells of a launch. The start of ranks is one.
func (r *measurement) cells() int {
	return len(r.Transports) * max(1, len(r.Plan.Cases)+len(r.Jobs)) * max(1, r.pairs)
}

func plural(kind string) string {
	if kind == "process" {
		return "processes"
	}
	if _, each, found := strings.Cut(kind, ":"); found {
		return "goroutines, " + each + " in each process"
	}
	return kind + "s"
}

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// dryRun prints the plans of the requests of a command.
func dryRun(requests []*measurement, w io.Writer) error {
	if requests[0].pairs > 0 {
		requests = requests[:1] // its plan counts all pairs
	}
	for _, request := range requests {
		if err := request.writeDryRun(w); err != nil {
			return err
		}
	}
	return nil
}
