// Package host extracts facts of machines from the records of runs. Facts missing in a record are
// empty.
package host

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/record"
)

// A Cache is a cache of a processor.
type Cache struct {
	Level int    `json:"level"`
	Type  string `json:"type"`
	Size  int64  `json:"size_B"`
}

// String formats a cache: "L2 1 MiB".
func (c Cache) String() string { return fmt.Sprintf("L%d %s", c.Level, human.Size(c.Size)) }

// DataCaches returns the caches that hold data.
func (f Facts) DataCaches() []Cache {
	return slices.DeleteFunc(slices.Clone(f.Caches), func(c Cache) bool { return c.Type == "Instruction" })
}

// Facts describes a machine. The JSON names match internal/launch/host.Facts.
type Facts struct {
	Hostname       string `json:"hostname"`
	OS             string `json:"os"`
	Arch           string `json:"arch"`
	Kernel         string `json:"kernel"`
	Hypervisor     string `json:"hypervisor"`
	Virtualization string `json:"virtualization"`
	ClockSource    string `json:"clocksource"`
	CPU            struct {
		Model    string `json:"model"`
		Packages int    `json:"packages"`
		Cores    int    `json:"cores"`
		Threads  int    `json:"threads"`
		Governor string `json:"governor"`
		SMT      bool   `json:"smt"`
	} `json:"cpu"`
	Caches []Cache           `json:"caches"`
	NUMA   []json.RawMessage `json:"numa"`
	Memory struct {
		Total int64  `json:"total_B"`
		THP   string `json:"thp"`
	} `json:"memory"`
	NICs       []NIC   `json:"nics"`
	Load       float64 `json:"load_1min"`
	Congestion string  `json:"tcp_congestion"` // of new connections
}

// A NIC is a network card.
type NIC struct {
	Name   string `json:"name"`
	Driver string `json:"driver"`
	Rate   int64  `json:"rate_bit_per_s"` // of the wire, 0 = not known
	MTU    int    `json:"mtu_B"`
	Access string `json:"access"`
	PCIe   struct {
		Lanes    int     `json:"lanes"`
		Rate     float64 `json:"rate_GTps"` // of a lane
		MaxLanes int     `json:"most_lanes"`
	} `json:"pcie"`
}

// Of returns the facts of each host of a run.
func Of(r *record.Run) []Facts { return Known{}.Of(r) }

// Known holds the facts of hosts that were read, each a list of one, by the address of their map:
// runs share these.
type Known map[uintptr][]Facts

// Of is Of, which decodes each map once. The list must not be modified.
func (k Known) Of(r *record.Run) []Facts {
	if r == nil {
		return nil
	}
	var all []Facts
	for _, facts := range r.Hosts {
		at := uintptr(0)
		if m, ok := facts.(map[string]any); ok {
			at = reflect.ValueOf(m).Pointer()
		}
		one, ok := k[at]
		if !ok {
			one = make([]Facts, 1)
			if decode(facts, &one[0]) != nil {
				continue
			}
			if at != 0 {
				k[at] = one
			}
		}
		if all == nil {
			all = one // the runs on one host share it
		} else {
			all = append(all, one...)
		}
	}
	return all
}

// Names returns the names of the hosts of a run: "n1", "n1,n2".
func Names(r *record.Run) string { return values(r, "hostname") }

// Virtualization returns how the hosts of a run are run by their hypervisors, each way once:
// "native", "hvm,pv".
func Virtualization(r *record.Run) string { return values(r, "virtualization") }

// values joins the different values of a fact of all hosts. It decodes nothing else, because it is
// called for every point.
func values(r *record.Run, fact string) string {
	if r == nil {
		return ""
	}
	var list []string
	for _, facts := range r.Hosts {
		if m, ok := facts.(map[string]any); ok {
			if value, ok := m[fact].(string); ok {
				list = collect.Union(list, value)
			}
		}
	}
	return strings.Join(list, ",")
}

// String describes a machine by its facts with the most influence on performance.
func (f Facts) String() string {
	var parts []string
	add := func(s string, known bool) {
		if known {
			parts = append(parts, s)
		}
	}
	add(f.Hostname, f.Hostname != "")
	add(f.CPU.Model, f.CPU.Model != "")
	add(fmt.Sprintf("%d sockets", f.CPU.Packages), f.CPU.Packages > 1)
	cores := fmt.Sprintf("%d cores", f.CPU.Cores)
	if f.CPU.Threads > f.CPU.Cores {
		cores += fmt.Sprintf(" with %d threads", f.CPU.Threads)
	}
	add(cores, f.CPU.Cores > 0)
	add("kernel "+f.Kernel, f.Kernel != "")
	add("virtual machine: "+f.Hypervisor, f.Virtual())
	if len(parts) == 0 {
		return "unknown"
	}
	return strings.Join(parts, ", ")
}

// Virtual reports whether the machine is a guest of a hypervisor.
func (f Facts) Virtual() bool { return f.Hypervisor != "" && f.Hypervisor != "none" }

// decode converts the facts of a record, of any Go type, into v via JSON.
func decode(facts, v any) error {
	b, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
