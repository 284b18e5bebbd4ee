package survey

import (
	"errors"
	"slices"

	"gobench/device"
	"gobench/internal/experiment/tune"
)

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
			var why *device.UnavailableError
			if errors.As(err, &why) {
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
	slices.SortStableFunc(list, func(a, b Transport) int { // those that work here first
		switch {
		case a.Usable == b.Usable:
			return 0
		case a.Usable:
			return -1
		}
		return 1
	})
	return list
}
