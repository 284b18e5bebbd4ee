package measure

import (
	"testing"

	"gobench/bench/record"
)

// The warning names the rank that lost most time, and the cause.
func TestDisturbed(t *testing.T) {
	for _, c := range []struct {
		noise      []record.Noise
		hypervisor string
		want       string
	}{
		{nil, "kvm", ""},
		{[]record.Noise{{Rank: 0, Lost: 0.049, Waited: 0.049}}, "kvm", ""},
		{[]record.Noise{{Rank: 0, Lost: 0.06}, {Rank: 1, Core: 3, Lost: 0.5, Waited: 0.4}}, "none",
			"rank 1 on core 3 lost 50 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run on other cores with --pin"},
		{[]record.Noise{{Rank: 0, Core: -1, Lost: 0.07, Waited: 0.06}}, "kvm",
			"rank 0 lost 7 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run without --pin=none"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.154, Waited: 0.02}}, "kvm (Amazon EC2)",
			"rank 0 on core 0 lost 15 % of its time in the probe before the run, most of it to the host of this virtual machine: use a machine with dedicated cores, or read the intervals with care"},
		{[]record.Noise{{Rank: 0, Core: 0, Lost: 0.1}}, "none",
			"rank 0 on core 0 lost 10 % of its time in the probe before the run, most of it to interrupts and the system: run on other cores with --pin, or read the intervals with care"},
	} {
		if got := disturbed(c.noise, c.hypervisor); got != c.want {
			t.Errorf("%+v, %q:\n%s\nwant\n%s", c.noise, c.hypervisor, got, c.want)
		}
	}
}
