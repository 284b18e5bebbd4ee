package experiment

import (
	"context"
	"errors"

	"gobench/device"
	"gobench/launch/hostlist"
	"gobench/launch/remote"
)

// Find returns the hosts of the options, or those of the allocation of a scheduler, for verbs that
// start no ranks. note is a sentence about hosts that the user has not named, or "".
func (h *Hosts) Find(ctx context.Context) (hosts []hostlist.Host, note string, err error) {
	if err := h.check(&Launch{}); err != nil {
		return nil, "", err
	}
	if note, err = h.find(ctx, &Launch{}); err != nil {
		return nil, "", err
	}
	if h.found == nil {
		return nil, "", errors.New("there are no hosts: name them with --hosts=a,b,c or --hostfile=FILE, or start this in an allocation of a scheduler")
	}
	return h.found, note, nil
}

// Remote returns how the hosts are connected.
func (h *Hosts) Remote() remote.Options {
	return remote.Options{SSH: h.SSH, Copy: h.Copy == "auto"}
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
