//go:build verbs && cgo

package verbs

import (
	"maps"
	"os"
	"testing"

	"gobench/device/devicetest"
)

// machines puts the lower half of the ranks on this machine and the others on a second one.
func machines(t *testing.T) (hosts func(n int) []int, elsewhere func(host int) string) {
	address := os.Getenv("GOBENCH_TEST_ELSEWHERE")
	if address == "" {
		t.Skip("SKIPPED: scripts/verbs.sh runs it on two virtual machines")
	}
	hosts = func(n int) []int {
		list := make([]int, n)
		for rank := range list {
			list[rank] = 2 * rank / max(2, n)
		}
		return list
	}
	return hosts, func(host int) string { return [2]string{"", address}[host] }
}

// TestMachines runs rules with ranks on two machines: over soft-RoCE those in which it matters that
// messages are under way for long, in other ways the rules of connecting. TestConformance has all
// rules; within one machine most of them take a tenth of the time. The GIDs of the machines have
// different indices, and their adapters a different MTU.
func TestMachines(t *testing.T) {
	hosts, elsewhere := machines(t)
	few := []string{"close delivers", "death of the first rank"}
	deaths := []string{"death of a sender", "death of the first rank"}
	// Each machine may stand still for as long as peer_timeout has it, and soft-RoCE then repeats
	// requests, of which it refuses some (IBV_WC_REM_INV_REQ_ERR).
	slow := map[string]string{"device": "rxe0", "bind": "10.5.0.0/24", "peer_timeout": "4000"}
	moving := []string{"no overtaking", "order of many senders", "every size", "synchronous send", "cancelled sends race with receives", "all to all", "close delivers", "a rank closes early"}
	for _, c := range []struct {
		name  string
		set   map[string]string
		rules []string
	}{
		{"RoCE", slow, moving},
		{"RoCE, deaths", map[string]string{"device": "rxe0", "bind": "10.5.0.0/24"}, deaths},
		{"RoCE, IPv6", map[string]string{"device": "rxe0", "bind": "fd00:5::/64"}, few},
		{"RoCE by RDMA CM", map[string]string{"device": "rxe0", "exchange": "rdmacm", "bind": "10.5.0.0/24"}, few},
		{"RoCE, lazy", map[string]string{"device": "rxe0", "connect": "lazy", "bind": "10.5.0.0/24"}, few},
		{"iWARP", map[string]string{"device": "siw0"}, few},
		{"iWARP, lazy", map[string]string{"device": "siw0", "connect": "lazy"}, few},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := map[string]string{"wait": "yield"}
			maps.Copy(set, c.set)
			devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, MaxRanks: 4, Largest: true, Limit: limit,
				Options: set, Only: c.rules, Hosts: hosts, Elsewhere: elsewhere})
		})
	}
}
