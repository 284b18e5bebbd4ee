// Package survey collects and prints the facts of a machine that influence measurements.
package survey

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"gobench/comm/coll"
	"gobench/device"
	"gobench/device/profile"
	"gobench/internal/bench/clock"
	"gobench/internal/experiment/tune"
	"gobench/internal/human"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
	"gobench/internal/simd"
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

// Transport describes a transport, whether it works on this machine, and its options.
type Transport struct {
	Name    string           `json:"name"`
	About   string           `json:"about"`
	Usable  bool             `json:"usable"`
	Reason  string           `json:"reason,omitempty"` // why it is not usable
	Remedy  string           `json:"remedy,omitempty"` // how to make it usable
	Levels  []string         `json:"levels"`
	Devices []device.Feature `json:"devices,omitempty"` // features of its hardware
	Options []Option         `json:"options,omitempty"`
}

// Option is a setting of a transport (--set NAME=VALUE).
type Option struct {
	Name    string   `json:"name"`
	Default string   `json:"default"`
	Table   string   `json:"table,omitempty"` // value of the table in force, which replaces the default
	Values  []string `json:"values,omitempty"`
	Help    string   `json:"help"`
}

func transports() []Transport {
	table, _ := tune.Load("", nil) // Collective has its warning
	var list []Transport
	for _, d := range device.Drivers() {
		t := Transport{Name: d.Name(), About: d.About(), Usable: true, Levels: device.Levels(d)}
		if err := d.Probe(); err != nil {
			t.Usable = false
			if why, ok := errors.AsType[*device.UnavailableError](err); ok {
				t.Reason, t.Remedy = why.Reason, why.Remedy
			} else {
				t.Reason = err.Error()
			}
		}
		if describer, ok := d.(device.Describer); ok && t.Usable {
			t.Devices = describer.Describe()
		}
		for _, o := range d.Options() {
			own := Option{Name: o.Name, Default: o.Default, Values: o.Values, Help: o.Help}
			for _, s := range table.Settings {
				if s.Transport == t.Name && s.Option == o.Name {
					own.Table = s.Value
				}
			}
			t.Options = append(t.Options, own)
		}
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b Transport) int { return order[b.Usable] - order[a.Usable] })
	return list
}

// order puts the transports first that work here.
var order = map[bool]int{true: 1}

// Collective describes the table that selects algorithms of collectives.
type Collective struct {
	Table   string `json:"table"` // path, or "defaults"
	Rules   int    `json:"rules"`
	Options int    `json:"options,omitempty"` // options of transports in the table
	Warning string `json:"warning,omitempty"` // reason why another table is not used
	SIMD    string `json:"simd"`              // instruction set of the vector loops, or "none"
}

// Profile describes the profile of this machine.
type Profile struct {
	Path    string           `json:"path,omitempty"`
	Hash    string           `json:"hash,omitempty"` // "" = it has not been measured yet
	Choices []profile.Choice `json:"choices,omitempty"`
}

func storedProfile() Profile {
	path, p := tune.Stored(host.ProgramDigest())
	if p == nil {
		return Profile{Path: path}
	}
	return Profile{path, p.Hash(), p.Choices}
}

func (p *page) profile(of Profile) {
	if of.Hash == "" {
		p.line("profile", "none yet: the next command that measures makes it")
		return
	}
	p.line("profile", fmt.Sprintf("%s, in %s", of.Hash, of.Path))
	for _, c := range of.Choices {
		p.line("", c.Routine+": "+c.Pick)
	}
}

func collectives() Collective {
	table, warning := tune.Load("", nil)
	c := Collective{Table: table.Origin, Rules: len(table.Rules), Options: len(table.Settings), SIMD: simd.Level()}
	if warning != nil {
		c.Warning = warning.Error()
	}
	return c
}

func (p *page) collectives(c Collective) {
	advice := ""
	if c.Table == coll.Defaults().Origin {
		advice = " (gobench tune makes one for this machine)"
	}
	has := human.Count(c.Rules, "rule", "rules")
	if c.Options > 0 {
		has += ", " + human.Count(c.Options, "option", "options") + " of transports"
	}
	p.line("table", fmt.Sprintf("%s, %s%s", c.Table, has, advice))
	if c.Warning != "" {
		p.line("", c.Warning)
	}
	p.line("vectors", simd.Describe())
}
