package npb

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestFortranNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{FormatE(8.597177507865, 20, 13), " 0.8597177507865E+01"},
		{FormatE(-0.001234, 12, 4), " -0.1234E-02"},
		{FormatE(0, 12, 4), "  0.0000E+00"},
		{FormatE(math.NaN(), 6, 2), "   NaN"},
		{FormatPD(554.6087004964, 22, 12), "    5.546087004964D+02"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, name := range []string{"A", "a"} {
		if c, err := ParseClass(name); c != A || err != nil {
			t.Errorf("ParseClass(%q) is %v, %v", name, c, err)
		}
	}
	for _, name := range []string{"", "F", "AA"} {
		if _, err := ParseClass(name); err == nil || !strings.Contains(err.Error(), "S, W, A, B, C, D, E") {
			t.Errorf("ParseClass(%q): %v, want an error that lists the classes", name, err)
		}
	}
}

func TestPowersOfTwoAreNamed(t *testing.T) {
	for _, c := range []struct {
		ranks int
		want  string // end of the error, "" = legal
	}{
		{1, ""}, {64, ""}, {128, ""},
		{0, "use np=1"}, {3, "use np=2 or np=4"}, {100, "use np=64 or np=128"}, {256, "use np=128"}, {-4, "use np=1"},
	} {
		err := PowerOfTwo("is", S, c.ranks, 1, 128)
		var e *RanksError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%d ranks: %v", c.ranks, err)
		case c.want != "" && (!errors.As(err, &e) || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%d ranks: %v, want an error that ends with %q", c.ranks, err, c.want)
		}
	}
}

func TestNaNIsNeverVerified(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), 1.1} {
		if Relative("zeta", v, 1, 1e-8).Right() {
			t.Errorf("%v is right", v)
		}
	}
	if (Result{}).Verified() {
		t.Error("a result without checks is verified")
	}
}

// block formats the block of a result.
func block(t *testing.T, o Outcome) string {
	t.Helper()
	k := &Kernel{Name: "cg", Problem: func(Class) Problem {
		return Problem{Size: "1400", Header: " Size:       1400  (class S)\n Number of processes: %5d\n", Iterations: 15, Operations: 66, Kind: "floating point"}
	}}
	var s strings.Builder
	b := Block{Kernel: k, Class: S, Ranks: 4, Threads: 1, Outcome: o, Build: [][2]string{{"Program", "gobench"}}}
	if _, err := b.WriteTo(&s); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

func TestBlock(t *testing.T) {
	good := block(t, Outcome{Seconds: 0.5, Verified: true, Mops: 132})
	for _, line := range []string{
		" CG Benchmark Completed.",
		" Class           =                        S",
		" Size            =                     1400",
		" Time in seconds =                     0.50",
		" Mop/s total     =                   132.00",
		" Mop/s/process   =                    33.00",
		" Verification    =               SUCCESSFUL",
	} {
		if !strings.Contains(good, line+"\n") {
			t.Errorf("there is no line %q in\n%s", line, good)
		}
	}
	bad := block(t, Outcome{Seconds: 0.5})
	if strings.Contains(bad, "Mop/s") || !strings.Contains(bad, " Verification    =             UNSUCCESSFUL\n") {
		t.Errorf("a wrong run has a rate, or is not called so:\n%s", bad)
	}
}

// Classes are in the order of their sizes, up to the last of the kernel.
func TestClassesOfAKernel(t *testing.T) {
	for last, want := range map[Class]string{"": "SWABCD", E: "SWABCDE", B: "SWAB"} {
		k := Kernel{Last: last}
		got := ""
		for _, c := range k.Classes() {
			got += string(c)
		}
		if got != want {
			t.Errorf("last class %v: classes %s, want %s", last, got, want)
		}
	}
}
