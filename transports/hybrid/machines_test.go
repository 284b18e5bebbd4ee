//go:build verbs && cgo

package hybrid

import (
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gobench/device/devicetest"
	_ "gobench/transports/verbs"
)

// onMachines runs rules with ranks on two machines.
func onMachines(t *testing.T, between string, set map[string]string, rules ...string) {
	address := os.Getenv("GOBENCH_TEST_ELSEWHERE")
	if address == "" {
		t.Skip("SKIPPED: scripts/verbs.sh runs it on two virtual machines")
	}
	options := map[string]string{"bind": "10.5.0.0/24", "wait": "yield"}
	maps.Copy(options, set)
	devicetest.Run(t, devicetest.Subject{Driver: driver{"smem", between}, Ranks: devicetest.Processes, Hosts: halves, MostRanks: 4, Largest: true,
		Limit: 90 * time.Second, Options: options, Only: rules,
		Elsewhere: func(host int) string { return [2]string{"", address}[host] }})
}

// TestMachines runs rules over shared memory and soft-RoCE. As in the transport ibv's test of that name,
// only the rules of dead ranks have a short time-out, because a machine may stand still.
func TestMachines(t *testing.T) {
	onMachines(t, "ibv", map[string]string{"device": "rxe0", "peer_timeout": "4000"},
		"order of many senders", "all to all", "random traffic", "close delivers")
	onMachines(t, "ibv", map[string]string{"device": "rxe0"}, "death of a sender", "death of the first rank")
}

// TestMachinesFarApart runs rules over shared memory and TCP with delays on the way, which netem makes.
func TestMachinesFarApart(t *testing.T) {
	for name, trouble := range map[string]string{
		"delay and jitter": "delay 2ms 1ms",
		"reordering":       "delay 1ms reorder 25% 50%",
		"1 % loss":         "loss 1%",
	} {
		t.Run(name, func(t *testing.T) {
			tc := func(args string) {
				if out, err := exec.Command("tc", strings.Fields("qdisc "+args)...).CombinedOutput(); err != nil {
					t.Fatalf("tc qdisc %s: %v: %s", args, err, out)
				}
			}
			if os.Getenv("GOBENCH_TEST_ELSEWHERE") != "" {
				tc("add dev eth0 root netem " + trouble)
				defer tc("del dev eth0 root")
			}
			onMachines(t, "tcp", nil, "order of many senders", "every size", "close delivers")
		})
	}
}
