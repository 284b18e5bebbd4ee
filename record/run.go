// Package record reads and writes results: rows of JSON Lines in the schema gobench/1, documented
// in SCHEMA.md and checked by schema.json. A row of kind "run" holds the facts about a run, a row
// of kind "point" the result of one cell. Reports use these rows only.
//
// Values are in SI base units (seconds, bytes). A quantity that was not measured is absent, never
// zero.
package record

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gobench/internal/launch/host"
)

// Schema is the version written by this package.
const Schema = "gobench/1"

// Kinds of rows.
const (
	KindRun   = "run"
	KindPoint = "point"
	// KindSummary is the kind of a row that a command writes at its end for each cell: the median
	// of its launches with the interval between them. Read skips these rows, because they follow
	// from the points.
	KindSummary = "summary"
)

// A Run holds the facts that all points of one run share. Runs that were read may share parts of
// Program and Hosts, which must not be modified.
type Run struct {
	Schema string `json:"schema"` // set by the Writer
	Kind   string `json:"kind"`   // set by the Writer
	ID     string `json:"run"`    // joins points to their run; see NewID
	// begin of the run; zero if the log of an imported run does not state it
	Time time.Time `json:"time,omitzero"`

	// Series identifies the launches of one command. A run without it is the only launch of its
	// command.
	Series string            `json:"series,omitempty"`
	Label  string            `json:"label,omitempty"` // of the command line: --label
	Tags   map[string]string `json:"tags,omitempty"`  // of the command line: --tag

	Command []string `json:"command"` // as typed
	// a JSON object: version, commit, Go version, build tags, GOMAXPROCS, GOGC
	Program any     `json:"program,omitempty"`
	Source  *Source `json:"source,omitempty"` // of an imported run: the log
	Hosts   []any   `json:"hosts,omitempty"`  // a JSON object per host: internal/launch/host.Facts
	Job     Job     `json:"job"`
	Clocks  []Clock `json:"clocks,omitempty"` // of each rank's thread
	Noise   []Noise `json:"noise,omitempty"`  // of each used core, before the run
	Seed    int64   `json:"seed,omitempty"`   // of the order of cells

	// Copy is the copy bandwidth of a core between buffers larger than all caches, in bytes per
	// second, and Cache the size of its last-level cache in bytes. They are measured if they limit
	// messages of the plan.
	Copy  float64 `json:"memory_copy_Bps,omitempty"`
	Cache int64   `json:"last_cache_B,omitempty"`

	// MinDistance and MinLoop are the least core-to-core latency and the least time of the loop
	// of package pace that commands on this machine had measured when the run began, in seconds.
	// The states of cores are relative to them; 0 = not known.
	MinDistance float64 `json:"least_distance_s,omitempty"`
	MinLoop     float64 `json:"least_loop_s,omitempty"`

	Warnings []string `json:"warnings,omitempty"`
}

// A Job describes the placement of the ranks.
type Job struct {
	Launcher string `json:"launcher"` // "local", "pmi", "slurm", ...
	Ranks    int    `json:"ranks"`
	Hosts    []int  `json:"hosts,omitempty"` // of each rank: index into Run.Hosts
	Cores    []int  `json:"cores,omitempty"` // of each rank; -1 = not pinned

	// command line of the launcher that started the ranks, if gobench did not and it can be found
	StartedBy []string `json:"started_by,omitempty"`

	Scheduler string         `json:"scheduler,omitempty"` // that allocated the hosts: "slurm", "pbs", ...
	ID        string         `json:"id,omitempty"`        // of the job, as its scheduler names it
	Pairs     map[string]int `json:"pairs,omitempty"`     // pairs of ranks by distance; see internal/launch/host.Distance
}

// Map returns a description of the hosts of the ranks: "" if all are on one host; "2x4" if the
// first four are on one host and the next four on another; "3+1" for three and one; "2x4 in turn"
// if every second rank is on the same host; else a list of the hosts by rank.
func (j *Job) Map() string {
	counts := []int{}
	filled, spread := true, true
	for rank, host := range j.Hosts {
		for len(counts) <= host {
			counts = append(counts, 0)
		}
		counts[host]++
		filled = filled && (rank == 0 && host == 0 || rank > 0 && host-j.Hosts[rank-1] >= 0 && host-j.Hosts[rank-1] <= 1)
	}
	if len(counts) < 2 {
		return ""
	}
	for rank, host := range j.Hosts {
		spread = spread && host == rank%len(counts)
	}
	text, order := strings.Trim(strings.ReplaceAll(fmt.Sprint(counts), " ", "+"), "[]"), ""
	if slices.Min(counts) == slices.Max(counts) {
		text = fmt.Sprintf("%dx%d", len(counts), counts[0])
	}
	switch {
	case filled:
	case spread:
		order = " in turn"
	default:
		text = strings.Trim(strings.ReplaceAll(fmt.Sprint(j.Hosts), " ", ","), "[]")
	}
	return text + order
}

