package npb

import (
	"fmt"
	"io"
	"strings"
)

// Version is the version of NPB whose rules the kernels follow.
const Version = "3.4"

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
	name := strings.ToUpper(b.Kernel.Name)
	p := b.Kernel.Problem(b.Class)
	var s strings.Builder
	fmt.Fprintf(&s, "\n\n NAS Parallel Benchmarks %s compatible -- %s Benchmark\n\n", Version, name)
	s.WriteString(p.Header)
	fmt.Fprintf(&s, " Number of processes: %10d\n\n", b.Ranks)
	s.WriteString(b.Outcome.Text)
	fmt.Fprintf(&s, "\n\n %s Benchmark Completed.\n", name)
	line := func(label, format string, value any) {
		fmt.Fprintf(&s, " %-16s= %24s\n", label, fmt.Sprintf(format, value))
	}
	line("Class", "%v", b.Class)
	line("Size", "%s", p.Size)
	line("Iterations", "%d", p.Iterations)
	line("Time in seconds", "%.2f", b.Outcome.Seconds)
	line("Total processes", "%d", b.Ranks)
	line("Active procs", "%d", b.Ranks)
	if b.Threads > 1 {
		line("Threads/process", "%d", b.Threads)
	}
	verdict := "UNSUCCESSFUL"
	if b.Outcome.Verified {
		verdict = "SUCCESSFUL"
		line("Mop/s total", "%.2f", b.Outcome.Mops)
		line("Mop/s/process", "%.2f", b.Outcome.Mops/float64(b.Ranks))
	}
	line("Operation type", "%s", p.Kind)
	line("Verification", "%s", verdict)
	line("Version", "%s", Version)
	for _, f := range b.Build {
		line(f[0], "%s", f[1])
	}
	n, err := io.WriteString(w, s.String())
	return int64(n), err
}
