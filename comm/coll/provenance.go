package coll

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Provenance records when and where a tuning file was measured.
type Provenance struct {
	Date    time.Time `toml:"date"`
	Gobench string    `toml:"gobench"` // version, for people
	Machine
}

// A Machine describes the host and the transport options for which a tuning file was measured. The
// caller fills it in from package internal/launch/host.
type Machine struct {
	// Fingerprint is all that the choices of a profile depend on; "" of a table, which the other
	// fields describe.
	Fingerprint string `toml:"machine,omitempty"`

	Host  string `toml:"host,omitempty"`
	CPU   string `toml:"cpu,omitempty"` // model
	Cores int    `toml:"cores,omitzero"`
	// Options holds the options that were set for a transport, by its name. Defaults
	// are left out, because they may depend on the number of ranks.
	Options map[string]map[string]string `toml:"options,omitempty"`
}

// A StaleError reports a tuning file that was made for another machine, other options or another
// version of gobench.
type StaleError struct {
	What     string // "cpu"
	Was, Now string
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("it was made for %s %q, and here it is %q: run gobench tune", e.What, e.Was, e.Now)
}

// fits returns a *StaleError if the measurements do not apply to this machine. A transport without
// options in the file was measured with defaults. Properties that the file does not name are not
// compared, so that a file written by hand applies everywhere.
func (m *Provenance) fits(here Machine) error {
	switch {
	case m.Fingerprint != "" && here.Fingerprint != "" && m.Fingerprint != here.Fingerprint:
		return &StaleError{"machine", m.Fingerprint, here.Fingerprint}
	case m.Host != "" && m.Host != here.Host:
		return &StaleError{"host", m.Host, here.Host}
	case m.CPU != "" && m.CPU != here.CPU:
		return &StaleError{"cpu", m.CPU, here.CPU}
	case m.Cores != 0 && m.Cores != here.Cores:
		return &StaleError{"cores", fmt.Sprint(m.Cores), fmt.Sprint(here.Cores)}
	}
	if m.Host == "" {
		return nil
	}
	for _, transport := range slices.Sorted(maps.Keys(here.Options)) {
		was, now := m.Options[transport], here.Options[transport]
		if !maps.Equal(was, now) {
			return &StaleError{"options of " + transport, words(was), words(now)}
		}
	}
	return nil
}

// words writes options as --set does.
func words(options map[string]string) string {
	s := ""
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if s != "" {
			s += ","
		}
		s += name + "=" + options[name]
	}
	return s
}
