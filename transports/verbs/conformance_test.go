//go:build verbs && cgo

package verbs

import (
	"os"
	"testing"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// TestConformance runs all rules over soft-RoCE, connected by the job's exchange.
func TestConformance(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MostRanks: 4})
}

// TestConformanceCM runs all rules over soft-iWARP, connected by RDMA CM.
func TestConformanceCM(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MostRanks: 4, Options: map[string]string{"device": "siw0"}})
}

// TestExchanges runs the rules of connecting over the other ways to connect.
func TestExchanges(t *testing.T) {
	for name, options := range map[string]map[string]string{
		"RoCE by RDMA CM":        {"device": "rxe0", "exchange": "rdmacm"},
		"RoCE by RDMA CM, IPv6":  {"device": "rxe0", "exchange": "rdmacm", "family": "6"},
		"iWARP by RDMA CM, IPv6": {"device": "siw0", "family": "6"},
		"RoCE, IPv6":             {"device": "rxe0", "family": "6"},
	} {
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MostRanks: 4, Options: options,
				Only: []string{"order of many senders", "every size", "close delivers", "death of a receiver of much"}})
		})
	}
}
