//go:build verbs && cgo

package hybrid

import (
	"os"
	"testing"
	"time"

	"gobench/device/devicetest"
	_ "gobench/transports/verbs"
)

// TestMachines runs rules with ranks on two machines over shared memory and soft-RoCE.
func TestMachines(t *testing.T) {
	address := os.Getenv("GOBENCH_TEST_ELSEWHERE")
	if address == "" {
		t.Skip("SKIPPED: scripts/verbs.sh runs it on two virtual machines")
	}
	devicetest.Run(t, devicetest.Subject{Driver: driver{"smem", "ibv"}, Ranks: devicetest.Processes, Hosts: halves, MostRanks: 4, Largest: true,
		Limit: 90 * time.Second, Options: map[string]string{"device": "rxe0", "bind": "10.5.0.0/24", "wait": "yield"},
		Only:      []string{"order of many senders", "all to all", "random traffic", "close delivers", "death of a sender", "death in large transfers", "death of the first rank"},
		Elsewhere: func(host int) string { return [2]string{"", address}[host] }})
}
