package all

import (
	"math"
	"strings"
	"testing"
	"time"

	"gobench/importer"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

// The importer of NPB's logs reads the official output of every kernel, and finds its name, class,
// ranks, time and rate.
func TestOfficialOutputCanBeImported(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	for _, k := range Kernels() {
		ranks := 1
		for k.Legal(npb.S, ranks) != nil {
			ranks++
		}
		t.Chdir(t.TempDir()) // for BT-IO
		var text string
		kerneltest.Run(t, kerneltest.Shared, ranks, 1, func(r *application.Rank) error {
			instance, err := k.Program(npb.S, true, nil).New(r)
			if err != nil {
				return err
			}
			o, err := instance.Run()
			if r.Comm.Rank() == 0 {
				text = o.Text
			}
			return err
		})
		launches, err := importer.Import(k.Name+".log", []byte(text), importer.Given{Time: time.Unix(1e9, 0)})
		points := importer.Join(launches).Points
		if err != nil || len(points) != 1 {
			t.Errorf("%s: %d points (%v) of\n%s", k.Name, len(points), err, text)
			continue
		}
		name, _, _ := strings.Cut(k.Name, "-io") // which the official program calls BT
		p := points[0]
		if p.Bench != name || p.Class != "S" || p.Ranks != ranks || launches[0].Run.Job.Ranks != ranks || p.Metrics.Median("mops") <= 0 {
			t.Errorf("%s on %d ranks is read as %s, class %s, %d ranks, %v Mop/s of\n%s", k.Name, ranks, p.Bench, p.Class, p.Ranks, p.Metrics.Median("mops"), text)
		}
		if strings.Contains(text, "%!") {
			t.Errorf("%s: a wrong format in\n%s", k.Name, text)
		}
	}
}

// Millions of operations of class A, from the formulas of the official programs (the last lines of
// bt.f90, sp.f90 and lu.f90 before the results are printed), computed by another program.
func TestOperationsOfClassA(t *testing.T) {
	for name, want := range map[string]float64{"bt": 168284.46336, "bt-io": 168284.46336, "sp": 85009.9669184, "lu": 119296.75942} {
		k, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Problem(npb.A).Operations; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// Lines before the first step, as the programs of NPB 3.4 (BT, SP, LU) print them on four ranks.
func TestHeadersAreOfficial(t *testing.T) {
	for name, want := range map[string]string{
		"bt": " No input file inputbt.data. Using compiled defaults\n Size:   12x  12x  12  (class S)\n Iterations:   60    dt:   0.0100000\n Total number of processes:     4\n\n",
		"sp": " No input file inputsp.data. Using compiled defaults\n Size:   12x  12x  12  (class S)\n Iterations:  100    dt:   0.0150000\n Total number of processes:     4\n\n",
		"lu": " Size:   12x  12x  12  (class S)\n Iterations:   50\n Total number of processes:     4\n\n",
	} {
		k, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		var s strings.Builder
		b := npb.Block{Kernel: k, Class: npb.S, Ranks: 4, Threads: 1}
		if _, err := b.WriteTo(&s); err != nil || !strings.Contains(s.String(), " Benchmark\n\n"+want) {
			t.Errorf("%s: %v, want\n%s in\n%s", name, err, want, s.String())
		}
	}
}

// Every kernel produces the official results of class S. Steps run it for other processors and with
// other instructions, in one program instead of one for each kernel; otherwise TestClassS of each
// package does it.
func TestClassSOfEveryKernel(t *testing.T) {
	for _, k := range Kernels() {
		t.Run(k.Name, func(t *testing.T) {
			t.Chdir(t.TempDir()) // for BT-IO
			kerneltest.Briefly(t, k)
		})
	}
}
