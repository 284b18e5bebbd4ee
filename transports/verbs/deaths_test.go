//go:build verbs && cgo

package verbs

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"gobench/device/devicetest"
)

var deaths = flag.Int("deaths", 3, "jobs of TestDeathsAtAnyMoment, in each of which a rank is killed")

// TestDeathsAtAnyMoment kills a rank at a random moment, in the ways of the rules of dead ranks and
// by turns over the devices and ways to connect: all survivors get the typed error that names it.
// TestConformance has each of these rules once.
func TestDeathsAtAnyMoment(t *testing.T) {
	rules := []string{"death of a sender", "death before any source", "death of a receiver of much", "death among small messages",
		"death in large transfers", "death in transfers of allocated memory", "death of the first rank", "death beside a ping-pong"}
	choices := []map[string]string{
		{"device": "rxe0"},
		{"device": "siw0"},
		{"device": "rxe0", "rndv": "get", "srq": "on"},
		{"device": "siw0", "connect": "lazy"},
		{"device": "rxe_a+rxe_b"},
		{"device": "rxe0", "exchange": "rdmacm"},
	}
	first := rand.IntN(len(choices))
	for i := range *deaths {
		set := map[string]string{"wait": "yield"}
		maps.Copy(set, choices[(first+i)%len(choices)])
		rule := rules[rand.IntN(len(rules))]
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, MaxRanks: 4, Largest: true, Limit: limit, Options: set, Only: []string{rule}})
		})
	}
}
