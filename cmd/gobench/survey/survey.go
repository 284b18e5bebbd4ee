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
	Transports []Transport     `json:"transports"`
	Launcher   launch.Launcher `json:"launcher"` // that started this process
	Clock      clock.Timer     `json:"clock"`
	Cores      []int           `json:"cores"` // that this process may use
	Host       host.Facts      `json:"host"`
}

// Take looks at this machine. It takes a few milliseconds.
func Take() (*Survey, error) {
	cores, err := host.AllowedCores()
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return &Survey{
		Transports: transports(),
		Launcher:   launch.Detect(),
		Clock:      clock.Calibrate(),
		Cores:      cores,
		Host:       host.Collect(),
	}, nil
}

// JSON writes the survey as one object.
func (s *Survey) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}
