package experiment

import (
	"strings"
	"testing"

	"gobench/internal/launch/host"
	"gobench/record"
)

// The warning names the rank that lost most time, its host, and the cause there.
func TestDisturbed(t *testing.T) {
	quota, plenty := 0.2, 8.0
	one := func(hypervisor string) []any { return []any{host.Facts{Hostname: "h1", Hypervisor: hypervisor}} }
	three := []any{host.Facts{Hostname: "h1", Hypervisor: "kvm"}, host.Facts{Hostname: "h2"}, host.Facts{Hostname: "h4", Limits: host.Limits{CPU: &quota}}}
	for _, c := range []struct {
		noise []record.Noise
		hosts []any
		other string
		want  string
	}{
		{nil, one("kvm"), "", ""},
		{[]record.Noise{{Rank: 0, Lost: 0.049, Waited: 0.049}}, one("kvm"), "", ""},
		{[]record.Noise{{Rank: 0, Lost: 0.06}, {Rank: 1, Core: 3, Lost: 0.5, Waited: 0.4}}, one("none"), "run on other cores with pin",
			"rank 1 on core 3 lost 50 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run on other cores with pin"},
		{[]record.Noise{{Rank: 0, Core: -1, Lost: 0.07, Waited: 0.06}}, one("kvm"), "run without pin=none",
			"rank 0 lost 7 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run without pin=none"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.154, Waited: 0.02}}, one("kvm (Amazon EC2)"), "run on other cores with pin",
			"rank 0 on core 0 lost 15 % of its time in the probe before the run, most of it to the host of this virtual machine: use a machine with dedicated cores, or read the intervals with care"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.1}}, one("none"), "run on other cores with pin",
			"rank 0 on core 0 lost 10 % of its time in the probe before the run, most of it to interrupts and the system: run on other cores with pin, or read the intervals with care"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.9, Waited: 0.9}}, []any{host.Facts{Limits: host.Limits{CPU: &quota}}}, "run on other cores with pin",
			"rank 0 on core 0 lost 90 % of its time in the probe before the run, most of it to a CPU quota: the cgroup (cpu.max) on this machine allows 0.2 cores for 4 ranks: raise it, or start fewer ranks there"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.9, Waited: 0.9}}, []any{host.Facts{Limits: host.Limits{CPU: &plenty}}}, "run on other cores with pin",
			"rank 0 on core 0 lost 90 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run on other cores with pin"},
		{[]record.Noise{{Rank: 0, Lost: 0.2}, {Rank: 3, Core: 1, Lost: 0.95, Waited: 0.95}}, three, "run on other cores with pin",
			"rank 3 on h4 on core 1 lost 95 % of its time in the probe before the run, most of it to a CPU quota: the cgroup (cpu.max) on h4 allows 0.2 cores for 2 ranks: raise it, or start fewer ranks there"},
		{[]record.Noise{{Rank: 0, Lost: 0.2}, {Rank: 1, Core: 1, Lost: 0.5, Waited: 0.5}}, three, "run on other cores with pin",
			"rank 1 on h2 on core 1 lost 50 % of its time in the probe before the run, most of it to other programs on h2: end them, or run on other cores with pin"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.06, Waited: 0.06}}, one("none"), "",
			"rank 0 on core 0 lost 6 % of its time in the probe before the run, most of it to other programs on this machine: end them"},
		{[]record.Noise{{Rank: 0, Core: -1, Lost: 0.1}}, one("none"), "",
			"rank 0 lost 10 % of its time in the probe before the run, most of it to interrupts and the system: read the intervals with care"},
	} {
		run := record.Run{Noise: c.noise, Hosts: c.hosts, Job: record.Job{Hosts: []int{0, 0, 0, 0}}}
		if len(c.hosts) > 1 {
			run.Job.Hosts = []int{0, 1, 2, 2}
		}
		if got := disturbed(&run, func(host.Facts, int) string { return c.other }); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.noise, got, c.want)
		}
	}
}

// A remedy is only what the command can do on the host of the rank: other cores where there are
// some beside those of the ranks there, and no blame for a flag that nobody typed.
func TestOtherCores(t *testing.T) {
	const none, pin = "run without pin=none", "run on other cores with pin"
	for _, c := range []struct {
		pin     string
		cores   []string // that ranks may use, of each host
		hosts   []int    // of each rank
		threads int
		rank    int // that lost time
		want    string
	}{
		{host.None, []string{"0-1"}, []int{0, 0}, 1, 0, none},
		{host.Near, []string{"0-1"}, []int{0, 0}, 1, 0, ""},
		{host.Near, []string{"0-1"}, []int{0, 0, 0}, 1, 0, ""},
		{host.Near, []string{"0,2,4"}, []int{0, 0}, 1, 0, pin},
		{host.Near, []string{"0-3"}, []int{0, 0}, 2, 0, ""},
		{host.Near, []string{"0-3", "0-3"}, []int{0, 0, 1, 1}, 1, 0, pin}, // a core for each rank of all hosts
		{host.Near, []string{"0-1", "0-7"}, []int{0, 0, 1, 1}, 1, 0, ""},
		{host.Near, []string{"0-1", "0-7"}, []int{0, 0, 1, 1}, 1, 2, pin},
		{host.Near, []string{""}, []int{0, 0}, 1, 0, ""}, // unknown
	} {
		run := record.Run{Noise: []record.Noise{{Rank: c.rank, Core: -1, Lost: 0.5, Waited: 0.5}}, Job: record.Job{Hosts: c.hosts}}
		for _, cores := range c.cores {
			run.Hosts = append(run.Hosts, host.Facts{Limits: host.Limits{Cores: cores}})
		}
		r := &measurement{Pin: c.pin, Ranks: len(c.hosts), Threads: c.threads}
		_, got, _ := strings.Cut(disturbed(&run, r.otherCores), "end them")
		if got = strings.TrimPrefix(got, ", or "); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
