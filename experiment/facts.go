package experiment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/device/profile"
	"gobench/internal/bench/clock"
	"gobench/internal/collect"
	"gobench/internal/launch/host"
	"gobench/internal/launch/hostlist"
	"gobench/internal/remedy"
	"gobench/record"
	"gobench/report"
)

// A hostReport describes a host, once for all of its ranks.
type hostReport struct {
	Facts    host.Facts `json:"facts"`
	Shared   string     `json:"shared,omitempty"`   // of host.Placement for its ranks
	Warnings []string   `json:"warnings,omitempty"` // of host.Placement for its ranks
	Machine  machine    `json:"machine"`

	Profile *profile.Profile `json:"profile,omitempty"` // for all ranks of the host
}

// A machine identifies a running system, and the namespaces of it that decide whether ranks share
// memory.
type machine struct {
	Boot   string   `json:"boot"`
	Spaces []string `json:"spaces"` // as the kernel names them: "ipc:[4026531839]"
}

// spaces are the kinds of namespaces in machine.Spaces, in their order.
var spaces = []string{"ipc", "net", "pid"}

func thisMachine() machine {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	m := machine{Boot: string(boot)}
	for _, space := range spaces {
		name, _ := os.Readlink("/proc/self/ns/" + space)
		m.Spaces = append(m.Spaces, name)
	}
	return m
}

// divided returns a warning if two hosts are one machine, else "". first and second are their
// lowest ranks, a and b the messages of these.
func divided(a, b hello, first, second int) string {
	if a.Host.Machine.Boot == "" || a.Host.Machine.Boot != b.Host.Machine.Boot {
		return ""
	}
	reason := "with separate shared memory (/dev/shm)"
	for i, space := range spaces[:min(len(a.Host.Machine.Spaces), len(b.Host.Machine.Spaces))] {
		if a.Host.Machine.Spaces[i] != b.Host.Machine.Spaces[i] {
			reason = "in separate " + strings.ToUpper(space) + " namespaces"
			break
		}
	}
	return fmt.Sprintf("ranks %d and %d run on one machine %s: they count as two hosts, and messages between them take the network", first, second, reason)
}

// policy returns the policy of host.Plan. Ranks of several hosts are near the NIC, too.
func (r *measurement) policy(several bool) string {
	if several && r.Pin == host.Near {
		return host.NearNIC
	}
	return r.Pin
}

// report returns the facts of this host, which runs this number of ranks of a job that may have
// several hosts. If another launcher has placed them, own is the number of processors that it gave
// all of them together, of which this rank may have a part alone; else 0.
func (r *measurement) report(ranks, own int, several bool) *hostReport {
	h := hostReport{Facts: host.Collect(), Machine: thisMachine()}
	threads := max(1, r.Threads)
	if placement, err := host.Plan(ranks*threads, r.policy(several)); err == nil {
		said := func(w string) string {
			if threads > 1 { // Plan counts a rank for each
				return strings.Replace(w, " ranks", " threads", 1)
			}
			return w
		}
		if ranks*threads <= own {
			placement.Warnings = slices.DeleteFunc(placement.Warnings, func(w string) bool { return w == placement.Shared })
			placement.Shared = ""
		}
		h.Shared, h.Warnings = said(placement.Shared), collect.Each(placement.Warnings, said)
	}
	return &h
}

