package experiment

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"gobench/bench"
	"gobench/comm/coll"
	"gobench/device/profile"
	"gobench/internal/collect"
	"gobench/internal/launch/host"
	"gobench/record"
)

// round holds the parameters of a launch that are not in the command line.
type round struct {
	Series string       `json:"series"`           // ID that the launches of the command share
	Launch int          `json:"launch"`           // from 1
	Seed   int64        `json:"seed"`             // of the order of cells in all launches
	Order  int          `json:"order,omitempty"`  // number of the random order of cells, 0 = order of the plan
	Digest string       `json:"digest,omitempty"` // of the program
	Scale  record.Scale `json:"scale,omitzero"`   // of the cores, as far as it is known
	Live   bool         `json:"live,omitempty"`   // progress is shown on a terminal
	Stages bool         `json:"stages,omitempty"` // rank 0 sends the end of each stage
	// Again means that the processes are the same as in the previous launch, and only the device is
	// new.
	Again bool `json:"again,omitempty"`

	// Table has the thresholds of collective operations, because ranks on other hosts cannot read
	// the file; nil if the command has no table.
	Table *tableText `json:"table,omitempty"`

	// Settings has the options of the table of the command, by transport, for the same reason.
	Settings map[string]map[string]string `json:"settings,omitempty"`

	Profile *profile.Profile `json:"profile,omitempty"` // of the machine of this command, nil for none

	Left []bench.LeftOut `json:"left,omitempty"` // cells that an earlier launch has left out

	Program   string `json:"program,omitempty"`   // name of the program as the user typed it
	Placement string `json:"placement,omitempty"` // see record.LaunchFacts
	Scheduler string `json:"scheduler,omitempty"` // scheduler of the command's job, "" = none
	JobID     string `json:"job,omitempty"`       // identifier that it gave the job
}

// A tableText is a table of thresholds for the ranks of a launch. Its text is compressed, because
// Linux refuses an environment variable of more than 128 KiB.
type tableText struct {
	Origin string `json:"origin"`
	Text   []byte `json:"text,omitempty"` // by gzip; nil = the defaults
}

// newTableText returns the table in force, nil if there is none.
func newTableText(t *coll.Table) (*tableText, error) {
	if t == nil {
		return nil, nil
	}
	if t == coll.Defaults() {
		return &tableText{Origin: t.Origin}, nil
	}
	text, err := t.Encode()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return &tableText{t.Origin, b.Bytes()}, err
}

// table returns the table of the command, own if the command names no table.
func (n round) table(own *coll.Table) (*coll.Table, error) {
	switch {
	case n.Table == nil:
		return own, nil
	case n.Table.Text == nil:
		return coll.Defaults(), nil
	}
	r, err := gzip.NewReader(bytes.NewReader(n.Table.Text))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return coll.Decode(text, n.Table.Origin)
}

// seriesVariable is the environment variable that passes the round to launched ranks.
const seriesVariable = "GOBENCH_SERIES"

// variable returns the environment variable of a launch.
func (n round) variable() string {
	b, err := json.Marshal(n)
	if err != nil {
		panic(err) // cannot happen: all fields are numbers and text
	}
	return seriesVariable + "=" + string(b)
}

// roundOfEnv returns the round from the environment. launched is false if there is none, because
// another launcher or the user started this process.
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

// order returns the cases in the order of this launch. The first launch has the order of the plan,
// so that preliminary rows appear in their final order; the others have a random order.
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

// without returns the cases over a transport that no earlier launch has left out.
func (n round) without(t Transport, cells []bench.Case) []bench.Case {
	return slices.DeleteFunc(slices.Clone(cells), func(c bench.Case) bool {
		return slices.ContainsFunc(n.Left, func(l bench.LeftOut) bool { return l.Is(c, t.Driver.Name(), t.Level) })
	})
}

// transports returns the order of count transports in this launch.
func (n round) transports(count int) []int {
	if n.Order == 0 {
		return collect.Range(count)
	}
	return n.permutation(count)
}

// permutation returns a random permutation that is the same on all ranks.
func (n round) permutation(count int) []int {
	return rand.New(rand.NewPCG(uint64(n.Seed), uint64(n.Order))).Perm(count)
}

// noise returns the length of the noise probe, which is shorter after the first launch.
func (n round) noise() time.Duration {
	if n.Launch <= 1 {
		return host.NoiseTime
	}
	return host.NoiseTime / 4
}
