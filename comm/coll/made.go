package coll

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Made says when and where a tuning file was measured.
type Made struct {
	Date    time.Time `toml:"date"`
	Gobench string    `toml:"gobench"` // version, for people
	Machine
}

// Machine is where a tuning file holds. The caller fills it in, from package launch/host.
type Machine struct {
	Host  string `toml:"host"` // a file of another host does not fit
	CPU   string `toml:"cpu"`  // model
	Cores int    `toml:"cores"`
	// Options are the options that were set for a transport, by its name. Defaults
	// are left out, because they may depend on the number of ranks.
	Options map[string]map[string]string `toml:"options"`
}

// StaleError says that a tuning file was made for something else.
type StaleError struct {
	What     string // "cpu"
	Was, Now string
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("it was made for %s %q, and here it is %q: run gobench tune", e.What, e.Was, e.Now)
}

// fits returns a *StaleError if what was measured says nothing about a machine. A
// transport without options in the file was measured with defaults. A file that names
// no host, core or model was written by somebody who knows what it is for.
func (m *Made) fits(here Machine) error {
	switch {
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
