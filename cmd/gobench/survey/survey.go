// Package survey looks at what a machine offers for measuring.
package survey

import (
	"encoding/json"
	"io"
	"runtime"

	"gobench/bench/clock"
	"gobench/launch"
	"gobench/launch/host"
)

// Survey is what probe prints.
type Survey struct {
	Transports []Transport `json:"transports"`
	Launcher   Launcher    `json:"launcher"`
	Clock      clock.Timer `json:"clock"`
	Distances  []Pair      `json:"distances,omitempty"`
	Collective Collective  `json:"collectives"`
	Host       host.Facts  `json:"host"`
}

// Launcher is who started this process.
type Launcher struct {
	Name     string `json:"name"`
	About    string `json:"about"`
	Evidence string `json:"evidence,omitempty"` // the variable that told
	Spoken   bool   `json:"spoken"`             // whether gobench can take part in its job
}

// Take looks at this machine. It takes tens of milliseconds, most of them for
// the distances of the cores.
func Take() (*Survey, error) {
	cores, err := host.AllowedCores()
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return &Survey{
		Transports: transports(),
		Launcher:   Launcher(launch.Detect()),
		Clock:      clock.Calibrate(),
		Distances:  distances(cores),
		Collective: collectives(),
		Host:       host.Collect(),
	}, nil
}

// JSON writes the survey as one object.
func (s *Survey) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}
