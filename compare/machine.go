package compare

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/record"
)

// machineFacts lists the facts that identify a kind of machine and the placement of ranks on
// several. The name of the host is not one of them: runners in a cloud have a different one each
// time.
var machineFacts = []string{"host.arch", "host.cpu.model", "host.cpu.cores", "host.cpu.threads", "host.caches", "host.hypervisor", "host.virtualization", hostCount, hostMap}

// machine returns those of machineFacts that are known.
func (f facts) machine() facts {
	m := facts{}
	for _, name := range machineFacts {
		if value := f[name]; value != "" {
			m[name] = value
		}
	}
	return m
}

// join adds facts of another machine. Different values of a fact are joined by " or ".
func (f facts) join(other facts) {
	for name, value := range other {
		have := strings.Split(f[name], " or ")
		switch {
		case f[name] == "":
			f[name] = value
		case !slices.Contains(have, value):
			f[name] = strings.Join(slices.Sorted(slices.Values(append(have, value))), " or ")
		}
	}
}

// unlike names the facts that both machines have and that differ.
func unlike(a, b facts) []string {
	return collect.If(machineFacts, func(name string) bool { return a[name] != "" && b[name] != "" && a[name] != b[name] })
}

// machineOf returns the joined facts of the machines of points.
func (c *collection) machineOf(points []*record.Point) facts {
	m := facts{}
	// By address: many runs share their facts.
	address := func(p *record.Point) uintptr { return reflect.ValueOf(c.runs[p.Run]).Pointer() }
	for _, p := range collect.First(points, address) {
		m.join(c.runs[p.Run].machine())
	}
	return m
}

// differentMachines returns a clause with the facts in which the machines of the sides differ, ""
// if there are none.
func (r *Result) differentMachines() string {
	var names []string
	for i := range r.Rows {
		names = collect.Union(names, r.Rows[i].unlike...)
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("the machines of the sides differ in %s", strings.Join(names, ", "))
}

// checkFloor returns why a floor does not apply to the machine of the rows, "" if it does.
func (c *collection) checkFloor(sides ...[]*record.Point) string {
	for _, points := range sides {
		if names := unlike(c.options.Floor.machine, c.machineOf(points)); len(names) > 0 {
			return fmt.Sprintf("the noise floor was measured on another machine (%s)", strings.Join(names, ", "))
		}
	}
	return ""
}
