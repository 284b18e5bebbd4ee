package all

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"gobench/bench"
	"gobench/bench/record"
	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/btio"
)

// every stands for all kernels.
const every = "all"

func init() {
	a := application.Application{
		Name:  "npb",
		Short: "NAS Parallel Benchmarks: bt, cg, dt, ep, ft, is, lu, mg, sp, multi-zone codes",
		Example: `  gobench npb cg                                class A over shared memory, a rank on each of up to 4 cores
  gobench npb ep is --class=B -n 1,2,4          strong scaling: speedup and efficiency
  gobench npb cg --class=A -n 1,4 --weak        the class grows with the ranks: efficiency against serial copies
  gobench npb bt-mz -n 1,2,4 --threads=4        ranks with threads on zones of unequal sizes
  gobench npb cg --transport=tcp --threads=2 -n 2
  gobench npb all --class=S --official          with the official output of NPB
  gobench npb cg --class=D --dry-run            the memory that it needs`,
		Long: "Kernels of NPB 3.4, and of NPB 3.3.1-MZ, with their problems, timing rules and tolerances. A run that is not verified has no result and ends with exit code 3. " +
			"Speedup and efficiency refer to the last run on one rank in the file of records.",
		Argument: "kernel",
		New:      func() application.Options { return defaults() },
	}
	for _, k := range Kernels() {
		a.Values = append(a.Values, k.Name)
	}
	application.Register(a)
}

// defaults returns the flags with their default values.
func defaults() *flags { return &flags{class: "A", io: btio.Default(), buffer: "16MiB"} }

// flags are the flags of gobench npb.
type flags struct {
	class    string
	weak     bool
	official bool
	io       btio.Options
	buffer   string // its Buffer
}

// Flags implements application.Options.
func (f *flags) Flags(set *pflag.FlagSet) {
	set.StringVar(&f.class, "class", f.class, "`CLASS` size of the problem: S, W, A, B, C, D or E")
	set.BoolVar(&f.weak, "weak", false, "weak scaling: the next class for four times the ranks, and as many independent serial copies to compare with")
	set.BoolVar(&f.official, "official", false, "print the official output of NPB, too")
	set.StringVar(&f.io.Subtype, "io", f.io.Subtype, "`SUBTYPE` of bt-io: "+strings.Join(btio.Subtypes(), ", "))
	set.StringVar(&f.io.Path, "io-path", f.io.Path, "`FOLDER` of the files of bt-io, which are removed after each run")
	set.BoolVar(&f.io.Direct, "io-direct", false, "bt-io writes past the cache of the system (O_DIRECT)")
	set.BoolVar(&f.io.Sync, "io-sync", false, "bt-io waits until its files are on the device (fsync) before it takes the time")
	set.StringVar(&f.buffer, "io-buffer", f.buffer, "`SIZE` that an aggregator of bt-io writes at once: 64K, 1MiB")
	set.IntVar(&f.io.Aggregators, "io-aggregators", 0, "`N` ranks of bt-io that write, 0 = one on each host")
}

// Jobs implements application.Options.
func (f *flags) Jobs(r application.Request) ([]application.Job, error) {
	class, err := npb.ParseClass(f.class)
	if err != nil {
		return nil, err
	}
	kernels, err := kernelsOf(r.Arguments)
	if err != nil {
		return nil, err
	}
	grown := class
	if f.weak {
		if grown, err = grow(class, r.Ranks); err != nil {
			return nil, err
		}
	}
	var jobs []application.Job
	var out []string
	for _, k := range kernels {
		err := runs(k, grown, r.Ranks)
		if err == nil && k.Name == btio.Name {
			err = f.checkIO(grown, r.Ranks)
			k = btio.Kernel(f.io)
		}
		if err != nil {
			if !slices.Contains(r.Arguments, every) {
				return nil, err
			}
			out = append(out, err.Error())
			continue
		}
		if f.weak {
			jobs = append(jobs, f.job(k, class, false, r.Build))
			jobs[len(jobs)-1].Copies = true
		}
		j := f.job(k, grown, f.official, r.Build)
		if f.weak {
			j.Warning = uneven(k, class, grown, r.Ranks)
		}
		jobs = append(jobs, j)
	}
	if jobs == nil {
		return nil, errors.New(out[0])
	}
	if out != nil && jobs[0].Warning == "" {
		jobs[0].Warning = "all leaves out kernels that cannot run: " + strings.Join(out, "; ")
	}
	return jobs, nil
}

