package importer

import (
	"cmp"
	"fmt"
	"strings"

	"gobench/record"
)

var npbFormat = format{
	name: "NPB", family: "mpi", version: npbVersion, read: importNPB,
	banners: []pattern{
		match(`NAS Parallel Benchmarks`),
		match(`[\w.-]+ Benchmark Completed\.?\s*$`),
	},
}

var npbVersion = match(`^Version\s*=\s*(\S+)`)

// npbTitle matches the title of a program: "NAS Parallel Benchmarks (NPB3.4-OMP) - CG Benchmark",
// "NAS Parallel Benchmarks 2.3 OpenMP C version - CG Benchmark".
var npbTitle = match(`^NAS Parallel Benchmarks\b(?: \(NPB[0-9.]+-(SER|OMP)\)| [0-9.]+ (OpenMP) C version)?`)

// npbEnd matches the begin of the block of results. IS, which is in C, prints it without the dot.
var npbEnd = match(`^([\w.-]+) Benchmark Completed\.?\s*$`)

// importNPB reads the block that every kernel of the NAS Parallel Benchmarks prints at its end. A
// run with failed verification is left out.
func importNPB(l *log) error {
	return l.each(func(line string) error {
		if m := npbEnd.FindStringSubmatch(line); m != nil {
			return l.npbBlock(npbKernel(m[1]))
		}
		return nil
	})
}

// npbKernel returns the name of a kernel in records: "bt-mz" of "BT-MZ", "dt-bh" of "DT_BH.S".
func npbKernel(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return strings.ToLower(strings.ReplaceAll(name, "_", "-"))
}

// npbVariant returns the variant of a kernel without MPI by the title above a line: "omp", or "ser"
// if it is serial; "" for MPI, or if no title states it.
func (l *log) npbVariant(before int) string {
	for i := before - 1; i >= 0; i-- {
		if m := npbTitle.FindStringSubmatch(l.lines[i]); m != nil {
			return map[string]string{"SER": "ser", "OMP": "omp", "OpenMP": "omp"}[m[1]+m[2]]
		}
	}
	return ""
}

// npbBlock reads the "name = value" lines after the heading, up to the next heading. The first
// value of a name is used.
func (l *log) npbBlock(kernel string) error {
	fields := map[string]string{}
	for _, line := range l.lines[l.at+1:] {
		if name, value, ok := strings.Cut(line, "="); ok {
			name = strings.TrimSpace(name)
			if _, twice := fields[name]; !twice {
				fields[name] = strings.TrimSpace(value)
			}
		}
	}
	count := func(name string) int {
		return max(0, wholeOf(fields[name])) // 0 if it is not printed
	}
	class := cmp.Or(fields["Class"], fields["class_npb"]) // NPB-CPP prints the second
	seconds, timed := parse(fields["Time in seconds"])
	mops, _ := parse(fields["Mop/s total"])
	if v := fields["Verification"]; v != "" && v != "SUCCESSFUL" {
		return l.skip(fmt.Sprintf("the verification of %s of class %s is %q", kernel, class, strings.ToLower(v)))
	}
	if fields["Time in seconds"] == "" || fields["Mop/s total"] == "" || fields["Verification"] == "" {
		return l.leaveOut("%s has no time or no rate: the log is incomplete", kernel)
	}
	if mops.x <= 0 {
		return l.leaveOut("the rate of %s is %q", kernel, fields["Mop/s total"])
	}
	ranks := count("Active processes") // fewer than all if a kernel needs a power of two
	ranks = cmp.Or(ranks, count("Total processes"))
	p := l.point(kernel, "unknown", "comm", max(1, ranks))
	variant := l.npbVariant(l.at)
	p.Options = chosen("variant", variant)
	// Of all ranks; not printed without OpenMP. NPB 2.3 has another name.
	threads := cmp.Or(count("Total threads"), count("Threads"))
	if threads > 0 || variant != "omp" {
		p.Threads = max(1, threads/max(1, ranks))
	}
	p.Class, p.Iterations = class, 1
	p.Method = "one run, as " + l.writer() + " prints it"
	if seconds.x > 0 {
		p.Metrics.Set("run_s", record.Value{Median: seconds.x, N: 1})
		p.Method += fmt.Sprintf("; the time of %s s is known to %.2g %%, the rate to %.2g %%", fields["Time in seconds"], 100*seconds.relative(), 100*mops.relative())
	} else if strings.HasPrefix(fields["Time in seconds"], "*") { // Fortran prints a number that is wider than its field so
		p.Method += "; the time is too long to be printed, the rate is not"
	} else if timed {
		p.Method += "; the time is too short to be printed, the rate is not"
	} else {
		l.warn("the time of %s of class %s is left out: %q is not a number", kernel, class, fields["Time in seconds"])
	}
	p.Metrics.Set("mops", record.Value{Median: mops.x, N: 1})
	if version := fields["Version"]; version != "" {
		l.warn("NPB version %s", version)
	}
	return l.add(p)
}
