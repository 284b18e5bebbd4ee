package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/bench"
)

// collectiveOf returns options of collective operations.
func collectiveOf(change func(*Collective)) *Collective {
	a := NewCollective()
	a.Transports, a.Sizes, a.Ranks = "wheel", "8", 4
	change(a)
	return a
}

func TestMistakesOfCollectives(t *testing.T) {
	for want, change := range map[string]func(*Collective){
		"groups is -1":             func(a *Collective) { a.Groups = -1 },
		"groups is 5, want 1 to 4": func(a *Collective) { a.Groups = 5 },
		"4 ranks cannot be divided into 3 groups of equal size": func(a *Collective) { a.Groups = 3 },
		"polls is -1":                                             func(a *Collective) { a.Polls = -1 },
		`unknown way to compare clocks "hca"`:                     func(a *Collective) { a.Sync = "hca" },
		"the root is rank 2, there are ranks 0 to 1":              func(a *Collective) { a.Operations, a.Root, a.Groups = "bcast", "2", 2 },
		`unknown element type "float46": did you mean "float64"?`: func(a *Collective) { a.Datatypes = "float46" },
		`unknown operator "maximum"`:                              func(a *Collective) { a.Reductions = "sum,maximum" },
		"no operator of ":                                         func(a *Collective) { a.Datatypes, a.Reductions = "float64", "band" },
		"bcast has no element type":                               func(a *Collective) { a.Operations, a.Datatypes = "bcast", "all" },
	} {
		if _, err := check(collectiveOf(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// Of all operations those without the algorithm are left out with a remark; one that is named is a
// mistake.
func TestOperationsWithoutTheAlgorithm(t *testing.T) {
	r, err := check(collectiveOf(func(a *Collective) { a.Operations, a.Algorithms = "all", "pairwise" }))
	if err != nil {
		t.Fatal(err)
	}
	const left = "bcast is left out: none of algo=pairwise is an algorithm of it"
	if len(r.Plan.Cases) == 0 || !slices.Contains(r.Remarks, left) {
		t.Errorf("%d cases, remarks %q, want one that %s", len(r.Plan.Cases), r.Remarks, left)
	}
	_, err = check(collectiveOf(func(a *Collective) { a.Operations, a.Algorithms = "alltoall,bcast", "pairwise" }))
	if err == nil || !strings.Contains(err.Error(), "none of algo=pairwise is an algorithm of bcast") {
		t.Errorf("an operation that is named, without the algorithm: %v", err)
	}
}

func TestConditionsOfCollectives(t *testing.T) {
	r, err := check(collectiveOf(func(a *Collective) { a.Groups, a.Sync, a.Overlap, a.Polls = 2, "hca3", true, 4 }))
	if err != nil {
		t.Fatal(err)
	}
	c := r.Plan.Cases[0]
	if r.Plan.Sync != bench.SyncHCA3 || c.Groups != 2 || !c.Bench.Overlap || c.Polls != 4 || c.Bench.Name != "iallreduce" {
		t.Errorf("sync %q, %d groups of %s", r.Plan.Sync, c.Groups, c.Bench.Name)
	}
}

// Types and operators are crossed; what does not exist is left out, and operations that do not
// reduce are measured once.
func TestReductionsOfCollectives(t *testing.T) {
	r, err := check(collectiveOf(func(a *Collective) {
		a.Operations, a.Datatypes, a.Reductions = "bcast,allreduce", "float64,int8", "max,band"
	}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Plan.Cases {
		got = append(got, c.Bench.Name+" "+c.Bench.Collective.Reduction+" "+c.Bench.Collective.Datatype)
	}
	want := "bcast  , allreduce max int8, allreduce max float64, allreduce band int8"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A matrix has a row for each rank of a group, and its name is a factor of the cells.
func TestMatrixOfGroups(t *testing.T) {
	file := filepath.Join(t.TempDir(), "traffic")
	if err := os.WriteFile(file, []byte("0 1\n2 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	uneven := func(groups int) (*measurement, error) {
		return check(collectiveOf(func(a *Collective) {
			a.Operations, a.Algorithms, a.Distribution, a.Groups = "alltoallv", "all", "matrix:"+file, groups
		}))
	}
	if _, err := uneven(0); err == nil || !strings.Contains(err.Error(), "has 2 rows, and 4 ranks take part") {
		t.Errorf("4 ranks: %v", err)
	}
	r, err := uneven(2)
	if err != nil {
		t.Fatal(err)
	}
	if name := r.Plan.Cases[0].Bench.Collective.Distribution; !strings.HasPrefix(name, "matrix:traffic:") {
		t.Errorf("the distribution is %q", name)
	}
}