// Clock is the calibration of the clock on one rank's thread (internal/bench/clock).
type Clock struct {
	Rank       int     `json:"rank"`
	Source     string  `json:"source"`
	Resolution float64 `json:"resolution_s"`
	Cost       float64 `json:"cost_s"`
	CostError  float64 `json:"cost_error_s,omitempty"` // bound of the error of Cost
}

// Noise is the result of the noise probe on one core.
type Noise struct {
	Rank     int     `json:"rank"`
	Core     int     `json:"core"`               // -1 = not pinned
	Duration float64 `json:"duration_s"`         // length of the probe
	Detours  int     `json:"detours"`            // interruptions counted
	Lost     float64 `json:"lost"`               // share of the time lost, 0 to 1
	Waited   float64 `json:"waited,omitzero"`    // part of Lost in which other threads of this system used the core
	Longest  float64 `json:"longest_s,omitzero"` // longest detour
}

// Hostname returns the name of the first host, "" if it is not known.
func (r *Run) Hostname() string {
	if names := r.HostNames(); len(names) > 0 {
		return names[0]
	}
	return ""
}

// HostNames returns the known names of the hosts, each once, in the order of Hosts. It decodes no
// other facts, because it is called for many runs.
func (r *Run) HostNames() []string {
	var names []string
	for _, facts := range r.Hosts {
		if name := hostname(facts); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// HostName returns the name of the host with an index of Hosts, as Job.Hosts has them, "" if it is
// not known.
func (r *Run) HostName(at int) string {
	if at < 0 || at >= len(r.Hosts) {
		return ""
	}
	return hostname(r.Hosts[at])
}

// hostname returns the name of a host from its facts, as read or as gathered.
func hostname(facts any) string {
	switch f := facts.(type) {
	case map[string]any:
		name, _ := f["hostname"].(string)
		return name
	case host.Facts:
		return f.Hostname
	case *host.Facts:
		return f.Hostname
	}
	return ""
}

// Location describes where the ranks of a run ran, equal for runs on the same hosts with the same
// placement: the names of the hosts with their numbers of ranks, and which ranks share one
// (Job.Map). It does not depend on which of two hosts with as many ranks comes first.
func (r *Run) Location() string {
	ranks := make([]int, len(r.Hosts))
	for _, at := range r.Job.Hosts {
		if at >= 0 && at < len(ranks) {
			ranks[at]++
		}
	}
	all := make([]string, len(r.Hosts))
	for i, facts := range r.Hosts {
		all[i] = fmt.Sprintf("%s:%d", hostname(facts), ranks[i])
	}
	slices.Sort(all)
	return strings.Join(all, ",") + " " + r.Job.Map()
}

// WorstNoise returns the noise of the core that lost most of its time, zero without a probe.
func (r *Run) WorstNoise() (worst Noise) {
	for _, n := range r.Noise {
		if n.Lost > worst.Lost {
			worst = n
		}
	}
	return worst
}

// Fact returns a fact of the program, such as "commit", "" if it is not known.
func (r *Run) Fact(name string) string {
	facts, ok := r.Program.(map[string]any) // as read
	if !ok {
		if b, err := json.Marshal(r.Program); err == nil {
			json.Unmarshal(b, &facts) // nil if it is no object
		}
	}
	text, _ := facts[name].(string)
	return text
}

// NewID returns an identifier for a run: its time, for readers, and random digits, so that runs of
// many machines can be in one file.
func NewID(t time.Time) string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return t.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

// Statistics of imported values whose Median is not a median.
const (
	Mean     = "mean"          // of events
	RankMean = "mean of ranks" // mean over ranks of their means of events
	Best     = "best"          // of several trials
)

// A Source is the log that a run was imported from.
type Source struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of all bytes of the log
}

func (s *Source) check() string {
	sum, err := hex.DecodeString(s.SHA256)
	switch {
	case s.Name == "":
		return "name must be given"
	case err != nil || len(sum) != 32:
		return fmt.Sprintf("sha256 is %q, must be 64 hexadecimal digits", s.SHA256)
	}
	return ""
}