// run returns the facts that all points of a launch share, and the placement of the ranks. all, on
// and cores hold the message, the number of the host and the core of each rank.
func (r *measurement) run(all []hello, on []int, n round, cores []int, launcher string) (record.Run, host.Placement) {
	first := all[0]
	p := host.ThisProgram()
	p.SHA256 = n.Digest
	if r.Coll.Table != nil {
		p.CollTable = r.Coll.Table.Origin
	}
	p.OptionsFrom = sources(r.set, n.Settings)
	command := slices.Clone(r.Command)
	if n.Program != "" { // gobench has started this process, maybe under another name
		command[0] = n.Program
	}
	run := record.Run{
		ID: first.Run, Time: first.Time, Command: command, Program: p,
		Job: record.Job{
			Launcher: launcher, Ranks: r.Ranks, Cores: cores,
			Scheduler: n.Scheduler, ID: n.JobID, Pairs: pairs(all, on),
		},
		Series: n.Series, Label: r.Label, Tags: r.Tags, Seed: n.Seed,
	}
	alone := apart(r.occupied(all, on, cores)) // a launcher may leave each rank a single core, its own
	var placement host.Placement
	var hosts []host.Facts
	said := map[string][]string{} // the hosts of a warning
	numbers := map[int]int{}      // number of a host in the record, by that of the launcher, which may have gaps
	var leaders []int
	for rank, h := range all {
		if h.Host != nil {
			for _, leader := range leaders {
				if w := divided(all[leader], h, leader, rank); w != "" {
					run.Warnings = append(run.Warnings, w)
					break
				}
			}
			leaders = append(leaders, rank)
			numbers[on[rank]] = len(hosts)
			h.Host.Facts.Profile = factsOf(h.Host.Profile)
			hosts = append(hosts, h.Host.Facts)
			if placement.Shared == "" && !alone {
				placement.Shared = h.Host.Shared
			}
			for _, w := range append(h.Host.Warnings, advice(h.Host.Facts)...) {
				if w == h.Host.Shared && alone {
					continue
				}
				if said[w] == nil {
					placement.Warnings = append(placement.Warnings, w)
				}
				said[w] = append(said[w], h.Host.Facts.Hostname)
			}
			run.Hosts = append(run.Hosts, h.Host.Facts)
		}
		run.Job.Hosts = append(run.Job.Hosts, numbers[on[rank]])
	}
	if w := sharedAcross(all, on, cores); w != "" && placement.Shared == "" {
		placement.Shared = w
		placement.Warnings = append(placement.Warnings, w)
	}
	for i, w := range placement.Warnings {
		if on := said[w]; len(on) > 0 && len(on) < len(hosts) { // else it holds for all
			placement.Warnings[i] = "on " + hostlist.Fold(on) + ": " + w
		}
	}
	run.Warnings = append(run.Warnings, placement.Warnings...)
	if w := host.Differences(hosts); w != "" {
		run.Warnings = append(run.Warnings, w)
	}
	if f := r.Fault.String(); f != "" {
		run.Warnings = append(run.Warnings, f)
	}
	return run, placement
}

// sharedAcross returns a sentence about ranks of different hosts that are bound to one core,
// because the hosts are one machine, "" if there are none. Each host places its ranks by itself,
// and warns where these share cores.
func sharedAcross(all []hello, on, cores []int) string {
	machines := map[int]string{} // by number of the host
	for rank, h := range all {
		if h.Host != nil {
			machines[on[rank]] = h.Host.Machine.Boot
		}
	}
	if len(machines) < 2 {
		return ""
	}
	ranks, taken := 0, map[string]bool{}
	for rank, core := range cores {
		boot := machines[on[rank]]
		if core < 0 || boot == "" {
			return ""
		}
		ranks++
		taken[fmt.Sprint(boot, core)] = true
	}
	if ranks == len(taken) {
		return ""
	}
	shared := "1 core"
	if len(taken) > 1 {
		shared = fmt.Sprintf("%d cores", len(taken))
	}
	return fmt.Sprintf("%d ranks share %s, because hosts are on one machine: times include waiting for a core", ranks, shared)
}

// occupied returns the core of each thread of all ranks, and its host. A thread for which its rank
// has no core left has -1.
func (r *measurement) occupied(all []hello, on, cores []int) (occupied, hosts []int) {
	if r.Threads < 2 {
		return cores, on
	}
	for rank, h := range all {
		for thread := range r.Threads {
			core := -1
			if thread < len(h.Cores) {
				core = h.Cores[thread]
			}
			occupied, hosts = append(occupied, core), append(hosts, on[rank])
		}
	}
	return occupied, hosts
}

// apart reports whether each rank is bound to a core that no other rank of its host has.
func apart(cores, on []int) bool {
	taken := map[[2]int]bool{}
	for i, core := range cores {
		at := [2]int{on[i], core}
		if core < 0 || taken[at] {
			return false
		}
		taken[at] = true
	}
	return len(cores) == len(on)
}

// pairs counts the pairs of ranks by distance.
func pairs(all []hello, on []int) map[string]int {
	count := map[string]int{}
	for a := range all {
		for b := range a {
			distance := host.OtherHost
			if on[a] == on[b] {
				distance = host.Distance(all[a].At, all[b].At)
			}
			count[distance]++
		}
	}
	return count
}

// advice returns settings of this machine that disturb measurements, one sentence for each with its
// remedy.
func advice(f host.Facts) []string {
	var list []string
	if g := f.CPU.Governor; g != "" && g != "performance" {
		list = append(list, fmt.Sprintf("the clock of the cores follows the load (governor %s): sudo cpupower frequency-set -g performance", g))
	}
	return list
}

