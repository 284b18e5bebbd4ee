package tcp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/devicetest"
)

// familyRules are rules of the wire, for families of sockets that run in a virtual machine, whose
// processors are emulated.
var familyRules = []string{"every size", "all to all", "close delivers", "death of a sender"}

// TestFamilies runs rules over the families of sockets beside those of IP, and checks the facts in
// their records. SMC has no device on one machine and falls back.
func TestFamilies(t *testing.T) {
	for family, want := range map[string]string{"vsock": "vsock", "smc": "fallback to tcp"} {
		t.Run(family, func(t *testing.T) {
			var got string
			errs := ranks(t, 2, func(ctx context.Context, job device.Job) error {
				d, err := driver{}.Open(ctx, job, options(t, "family", family))
				if err != nil {
					return err
				}
				if job.Rank() == 0 {
					got = d.Info().Options["family"]
				}
				return d.Close()
			})
			if err := errors.Join(errs...); err != nil {
				if !strings.Contains(err.Error(), "module "+family) {
					t.Fatalf("the error names no module: %v", err)
				}
				t.Skipf("SKIPPED: %v; scripts/verbs.sh runs it in a virtual machine", err)
			}
			if got != want {
				t.Errorf("the family in force is %q, want %q", got, want)
			}
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MaxRanks: 3, Largest: true, Limit: 90 * time.Second,
				Options: map[string]string{"family": family, "wait": "yield"}, Only: familyRules})
		})
	}
}

// Options that a family of sockets has not are refused.
func TestFamilyRefuses(t *testing.T) {
	for _, set := range [][]string{
		{"family", "vsock", "mptcp", "on"}, {"family", "vsock", "bind", "10.0.0.0/8"}, {"family", "smc", "mptcp", "on"},
		{"wait", "block", "engine", "net"},
	} {
		var wrong *device.ValueError
		if err := tryOpen(t, set...)[0]; !errors.As(err, &wrong) {
			t.Errorf("%v: the error is %v", set, err)
		}
	}
}
