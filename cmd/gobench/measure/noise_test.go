package measure

import (
	"testing"

	"gobench/bench/record"
	"gobench/launch/host"
)

// The warning names the rank that lost most time, and the cause.
func TestDisturbed(t *testing.T) {
	for _, c := range []struct {
		noise      []record.Noise
		hypervisor string
		other      string
		want       string
	}{
		{nil, "kvm", "", ""},
		{[]record.Noise{{Rank: 0, Lost: 0.049, Waited: 0.049}}, "kvm", "", ""},
		{[]record.Noise{{Rank: 0, Lost: 0.06}, {Rank: 1, Core: 3, Lost: 0.5, Waited: 0.4}}, "none", "run on other cores with --pin",
			"rank 1 on core 3 lost 50 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run on other cores with --pin"},
		{[]record.Noise{{Rank: 0, Core: -1, Lost: 0.07, Waited: 0.06}}, "kvm", "run without --pin=none",
			"rank 0 lost 7 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run without --pin=none"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.154, Waited: 0.02}}, "kvm (Amazon EC2)", "run on other cores with --pin",
			"rank 0 on core 0 lost 15 % of its time in the probe before the run, most of it to the host of this virtual machine: use a machine with dedicated cores, or read the intervals with care"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.1}}, "none", "run on other cores with --pin",
			"rank 0 on core 0 lost 10 % of its time in the probe before the run, most of it to interrupts and the system: run on other cores with --pin, or read the intervals with care"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.06, Waited: 0.06}}, "none", "",
			"rank 0 on core 0 lost 6 % of its time in the probe before the run, most of it to other programs on this machine: end them"},
		{[]record.Noise{{Rank: 0, Core: -1, Lost: 0.1}}, "none", "",
			"rank 0 lost 10 % of its time in the probe before the run, most of it to interrupts and the system: read the intervals with care"},
	} {
		if got := disturbed(c.noise, c.hypervisor, c.other); got != c.want {
			t.Errorf("%+v, %q:\n%s\nwant\n%s", c.noise, c.hypervisor, got, c.want)
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
