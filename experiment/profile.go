package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"gobench/comm/op"
	"gobench/device"
	"gobench/device/profile"
	"gobench/internal/experiment/tune"
	"gobench/internal/launch/child"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
	"gobench/internal/simd"
)

// TrialVerb is the hidden verb that measures the choices of a profile, and prints them as JSON.
const TrialVerb = "trial"

// SettledVariable is the environment variable of that verb with what is known, a profile as JSON.
const SettledVariable = "GOBENCH_TRIAL_KNOWN"

// tryAll measures the choices, nil if this program lacks the verb TrialVerb.
var tryAll func(ctx context.Context, known *profile.Profile) ([]profile.Choice, error)

// RegisterTrials states that this program has the verb TrialVerb. Without it no profile is
// measured.
func RegisterTrials() { tryAll = runTrials }

// VectorRoutine returns the name of a part of the vector loops (simd.Choose) in a profile.
func VectorRoutine(part string) string { return "simd " + part }

// adopting keeps ranks that are goroutines from using what another one still puts in force.
var adopting sync.Mutex

// adoptProfile puts a profile in force in this process.
func adoptProfile(p *profile.Profile) {
	adopting.Lock()
	defer adopting.Unlock()
	profile.Use(p)
	if simd.Choose(func(part string) string { return p.Pick(VectorRoutine(part)) }) {
		op.Rebuild()
	}
}

// Profile finds the profile of this machine. flag is the value of --profile, and digest that of the
// program.
func Profile(ctx context.Context, flag, digest string, stderr io.Writer) (*profile.Profile, error) {
	return profiler(digest, stderr).Find(ctx, flag)
}

func profiler(digest string, stderr io.Writer) *tune.Profiler {
	return &tune.Profiler{
		Machine: tune.Fingerprint(digest), Lacks: lacks, Try: tryAll,
		Say: func(line string) { fmt.Fprintf(stderr, "gobench: %s\n", line) },
	}
}

// factsOf describes a profile, nil for one without choices.
func factsOf(p *profile.Profile) *host.Profile {
	if p.Hash() == "" {
		return nil
	}
	f := &host.Profile{Hash: p.Hash(), Choices: map[string]string{}}
	for _, c := range p.Choices {
		f.Choices[c.Routine] = c.Pick
	}
	return f
}

// TrialPairs returns the pairs of cores whose distances are tried: two near ones and two far ones,
// which may be the same.
func TrialPairs() (pairs [][]int, err error) {
	for _, policy := range []string{host.Near, host.Far} {
		cores, err := host.ChooseCores(2, policy)
		if err != nil {
			return nil, err
		}
		slices.Sort(cores)
		if cores[0] != cores[1] && !slices.ContainsFunc(pairs, func(p []int) bool { return slices.Equal(p, cores) }) {
			pairs = append(pairs, cores)
		}
	}
	return pairs, nil
}

// sharedCore is the latency in seconds from which on two threads wait for a core, not for a line.
const sharedCore = 1e-6

// lacks reports whether a profile lacks choices for one of the pairs as they are now.
func lacks(p *profile.Profile) bool {
	pairs, err := TrialPairs()
	if err != nil {
		return false
	}
	for _, cores := range pairs {
		for _, at := range host.CoreLatencies(cores) {
			for _, d := range device.Drivers() {
				if t, ok := d.(device.Trier); ok && at.Distance < sharedCore && !t.Tried(p, at.Distance) {
					return true
				}
			}
		}
	}
	return false
}

// runTrials is tryAll in processes of their own: a rank of another launcher cannot start ranks.
func runTrials(ctx context.Context, known *profile.Profile) ([]profile.Choice, error) {
	var out, messages bytes.Buffer
	settled, err := json.Marshal(known)
	if err != nil {
		return nil, err
	}
	c := child.Child{Args: []string{TrialVerb}, Env: trialEnv(settled), Stdout: &out, Stderr: &messages}
	if err := c.Run(ctx); err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(messages.Bytes()))
	}
	var all []profile.Choice
	for lines := json.NewDecoder(&out); lines.More(); {
		var list []profile.Choice
		if err := lines.Decode(&list); err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// trialEnv returns the environment variables of a trial: it starts its own ranks, and an
// instruction set that the user forces would take the place of all candidates.
func trialEnv(settled []byte) []string {
	return append(detect.NoAllocation(), simd.Variable+"=", SettledVariable+"="+string(settled))
}

// profileHere returns the profile for the ranks of this host, of which this is the lowest. That of
// the command holds on machines of its kind, and a file that names no machine everywhere; on
// another one of several hosts the profile is found there.
func (n round) profileHere(ctx context.Context, several bool) (*profile.Profile, error) {
	if !several || n.Profile == nil || n.Profile.Machine == "" || n.Profile.Machine == tune.Fingerprint(n.Digest) {
		return n.Profile, nil
	}
	p := profiler(n.Digest, os.Stderr)
	p.Again = n.Launch > 1
	return p.Find(ctx, "")
}
