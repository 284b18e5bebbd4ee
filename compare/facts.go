package compare

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/record"
)

// facts holds the facts of a run about program, machine and job as text, by flat names:
// "program.commit", "host.cpu.model", "launcher".
type facts map[string]string

// shortNames are aliases of facts.
var shortNames = map[string]string{
	"host": "host.hostname", "cpu": "host.cpu.model", "kernel": "host.kernel", "hypervisor": "host.hypervisor", "virtualization": "host.virtualization",
	"commit": "program.commit", "version": "program.version", "go": "program.go", "simd": "program.simd",
	"program": programPath, "hosts": hostCount, "map": hostMap,
}

// labelName and tagPrefix name the label and the tags of the command line.
const (
	labelName = "label"
	tagPrefix = "tag."
)

// programDigest is the digest of the program's file. A sweep records its first digits
// (programBuild).
const (
	programDigest = "program.sha256"
	programBuild  = "program.build"
)

// programPath is the path of the program, if a sweep compares several.
const programPath = "program.path"

// hostCount is the number of hosts.
const hostCount = "host.count"

// hostMap states which ranks share a host (record.Job.Map).
const hostMap = "host.map"

// volatile lists facts that differ between all runs, or that depend on other facts.
var volatile = []string{"host.load_1min", "host.memory.available_B", "host.memory.hugepages", "host.nics", "host.profile"}

// factsOf flattens the facts of a run and its launch. Those of several hosts are joined.
//
// flat holds the facts of programs and hosts that were read, by the address of their map, because
// runs share these.
func factsOf(r *record.Run, l *record.Launch, flat map[uintptr]facts) facts {
	f := facts{"launcher": r.Job.Launcher}
	maps.Copy(f, flattened("program", r.Program, flat))
	if l.Program != "" {
		f[programPath] = l.Program
	}
	if l.Build != "" {
		f[programBuild] = l.Build
	}
	if r.Label != "" {
		f[labelName] = r.Label
	}
	for name, value := range r.Tags {
		f[tagPrefix+name] = value
	}
	values := map[string][]string{}
	for _, host := range r.Hosts {
		for name, value := range flattened("host", host, flat) {
			values[name] = collect.Union(values[name], value)
		}
	}
	for name, list := range values {
		slices.Sort(list) // the order of hosts depends on the placement of ranks only
		f[name] = strings.Join(list, ", ")
	}
	if n := len(r.Hosts); n > 0 {
		f[hostCount] = strconv.Itoa(n)
	}
	if m := r.Job.Map(); m != "" {
		f[hostMap] = m
	}
	return f
}

// withoutVolatile removes the volatile facts.
func (f facts) withoutVolatile() facts {
	for _, name := range volatile {
		for key := range f {
			if key == name || strings.HasPrefix(key, name+".") {
				delete(f, key)
			}
		}
	}
	return f
}

// flattened returns the facts of a program or a host, without volatile ones.
func flattened(name string, value any, flat map[uintptr]facts) facts {
	f := facts{}
	if m, ok := value.(map[string]any); ok { // as read
		at := reflect.ValueOf(m).Pointer()
		if known := flat[at]; known != nil {
			return known
		}
		f.add(name, m)
		flat[at] = f.withoutVolatile()
		return f
	}
	b, err := json.Marshal(value)
	if err != nil || value == nil {
		return f
	}
	var v any
	if json.Unmarshal(b, &v) == nil {
		f.add(name, v)
	}
	return f.withoutVolatile()
}

func (f facts) add(name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			f.add(name+"."+key, inner)
		}
	case string:
		f[name] = v
	case nil:
	default:
		b, _ := json.Marshal(v) // it came from JSON
		f[name] = string(b)
	}
}