// checkIO completes the options of BT-IO and returns an error if they are wrong.
func (f *flags) checkIO(class npb.Class, ranks int) error {
	sizes, err := bench.ParseSizes(f.buffer)
	if err != nil || len(sizes) != 1 {
		return fmt.Errorf("--io-buffer is %q, want one size: 64K, 1MiB", f.buffer)
	}
	if f.weak {
		return errors.New("bt-io has no --weak: its copies would write the same file")
	}
	f.io.Buffer = int64(sizes[0])
	return f.io.Check(class, ranks)
}

// runs returns an error unless a kernel has the class and can run on ranks.
func runs(k *npb.Kernel, class npb.Class, ranks int) error {
	if classes := k.Classes(); !slices.Contains(classes, class) {
		return fmt.Errorf("%s has no class %v: its largest is %v", k.Name, class, classes[len(classes)-1])
	}
	return k.Legal(class, ranks)
}

func (f *flags) job(k *npb.Kernel, class npb.Class, official bool, build [][2]string) application.Job {
	return application.Job{
		Program: k.Program(class, official, build),
		Factors: func(p *record.Point) {
			p.Class = class.String()
			if k.Name == btio.Name {
				p.IO = f.io.String()
			}
		},
		Label: "class " + class.String(),
	}
}

// uneven returns a warning if the work of a rank in an iteration of the grown class differs much
// from that of a copy of the class, by the official count of operations: classes were not made for
// weak scaling.
func uneven(k *npb.Kernel, class, grown npb.Class, ranks int) string {
	work := func(c npb.Class) float64 {
		p := k.Problem(c)
		return p.Operations / float64(max(p.Iterations, 1))
	}
	load := work(grown) / work(class) / float64(ranks)
	if load > 1/1.5 && load < 1.5 {
		return ""
	}
	return fmt.Sprintf("a rank does %.2f times the work of a copy of class %v in an iteration: efficiency compares different loads", load, class)
}

// kernelsOf returns the kernels with the given names.
func kernelsOf(names []string) ([]*npb.Kernel, error) {
	if len(names) == 0 {
		return nil, errors.New("npb needs a kernel, or all: gobench npb cg")
	}
	var list []*npb.Kernel
	for _, name := range names {
		if name == every {
			return Kernels(), nil
		}
		k, err := Lookup(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(other *npb.Kernel) bool { return other.Name == k.Name }) {
			list = append(list, k)
		}
	}
	return list, nil
}

// growth is the usual ratio of the operations of consecutive classes.
const growth = 4

// grow returns the class that is ranks times as large as class.
func grow(class npb.Class, ranks int) (npb.Class, error) {
	steps := int(math.Round(math.Log(float64(ranks)) / math.Log(growth)))
	known := npb.Classes()
	first := slices.Index(known, npb.A) // smaller ones do not grow by this ratio
	at := slices.Index(known, class)
	last := slices.Index(known, npb.C)
	if at < first || at > last {
		return 0, fmt.Errorf("--weak starts with class A, B or C, where each class is about %d times the one before, not with class %v", growth, class)
	}
	var legal []string
	for n := 0; at+n <= last; n++ {
		legal = append(legal, strconv.Itoa(int(math.Pow(growth, float64(n)))))
	}
	if int(math.Pow(growth, float64(steps))) == ranks && at+steps <= last {
		return known[at+steps], nil
	}
	runs := legal[0] + " rank"
	if n := len(legal) - 1; n > 0 {
		runs = strings.Join(legal[:n], ", ") + " or " + legal[n] + " ranks"
	}
	return 0, fmt.Errorf("--weak from class %v runs on %s, because each class is about %d times the one before and %v is the last, not on %d",
		class, runs, growth, known[last], ranks)
}
