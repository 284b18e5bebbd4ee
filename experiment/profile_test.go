package experiment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gobench/comm/op"
	"gobench/device/profile"
	"gobench/internal/experiment/tune"
	"gobench/internal/launch/host"
	"gobench/internal/simd"
)

// A table of the user does not change what tests measure.
func init() { os.Setenv(tune.Variable, tune.None) }

// Ranks get the profile of the command, also on other hosts of its kind.
func TestRanksGetTheProfileOfTheCommand(t *testing.T) {
	planted := &profile.Profile{Choices: []profile.Choice{{Routine: "smem near copy", Pick: "go"}}}
	b, err := json.Marshal(round{Profile: planted})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(seriesVariable, string(b))
	n, launched, err := roundOfEnv()
	if err != nil || !launched {
		t.Fatal(launched, err)
	}
	for _, several := range []bool{false, true} {
		for _, machine := range []string{"", tune.Fingerprint(n.Digest)} {
			n.Profile.Machine = machine
			if p, err := n.profileHere(t.Context(), several); err != nil || p.Hash() != planted.Hash() {
				t.Errorf("several hosts %v, machine %q: the profile is %+v, %v", several, machine, p, err)
			}
		}
	}
	n.Profile.Machine = "another"
	if p, err := n.profileHere(t.Context(), false); err != nil || p.Hash() != planted.Hash() {
		t.Errorf("on the host of the command: %+v, %v", p, err)
	}
	if p, err := n.profileHere(t.Context(), true); err != nil || p != nil { // here the user wants none
		t.Errorf("on a host of another kind: %+v, %v", p, err)
	}
}

// Without the verb of trials this program would run itself, and its trials would wait for it.
func TestAProgramWithoutTheVerbMakesNoTrials(t *testing.T) {
	table := filepath.Join(t.TempDir(), "table.toml")
	if err := os.WriteFile(table, []byte("version = 1\n[[rule]]\noperation = \"bcast\"\nalgorithm = \"binomial\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, flag := range []string{table, tune.Renew} {
		if p, err := Profile(t.Context(), flag, "digest", t.Output()); err != nil || p != nil {
			t.Errorf("%s: the profile is %+v, %v", flag, p, err)
		}
	}
}

// A profile selects vector loops and what transports read, and the record has it.
func TestAProfileIsInForce(t *testing.T) {
	defer adoptProfile(nil)
	p := &profile.Profile{Choices: []profile.Choice{{Routine: VectorRoutine("solver"), Pick: "none"}, {Routine: "smem near copy", Pick: "go"}}}
	var group sync.WaitGroup
	for range 4 { // ranks that are goroutines; the race detector sees what they share
		group.Go(func() {
			adoptProfile(p)
			_ = op.Sum[float64]().Name
		})
	}
	group.Wait()
	if profile.InForce() != p {
		t.Error("transports get another profile")
	}
	if sets := simd.Sets(); len(sets) > 1 && os.Getenv(simd.Variable) == "" {
		var sum [2]float64
		for i, s := range []*simd.Set{simd.Best(), sets[0]} {
			sum[i] = s.Solver.Dot([]float64{1e16, 1, -1e16, 3, 5, 7, 9, 11, 13}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
		}
		if sum[0] != sum[1] {
			t.Errorf("the sum is %v, of plain Go %v", sum[0], sum[1])
		}
	}
	r := measurement{}
	run, _ := r.run([]hello{{Core: -1, Host: &hostReport{Profile: p}}}, []int{0}, round{}, []int{-1}, "local")
	b, err := json.Marshal(run)
	if err != nil || !strings.Contains(string(b), `"profile":{"hash":"`+p.Hash()+`","choices":{"simd solver":"none","smem near copy":"go"}}`) {
		t.Errorf("the record is %s, %v", b, err)
	}
}

// What a profile picks for vector loops is in force: picking it again changes nothing.
func TestCandidatesOfVectorLoopsAreInForce(t *testing.T) {
	if os.Getenv(simd.Variable) != "" {
		return // it takes precedence
	}
	defer adoptProfile(nil)
	for _, part := range []string{"solver", "tally"} {
		for _, name := range append(simd.Candidates(part), "none") {
			adoptProfile(&profile.Profile{Choices: []profile.Choice{{Routine: VectorRoutine(part), Pick: name}}})
			again := func(p string) string {
				if p == part {
					return name
				}
				return ""
			}
			if simd.Choose(again) {
				t.Errorf("the profile's %s of %s was not in force", name, part)
			}
		}
	}
}

// A trial compares all candidates, whatever instruction set the user forces.
func TestTrialsAreNotForced(t *testing.T) {
	t.Setenv(simd.Variable, "none")
	if env := trialEnv([]byte("{}")); !slices.Contains(env, simd.Variable+"=") || !slices.Contains(env, SettledVariable+"={}") {
		t.Errorf("the trial has %q", env)
	}
}

func TestTrialPairs(t *testing.T) {
	pairs, err := TrialPairs()
	if err != nil {
		t.Fatal(err)
	}
	allowed, _ := host.AllowedCores()
	if (len(pairs) > 0) != (len(allowed) > 1) || len(pairs) > 2 {
		t.Errorf("of cores %v the pairs %v are tried", allowed, pairs)
	}
}

func TestFactsOfProfiles(t *testing.T) {
	p := (&profile.Profile{}).With([]profile.Choice{{Routine: "a", Pick: "z"}})
	if f := factsOf(p); f.Hash != p.Hash() || f.Choices["a"] != "z" || factsOf(nil) != nil {
		t.Errorf("facts are %+v, %+v without choices", f, factsOf(nil))
	}
}
