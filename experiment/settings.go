package experiment

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gobench/device"
	"gobench/internal/experiment/tune"
	"gobench/internal/remedy"
	"gobench/internal/renamed"
	"gobench/nearest"
)

// settings are options of transports as typed: NAME=VALUE, each name once.
type settings struct {
	names  []string
	values map[string]string
}

func parseSettings(typed []string) (settings, error) {
	s := settings{values: map[string]string{}}
	for _, t := range typed {
		name, value, ok := strings.Cut(t, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return settings{}, remedy.Errorf("%v is %q, want NAME=VALUE, such as eager_limit=8K; gobench probe lists the options", remedy.Named("set"), t)
		}
		if old, twice := s.values[name]; twice && old != value {
			return settings{}, remedy.Errorf("%v gives %s two values, %s and %s: choose one", remedy.Named("set"), name, old, value)
		} else if !twice {
			s.names = append(s.names, name)
		}
		s.values[name] = strings.TrimSpace(value)
	}
	return s, nil
}

// settingsFor returns the options of a driver from the settings that it declares, and the names of
// all settings that it declares. With several transports, a setting need not belong to each.
func settingsFor(d device.Driver, s settings) (device.Options, []string, error) {
	own := map[string]string{}
	var known []string
	for _, o := range d.Options() {
		known = append(known, o.Name)
		if v, ok := s.values[o.Name]; ok {
			own[o.Name] = v
		}
	}
	opts, err := device.ParseOptions(d.Options(), own)
	if bad, ok := errors.AsType[*device.ValueError](err); ok {
		for _, o := range d.Options() {
			if near, ok := nearest.Name(bad.Value, o.Values); o.Name == bad.Option && ok {
				err = fmt.Errorf("option %s is %q: did you mean %q? want %s", bad.Option, bad.Value, near, bad.Want)
			}
		}
	}
	return opts, known, err
}

// of returns the settings that have these names, nil if there are none.
func (s settings) of(names []string) map[string]string {
	var own map[string]string
	for _, name := range names {
		if v, ok := s.values[name]; ok {
			if own == nil {
				own = map[string]string{}
			}
			own[name] = v
		}
	}
	return own
}

// tunedSettings returns the options of these transports from the table at path, "" = the default
// table, without those in set. If the table cannot be used, it returns the reason.
func tunedSettings(path string, transports []Transport, set map[string]map[string]string) (map[string]map[string]string, error) {
	table, warning := tune.Load(path, nil)
	var tuned map[string]map[string]string
	for _, s := range table.Settings {
		known := slices.ContainsFunc(transports, func(t Transport) bool { return t.Driver.Name() == s.Transport })
		if _, chosen := set[s.Transport][s.Option]; chosen || !known || renamed.Retired(s.Transport, s.Option) {
			continue
		}
		if tuned == nil {
			tuned = map[string]map[string]string{}
		}
		if tuned[s.Transport] == nil {
			tuned[s.Transport] = map[string]string{}
		}
		tuned[s.Transport][s.Option] = s.Value
	}
	if _, err := adopt(transports, set, tuned); err != nil {
		return nil, fmt.Errorf("options of tuning file %s are ignored: %w", table.Origin, err)
	}
	return tuned, warning
}

// adopt returns the transports with the options of a table, which those in set override.
func adopt(transports []Transport, set, tuned map[string]map[string]string) ([]Transport, error) {
	list := slices.Clone(transports)
	for i, t := range list {
		name := t.Driver.Name()
		if len(tuned[name]) == 0 {
			continue
		}
		values := maps.Clone(tuned[name])
		maps.Copy(values, set[name])
		var err error
		if list[i].Options, err = device.ParseOptions(t.Driver.Options(), values); err != nil {
			return nil, fmt.Errorf("transport %s: %w", name, err)
		}
	}
	return list, nil
}

// sources returns the source of the values of options, by transport and option: "set" or "table".
// All others are defaults, or were determined when the transport was opened.
func sources(set, tuned map[string]map[string]string) map[string]map[string]string {
	var from map[string]map[string]string
	add := func(values map[string]map[string]string, source string) {
		for transport, options := range values {
			for option := range options {
				if from == nil {
					from = map[string]map[string]string{}
				}
				if from[transport] == nil {
					from[transport] = map[string]string{}
				}
				from[transport][option] = source
			}
		}
	}
	add(tuned, "table")
	add(set, "set")
	return from
}

// OptionsOf returns the options of a transport, given as typed for --set.
func OptionsOf(d device.Driver, typed []string) (map[string]string, error) {
	set, err := parseSettings(typed)
	if err != nil {
		return nil, err
	}
	_, _, err = settingsFor(d, set)
	if err == nil {
		_, err = device.ParseOptions(d.Options(), set.values)
	}
	return set.values, err
}
