package measure

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"gobench/bench"
	"gobench/bench/state"
	"gobench/launch/host"
)

// round is what all ranks of one launch are told beyond the command line. Launches of one command
// differ in nothing else.
type round struct {
	Series string      `json:"series"`           // ID that the launches of the command share
	Launch int         `json:"launch"`           // from 1
	Seed   int64       `json:"seed"`             // of the order of cells in all launches
	Order  int         `json:"order,omitempty"`  // number of the random order, 0 = that of the plan
	Digest string      `json:"digest,omitempty"` // of the program
	Scale  state.Scale `json:"scale,omitzero"`   // of the cores, as far as it is known
	Live   bool        `json:"live,omitempty"`   // somebody watches: progress is told
	Again  bool        `json:"again,omitempty"`  // the processes are those of the launch before, and only the device is new
}

// seriesVariable is the environment variable by which the process that was started tells the ranks
// it launches their round.
const seriesVariable = "GOBENCH_SERIES"

// variable is the environment of a launch.
func (n round) variable() string {
	b, err := json.Marshal(n)
	if err != nil {
		panic(err) // numbers and text have no reason to fail
	}
	return seriesVariable + "=" + string(b)
}

// roundOfEnv returns the round of this process, which is no rank of a gobench that launched it
// where there is none.
func roundOfEnv() (n round, launched bool, err error) {
	text, ok := os.LookupEnv(seriesVariable)
	if !ok {
		return round{}, false, nil
	}
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return round{}, false, fmt.Errorf("%s is %q, which gobench has not set: unset it", seriesVariable, text)
	}
	return n, true, nil
}

// order returns the cells of a launch in its order: the first launch has that of the plan, so that
// every row has a first estimate in its place, the others a random one.
func (n round) order(cells []bench.Case) []bench.Case {
	if n.Order == 0 {
		return cells
	}
	mixed := make([]bench.Case, len(cells))
	for to, from := range n.permutation(len(cells)) {
		mixed[to] = cells[from]
	}
	return mixed
}

// transports returns the order in which a launch goes over so many transports.
func (n round) transports(count int) []int {
	if n.Order == 0 {
		order := make([]int, count)
		for i := range order {
			order[i] = i
		}
		return order
	}
	return n.permutation(count)
}

// permutation is a random one, the same on all ranks.
func (n round) permutation(count int) []int {
	return rand.New(rand.NewPCG(uint64(n.Seed), uint64(n.Order))).Perm(count)
}

// noise is how long the noise is probed: the first launch takes its time, the others look for
// what changes.
func (n round) noise() time.Duration {
	if n.Launch <= 1 {
		return host.NoiseTime
	}
	return host.NoiseTime / 4
}
