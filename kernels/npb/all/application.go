package all

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"gobench/bench"
	"gobench/internal/remedy"
	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/btio"
	"gobench/kernels/npb/is"
	"gobench/record"
)

// every stands for all kernels.
const every = "all"

func init() {
	a := application.Application{
		Name:  "npb",
		Short: "NAS Parallel Benchmarks: bt, cg, dt, ep, ft, is, lu, mg, sp, multi-zone codes",
		Example: `  gobench npb cg                                class A over shared memory, a rank on each of up to 4 cores
  gobench npb ep is --class=B -n 1,2,4          strong scaling: speedup and efficiency
  gobench npb cg --class=A/8 -n 1,2,4 --weak    A/8, A/4, A/2: efficiency against as many serial copies
  gobench npb bt-mz -n 1,2,4 --threads=4        ranks with threads on zones of unequal sizes
  gobench npb cg --transport=tcp --threads=2 -n 2
  gobench npb all --class=S --official          with the official output of NPB
  gobench npb cg --class=D --dry-run            the memory that it needs`,
		Long: "Kernels of NPB 3.4, and of NPB 3.3.1-MZ, with their problems, timing rules and tolerances. A run that is not verified has no result and ends with exit code 3. " +
			"Speedup and efficiency refer to the last run on one rank in the file of records.",
		New:      func() application.Options { return defaults() },
		Argument: "kernel",
		Check: func(arguments []string) error {
			_, err := kernelsOf(arguments)
			return err
		},
	}
	for _, k := range Kernels() {
		a.Values = append(a.Values, k.Name)
	}
	application.Register(a)
}

// defaults returns the flags with their default values.
func defaults() *flags { return &flags{class: "A", io: btio.Default(), buffer: "16MiB", order: "auto"} }

// flags are the flags of gobench npb.
type flags struct {
	class    string
	weak     bool
	official bool
	io       btio.Options
	buffer   string // its Buffer
	order    string // of the keys of IS
}

// Flags implements application.Options.
func (f *flags) Flags(set *pflag.FlagSet) {
	set.StringVar(&f.class, "class", f.class, "`CLASS` size of the problem: S, W, A, B, C, D or E; 2A, C/8: a multiple or fraction of its work")
	set.BoolVar(&f.weak, "weak", false, "weak scaling: the work of CLASS for each core (ranks x threads), and with one thread as many independent serial copies to compare with")
	set.BoolVar(&f.official, "official", false, "print the official output of NPB, too")
	set.StringVar(&f.io.Subtype, "io", f.io.Subtype, "`SUBTYPE` I/O method of bt-io: "+strings.Join(btio.Subtypes(), ", "))
	set.StringVar(&f.io.Path, "io-path", f.io.Path, "`DIRECTORY` directory for the files of bt-io, which are removed after each run")
	set.BoolVar(&f.io.Direct, "io-direct", false, "bt-io bypasses the page cache (O_DIRECT)")
	set.BoolVar(&f.io.Sync, "io-sync", false, "bt-io includes fsync in its time")
	set.StringVar(&f.buffer, "io-buffer", f.buffer, "`SIZE` bytes per write of a bt-io aggregator: 64K, 1MiB")
	set.StringVar(&f.order, "is-order", f.order, "`ORDER` of the keys of is before they are counted: none, which one rank of one thread has alone, rank, as several ranks have it, group; auto = the fastest of them. With rank on one rank too, speedup compares one algorithm")
	set.IntVar(&f.io.Aggregators, "io-aggregators", 0, "`N` number of bt-io ranks that write; 0 = one per host")
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
	usual := defaults()
	if (f.io != usual.io || f.buffer != usual.buffer) && !slices.ContainsFunc(kernels, func(k *npb.Kernel) bool { return k.Name == btio.Name }) {
		return nil, remedy.Errorf("%v and the flags that begin so are for %s: leave them out", remedy.Named("io"), btio.Name)
	}
	order, known := is.Orders()[f.order]
	switch {
	case !known:
		return nil, remedy.Errorf("%v is %q, want auto, none, rank or group", remedy.Named("is-order"), f.order)
	case order != is.Auto && !slices.ContainsFunc(kernels, func(k *npb.Kernel) bool { return k.Name == is.Name }):
		return nil, remedy.Errorf("%v is for is: leave it out", remedy.Named("is-order"))
	}
	grown := class
	if f.weak {
		grown = class.Times(r.Ranks*max(1, r.Threads), 1)
	}
	if f.official && !grown.Official() {
		return nil, remedy.Errorf("%v: class %s is no official one", remedy.Named("official"), grown)
	}
	var jobs []application.Job
	var out []string
	for _, k := range kernels {
		err := runs(k, grown, r.Ranks)
		if err == nil && f.weak {
			err = runs(k, class, 1)
		}
		if err == nil && k.Name == btio.Name {
			err = f.checkIO(grown, r.Ranks)
			k = btio.Kernel(f.io)
		}
		if err == nil && k.Name == is.Name {
			_, err = order.Of(grown, r.Ranks, r.Threads)
			k = is.Kernel(order)
		}
		if err != nil {
			if !everyKernel(r.Arguments) {
				return nil, err
			}
			out = append(out, err.Error())
			continue
		}
		j := f.job(k, grown, r.Ranks, f.official, r.Build)
		if f.weak {
			j.Serial = string(class)
			if r.Threads <= 1 { // else other runs on as many cores have the copies
				copies := f.job(k, class, 1, false, r.Build)
				copies.Copies = true
				jobs = append(jobs, copies)
			}
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
		return remedy.Errorf("%v is %q, want one size: 64K, 1MiB", remedy.Named("io-buffer"), f.buffer)
	}
	if f.weak {
		return remedy.Errorf("bt-io has no %v: its copies would write the same file", remedy.Named("weak"))
	}
	f.io.Buffer = int64(sizes[0])
	return f.io.Check(class, ranks)
}

// runs returns an error unless a kernel has the class and can run on ranks.
func runs(k *npb.Kernel, class npb.Class, ranks int) error {
	if classes := k.Classes(); !slices.Contains(classes, class.Letter()) {
		return &npb.FactorError{Kernel: k.Name, Class: class.Letter(), Why: fmt.Sprintf("its largest is %v", classes[len(classes)-1])}
	}
	return k.Legal(class, ranks)
}

func (f *flags) job(k *npb.Kernel, class npb.Class, ranks int, official bool, build [][2]string) application.Job {
	return application.Job{
		Program: k.Program(class, official, build),
		Factors: func(p *record.Point) {
			p.Class = string(class)
			if k.Name == btio.Name {
				p.IO = f.io.String()
			}
			if k.Name == is.Name {
				order, _ := is.Orders()[f.order].Of(class, ranks, p.Threads) // Jobs has checked it
				p.Algorithm = string(order)
			}
		},
		Label: "class " + string(class),
	}
}

// everyKernel reports whether the names ask for all kernels.
func everyKernel(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, every) })
}

// kernelsOf returns the kernels with the given names, all of which must exist, also next to "all".
func kernelsOf(names []string) ([]*npb.Kernel, error) {
	if len(names) == 0 {
		return nil, errors.New("npb needs a kernel, or all: gobench npb cg")
	}
	var list []*npb.Kernel
	for _, name := range names {
		if strings.EqualFold(name, every) {
			continue
		}
		k, err := Lookup(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(other *npb.Kernel) bool { return other.Name == k.Name }) {
			list = append(list, k)
		}
	}
	if everyKernel(names) {
		return Kernels(), nil
	}
	return list, nil
}
