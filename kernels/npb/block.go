package npb

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Versions of NPB and of its multi-zone codes whose rules the kernels follow.
const (
	Version      = "3.4"
	VersionZoned = "3.3.1"
)

// Block is the block of results at the end of the output of every NPB benchmark.
type Block struct {
	Kernel  *Kernel
	Class   Class
	Ranks   int
	Threads int // of each rank
	Outcome Outcome
	Build   [][2]string // facts of the build: label and value
}

// WriteTo writes title, header, results and block in the layout of the official programs, without a
// rate if verification failed.
func (b *Block) WriteTo(w io.Writer) (int64, error) {
	p := b.Kernel.Problem(b.Class)
	name := cmp.Or(p.Title, strings.ToUpper(b.Kernel.Name))
	version, threads := Version, b.Ranks*b.Threads
	var s strings.Builder
	if b.Kernel.Zoned {
		version = VersionZoned
		fmt.Fprintf(&s, "\n\n NAS Parallel Benchmarks (NPB%s-MZ-MPI compatible) - %s MPI+OpenMP Benchmark\n\n", version, name)
		fmt.Fprintf(&s, p.Header+"\n Total number of threads: %6d  (%5.1f threads/process)\n", b.Ranks, threads, float64(b.Threads))
	} else {
		fmt.Fprintf(&s, "\n\n NAS Parallel Benchmarks %s compatible -- %s Benchmark\n\n", version, name)
		fmt.Fprintf(&s, p.Header+"\n", b.Ranks)
	}
	s.WriteString(b.Outcome.Text)
	fmt.Fprintf(&s, "\n\n %s Benchmark Completed.\n", cmp.Or(p.Block, name))
	line := func(label, format string, value any) {
		fmt.Fprintf(&s, " %-16s= %24s\n", label, fmt.Sprintf(format, value))
	}
	line("Class", "%v", b.Class)
	line("Size", "%s", p.Size)
	line("Iterations", "%d", p.Iterations)
	line("Time in seconds", "%.2f", b.Outcome.Seconds)
	line("Total processes", "%d", b.Ranks)
	share, each := "Mop/s/process", b.Ranks
	if b.Kernel.Zoned {
		line("Total threads", "%d", threads)
		share, each = "Mop/s/thread", threads
	} else {
		line("Active processes", "%d", b.Ranks)
		if b.Threads > 1 {
			line("Threads/process", "%d", b.Threads)
		}
	}
	verdict := "UNSUCCESSFUL"
	if b.Outcome.Verified {
		verdict = "SUCCESSFUL"
		line("Mop/s total", "%.2f", b.Outcome.Mops)
		line(share, "%.2f", b.Outcome.Mops/float64(each))
	}
	line("Operation type", "%s", p.Kind)
	line("Verification", "%s", verdict)
	line("Version", "%s", version)
	for _, f := range b.Build {
		line(f[0], "%s", f[1])
	}
	n, err := io.WriteString(w, s.String())
	return int64(n), err
}
