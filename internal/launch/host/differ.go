package host

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gobench/internal/launch/hostlist"
)

// Differences returns the facts that differ between hosts and affect their speed, as one sentence,
// "" if there are none: "the hosts differ in kernel (6.1.0 on h1; 5.14.0 on h2)".
func Differences(hosts []Facts) string {
	var parts []string
	for _, fact := range compared {
		var values []string
		on := map[string][]string{}
		for _, h := range hosts {
			value := fact.of(&h)
			if on[value] == nil {
				values = append(values, value)
			}
			on[value] = append(on[value], h.Hostname)
		}
		if len(values) < 2 {
			continue
		}
		var each []string
		for _, v := range values {
			text := v
			if v == "" {
				text = "none"
			}
			each = append(each, text+" on "+hostlist.Fold(on[v]))
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", fact.name, strings.Join(each, "; ")))
	}
	if parts == nil {
		return ""
	}
	return "the hosts differ in " + strings.Join(parts, ", ")
}

// compared lists the facts of Differences.
var compared = []struct {
	name string
	of   func(*Facts) string
}{
	{"architecture", func(f *Facts) string { return f.Arch }},
	{"CPU", func(f *Facts) string { return f.CPU.Model }},
	{"cores", func(f *Facts) string { return number(f.CPU.Cores) }},
	{"threads", func(f *Facts) string { return number(f.CPU.Threads) }},
	{"governor", func(f *Facts) string { return f.CPU.Governor }},
	{"hypervisor", func(f *Facts) string { return f.Hypervisor }},
	{"virtualization", func(f *Facts) string { return f.Virtualization }},
	{"kernel", func(f *Facts) string { return f.Kernel }},
	{"clock source", func(f *Facts) string { return f.Clocksource }},
	{"huge pages", func(f *Facts) string { return f.Memory.THP }},
	{"libraries", func(f *Facts) string { return strings.Join(f.Libraries, " ") }},
	{"congestion control", func(f *Facts) string { return f.Congestion }},
	{"network", func(f *Facts) string { return networks(f.NICs) }},
	{"number of cores that may be used", func(f *Facts) string { return usableCores(f.Limits.Cores) }},
	{"limit of CPU time", func(f *Facts) string { return number(f.Limits.CPU) }},
	{"limit of memory", func(f *Facts) string { return number(f.Limits.Memory) }},
	{"limit of locked memory", func(f *Facts) string { return number(f.Limits.Locked) }},
}

// usableCores returns the number of cores in a list. Their IDs differ from job to job.
func usableCores(list string) string {
	cores, err := ParseCores(list)
	if err != nil || len(cores) == 0 {
		return ""
	}
	return fmt.Sprint(len(cores))
}

func number[T any](p *T) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(*p)
}

// networks describes the NICs without their names, which may differ: "mlx5_core 100 Gbit/s MTU
// 9000".
func networks(nics []NIC) string {
	count := map[string]int{}
	for _, n := range nics {
		if n.Name == "lo" || n.Kind == "bridge" {
			continue
		}
		words := []string{cmp.Or(n.Driver, n.Kind, n.Fabric)}
		if n.Rate != nil {
			words = append(words, fmt.Sprintf("%g Gbit/s", float64(*n.Rate)/1e9))
		}
		if n.MTU != nil {
			words = append(words, fmt.Sprintf("MTU %d", *n.MTU))
		}
		if n.PCIe != nil {
			words = append(words, fmt.Sprintf("PCIe x%d %g GT/s", n.PCIe.Lanes, n.PCIe.Rate))
		}
		words = append(words, n.Access)
		count[strings.TrimSpace(strings.Join(words, " "))]++
	}
	var list []string
	for _, text := range slices.Sorted(maps.Keys(count)) {
		if n := count[text]; n > 1 {
			text = fmt.Sprintf("%d x %s", n, text)
		}
		list = append(list, text)
	}
	return strings.Join(list, " + ")
}
