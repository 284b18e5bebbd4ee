package experiment

import (
	"fmt"
	"slices"
	"strings"

	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/remedy"
	"gobench/nearest"
)

// Transport is a driver with its options, at a level of measurement.
type Transport struct {
	Driver  device.Driver
	Options device.Options
	Level   string
}

// levelComm is the level of communicators, which are created over a device.
const levelComm = "comm"

// allLevels lists the levels that can be measured.
var allLevels = []string{levelComm, device.LevelDevice, device.LevelRaw, device.LevelSocket}

// below returns the level at which the driver is opened for a level of measurement.
func below(level string) string {
	if level == levelComm {
		return device.LevelDevice
	}
	return level
}

// having returns the names of the transports that support a level.
func having(level string) (names []string) {
	for _, d := range device.Drivers() {
		if slices.Contains(device.Levels(d), level) {
			names = append(names, d.Name())
		}
	}
	return names
}

// transports sets the transports of the measurement: each of those of the command line at each of
// the levels that it has.
func (r *measurement) transports(l *Launch, levels []string) error {
	for _, level := range levels {
		if err := oneOf("level", level, allLevels...); err != nil {
			return err
		}
	}
	levels = collect.Union(nil, levels...)
	set, err := parseSettings(l.Options)
	if err != nil {
		return err
	}
	var names, declared []string
	var out omissions
	r.set = map[string]map[string]string{}
	for _, typed := range words(l.transports()) {
		d, err := device.Lookup(typed)
		if err != nil {
			return unknownTransport(typed, below(levels[0]))
		}
		name := d.Name()
		if slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		opts, known, err := settingsFor(d, set)
		if err != nil {
			return fmt.Errorf("transport %s: %w", name, err)
		}
		declared = append(declared, known...)
		r.set[name] = set.of(known)
		has, lacks := levelsOf(d, levels)
		if len(has) == 0 {
			return lacksLevel(d, lacks[0])
		}
		for _, level := range lacks {
			out.add("transport "+name, "level "+level, "it has none")
		}
		for _, level := range has {
			r.Transports = append(r.Transports, Transport{d, opts, level})
		}
	}
	r.Remarks = append(r.Remarks, out.remarks()...)
	for _, name := range set.names {
		if !slices.Contains(declared, name) {
			if owner := declarer(name); owner != "" {
				return remedy.Errorf("option %s is one of %s: add %v, or leave it out", name, owner, remedy.Set("transport", owner))
			}
			slices.Sort(declared)
			return &nearest.UnknownError{What: "option", Name: name, Known: slices.Compact(declared), List: "options of " + strings.Join(names, " and "), Where: "gobench probe lists the options"}
		}
	}
	return nil
}

// usable returns why a transport of the measurement does not work on this machine.
func (r *measurement) usable() error {
	for _, t := range r.Transports {
		if err := device.ProbeWith(t.Driver, t.Options); err != nil {
			return err
		}
	}
	return nil
}

// Available returns why one of a list of transports does not work on this machine with these
// options of --set. It accepts what it does not know, for which Check has a better error.
func Available(transports string, options []string) error {
	set, err := parseSettings(options)
	if err != nil {
		return nil
	}
	for _, typed := range words(transports) {
		d, err := device.Lookup(typed)
		if err != nil {
			continue
		}
		opts, _, err := settingsFor(d, set)
		if err != nil {
			continue
		}
		if err := device.ProbeWith(d, opts); err != nil {
			return err
		}
	}
	return nil
}

// levelsOf returns which of the levels a driver has, and which it lacks.
func levelsOf(d device.Driver, levels []string) (has, lacks []string) {
	for _, level := range levels {
		if slices.Contains(device.Levels(d), below(level)) {
			has = append(has, level)
		} else {
			lacks = append(lacks, level)
		}
	}
	return has, lacks
}

// lacksLevel returns the error of a driver that lacks a level.
func lacksLevel(d device.Driver, level string) error {
	has := remedy.Set("level", device.Levels(d)[0])
	if others := having(below(level)); len(others) == 1 {
		return misfit("transport %s has no level %s: use %v, or %v", d.Name(), level, has, remedy.Set("transport", others[0]))
	}
	return misfit("transport %s has no level %s: use %v", d.Name(), level, has)
}

// declarer returns the transport with the fewest options that has this one, "" if there is none.
// Transports that combine others have the options of all of them.
func declarer(option string) (name string) {
	fewest := 0
	for _, d := range device.Drivers() {
		list := d.Options()
		has := slices.ContainsFunc(list, func(o device.Option) bool { return o.Name == option })
		if has && (name == "" || len(list) < fewest) {
			name, fewest = d.Name(), len(list)
		}
	}
	return name
}

// unknownTransport suggests any transport, and lists those that have the level and work on this
// machine.
func unknownTransport(name, level string) error {
	e := &nearest.UnknownError{What: "transport", Name: name, Shown: []string{}, List: "available here"}
	for _, d := range device.Drivers() {
		e.Known = append(e.Known, d.Name())
		if slices.Contains(device.Levels(d), level) && d.Probe() == nil {
			e.Shown = append(e.Shown, d.Name())
		}
	}
	return e
}
