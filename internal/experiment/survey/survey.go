// Package survey collects and prints the facts of a machine that influence measurements.
package survey

import (
	"encoding/json"
	"io"
	"runtime"

	"gobench/internal/bench/clock"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
)

// Survey holds the output of gobench probe.
type Survey struct {
	Transports []Transport     `json:"transports"`
	Launcher   Launcher        `json:"launcher"`
	Clock      clock.Timer     `json:"clock"`
	Distances  []host.CorePair `json:"distances,omitempty"`
	Collective Collective      `json:"collectives"`
	Profile    Profile         `json:"profile"`
	Host       host.Facts      `json:"host"`
}

// Launcher describes the launcher of this process.
type Launcher struct {
	Name     string `json:"name"`
	About    string `json:"about"`
	Evidence string `json:"evidence,omitempty"` // the environment variable that identifies it
	Spoken   bool   `json:"spoken"`             // whether gobench can take part in its job
}

// Take surveys this machine. It takes tens of milliseconds, most of them for the latencies between
// cores.
func Take() (*Survey, error) {
	cores, err := host.AllowedCores()
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return &Survey{
		Transports: transports(),
		Launcher:   Launcher(detect.FindLauncher()),
		Clock:      clock.Calibrate(),
		Distances:  host.CoreLatencies(cores),
		Collective: collectives(),
		Profile:    storedProfile(),
		Host:       host.Collect(),
	}, nil
}

// JSON writes the survey as one object.
func (s *Survey) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}