// CheckFile returns an error if a file of records is named like standard output.
func CheckFile(path string) error {
	if path == "-" {
		return remedy.Errorf("%v would be a file named -: use %v for records on standard output", remedy.Set("output", "-"), remedy.Named("json"))
	}
	if slices.Contains([]string{"json", "csv", "text", "jsonl", "table"}, path) {
		return remedy.Errorf("%v would be a file named %s: %v names the file of records; use %v or %v for the form of the results",
			remedy.Set("output", path), path, remedy.Named("output"), remedy.Named("json"), remedy.Named("csv"))
	}
	if !strings.HasSuffix(path, ".jsonl") && report.Export(path).Known() {
		return remedy.Errorf("%v would be a file of records, in JSON Lines, with the name of another form: gobench show FILE %v writes that", remedy.Set("output", path), remedy.Set("export", path))
	}
	return nil
}

// DefaultFile returns the path of the file of records if the user names none.
func DefaultFile() string { return filepath.Join("results", defaultName()) }

// defaultName returns the name of a file for this machine and day.
func defaultName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "host"
	}
	return filepath.Base(name) + "-" + time.Now().Format("2006-01-02") + ".jsonl"
}

// noisy is the share of lost time of a core from which on there is a warning.
const noisy = 0.05

// disturbed returns a warning with a remedy about the rank that lost most time to other load, ""
// if no rank lost much. It uses the noise probe right before the run, because the load average
// contains the earlier launches of a sweep. The cause is on the rank's own host. otherCores
// returns the remedy that places ranks elsewhere on a host with that number of ranks, such as "run
// on other cores with --pin", "" if the command can do nothing about their placement.
func disturbed(run *record.Run, otherCores func(facts host.Facts, ranks int) string) string {
	worst := run.WorstNoise()
	if worst.Lost < noisy {
		return ""
	}
	facts, ranks := hostOf(run, worst.Rank)
	other := otherCores(facts, ranks)
	what, machine := fmt.Sprintf("rank %d", worst.Rank), "this machine"
	if len(run.Hosts) > 1 {
		what, machine = device.RankName(worst.Rank, facts.Hostname), facts.Hostname
	}
	if worst.Core >= 0 {
		what += fmt.Sprintf(" on core %d", worst.Core)
	}
	what += fmt.Sprintf(" lost %.0f %% of its time in the probe before the run, ", 100*worst.Lost)
	either := func(words ...string) string {
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", or ")
	}
	virtual := facts.Hypervisor != "" && facts.Hypervisor != "none"
	switch quota := facts.Limits.CPU; {
	case quota != nil && *quota < float64(ranks):
		return what + fmt.Sprintf("most of it to a CPU quota: the cgroup (cpu.max) on %s allows %.2g cores for %d ranks: raise it, or start fewer ranks there", machine, *quota, ranks)
	case worst.Waited > worst.Lost/2:
		return what + "most of it to other programs on " + machine + ": " + either("end them", other)
	case virtual:
		return what + "most of it to the host of this virtual machine: use a machine with dedicated cores, or read the intervals with care"
	default:
		return what + "most of it to interrupts and the system: " + either(other, "read the intervals with care")
	}
}

// hostOf returns the facts of the host of a rank, and the number of ranks there.
func hostOf(run *record.Run, rank int) (facts host.Facts, ranks int) {
	at := 0
	if rank < len(run.Job.Hosts) {
		at = run.Job.Hosts[rank]
	}
	for _, other := range run.Job.Hosts {
		if other == at {
			ranks++
		}
	}
	if at < len(run.Hosts) {
		facts, _ = run.Hosts[at].(host.Facts)
	}
	return facts, ranks
}

// otherCores returns the remedy that places ranks elsewhere on a host with that number of ranks, ""
// if there is none: they are on all cores that they may use there, or nobody but the system has
// assigned them.
func (r *measurement) otherCores(facts host.Facts, ranks int) string {
	if r.Pin == host.None {
		return fmt.Sprintf("run without %v", remedy.Set("pin", "none"))
	}
	if allowed, err := host.ParseCores(facts.Limits.Cores); err != nil || len(allowed) <= ranks*r.Threads {
		return ""
	}
	return fmt.Sprintf("run on other cores with %v", remedy.Named("pin"))
}

// threads calibrates the clock and probes the noise of this rank, and returns the facts of all
// ranks. It is collective.
func threads(ctx context.Context, job device.Job, core int) ([]bench.RankFacts, error) {
	t := clock.Calibrate()
	noise := bench.ProbeNoise(job.Rank(), core, host.NoiseTime)
	return device.Exchange(ctx, job, bench.RankFacts{
		Clock: record.Clock{Rank: job.Rank(), Source: t.Source, Resolution: t.Resolution, Cost: t.Cost, CostError: t.CostError},
		Noise: &noise,
	})
}
