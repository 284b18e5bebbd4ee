package experiment

import (
	"context"

	"gobench/device"
	"gobench/internal/launch/hostlist"
	"gobench/internal/launch/remote"
	"gobench/internal/remedy"
)

// Find returns the hosts of the options, or those of the allocation of a scheduler, for verbs that
// start no ranks. about is a sentence about hosts that the user has not named, or "".
func (h *Hosts) Find(ctx context.Context) (hosts []hostlist.Host, about string, err error) {
	if err := h.check(&Launch{}); err != nil {
		return nil, "", err
	}
	if about, err = h.find(ctx, &Launch{}); err != nil {
		return nil, "", err
	}
	if h.found == nil {
		return nil, "", remedy.Errorf("there are no hosts: name them with %v or %v, or start this in an allocation of a scheduler", remedy.Set("hosts", "a,b,c"), remedy.Set("hostfile", "FILE"))
	}
	return h.found, about, nil
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
