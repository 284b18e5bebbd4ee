package measure

import (
	"testing"

	"gobench/bench/record"
	"gobench/launch/host"
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
		{[]record.Noise{{Rank: 0, Lost: 0.06}, {Rank: 1, Core: 3, Lost: 0.5, Waited: 0.4}}, one("none"), "run on other cores with --pin",
			"rank 1 on core 3 lost 50 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run on other cores with --pin"},
		{[]record.Noise{{Rank: 0, Core: -1, Lost: 0.07, Waited: 0.06}}, one("kvm"), "run without --pin=none",
			"rank 0 lost 7 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run without --pin=none"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.154, Waited: 0.02}}, one("kvm (Amazon EC2)"), "run on other cores with --pin",
			"rank 0 on core 0 lost 15 % of its time in the probe before the run, most of it to the host of this virtual machine: use a machine with dedicated cores, or read the intervals with care"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.1}}, one("none"), "run on other cores with --pin",
			"rank 0 on core 0 lost 10 % of its time in the probe before the run, most of it to interrupts and the system: run on other cores with --pin, or read the intervals with care"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.9, Waited: 0.9}}, []any{host.Facts{Limits: host.Limits{CPU: &quota}}}, "run on other cores with --pin",
			"rank 0 on core 0 lost 90 % of its time in the probe before the run, most of it to a CPU quota: the cgroup (cpu.max) on this machine allows 0.2 cores for 4 ranks: raise it, or start fewer ranks there"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.9, Waited: 0.9}}, []any{host.Facts{Limits: host.Limits{CPU: &plenty}}}, "run on other cores with --pin",
			"rank 0 on core 0 lost 90 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run on other cores with --pin"},
		{[]record.Noise{{Rank: 0, Lost: 0.2}, {Rank: 3, Core: 1, Lost: 0.95, Waited: 0.95}}, three, "run on other cores with --pin",
			"rank 3 on h4 on core 1 lost 95 % of its time in the probe before the run, most of it to a CPU quota: the cgroup (cpu.max) on h4 allows 0.2 cores for 2 ranks: raise it, or start fewer ranks there"},
		{[]record.Noise{{Rank: 0, Lost: 0.2}, {Rank: 1, Core: 1, Lost: 0.5, Waited: 0.5}}, three, "run on other cores with --pin",
			"rank 1 on h2 on core 1 lost 50 % of its time in the probe before the run, most of it to other programs on h2: end them, or run on other cores with --pin"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.06, Waited: 0.06}}, one("none"), "",
			"rank 0 on core 0 lost 6 % of its time in the probe before the run, most of it to other programs on this machine: end them"},
		{[]record.Noise{{Rank: 0, Core: -1, Lost: 0.1}}, one("none"), "",
			"rank 0 lost 10 % of its time in the probe before the run, most of it to interrupts and the system: read the intervals with care"},
	} {
		run := record.Run{Noise: c.noise, Hosts: c.hosts, Job: record.Job{Hosts: []int{0, 0, 0, 0}}}
		if len(c.hosts) > 1 {
			run.Job.Hosts = []int{0, 1, 2, 2}
		}
		if got := disturbed(&run, c.other); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.noise, got, c.want)
		}
	}
}

// A remedy is only what the command can do: other cores where there are some, and no blame for a
// flag that nobody typed.
func TestOtherCores(t *testing.T) {
	allowed, err := host.AllowedCores()
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		pin   string
		ranks int
		want  string
	}{
		{host.None, 1, "run without --pin=none"},
		{host.Near, len(allowed), ""},
		{host.Near, len(allowed) + 1, ""},
	} {
		if got := (&Measurement{Pin: c.pin, Ranks: c.ranks, Threads: 1}).otherCores(); got != c.want {
			t.Errorf("%s, %d ranks: %q, want %q", c.pin, c.ranks, got, c.want)
		}
	}
	if got := (&Measurement{Pin: host.Near, Ranks: len(allowed) - 1, Threads: 1}).otherCores(); got != "run on other cores with --pin" {
		t.Errorf("with a spare core: %q", got)
	}
}
