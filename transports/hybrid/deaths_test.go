package hybrid

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"gobench/device/devicetest"
	"gobench/internal/lab"
)

var deaths = flag.Int("deaths", 6, "jobs of TestDeathsAtAnyMoment, in each of which a rank is killed")

// TestDeathsAtAnyMoment kills a rank at a random moment of a job with ranks on two hosts, in the
// ways of the rules of dead ranks: all survivors get the typed error that names it, and nothing is
// left.
func TestDeathsAtAnyMoment(t *testing.T) {
	at := elsewhere(t, lab.Hosts(t, 2))
	rules := []string{"death of a sender", "death before any source", "death of a receiver of much", "death among small messages",
		"death in large transfers", "death of the first rank", "death beside a ping-pong", "death of a host"}
	for i := range *deaths {
		hosts := []func(int) []int{halves, turns, uneven}[i%3]
		rule := rules[rand.IntN(len(rules))]
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: overTCP, Ranks: devicetest.Processes, Hosts: hosts, Only: []string{rule}, Largest: true, Elsewhere: at})
		})
	}
}
