package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gobench/internal/bench/state"
	"gobench/internal/launch/host"
)

// The scale of the cores of this machine (package state) is stored, because a launch on far or
// slowed cores cannot detect that there are better ones. The file is in the cache directory of the
// user, which hosts may share, with an entry for each host, processor and clock rate. Only values
// with which a second measurement agrees are stored. ForgetScale removes the entry of this host.

// maxScales bounds the entries of the file, because every container has a host name of its own.
const maxScales = 256

// A storedScale is an entry of the file.
type storedScale struct {
	state.Scale
	Time time.Time `json:"time"` // of the last improvement
}

// knownScale returns the best scale that any command on this machine has measured.
func knownScale() state.Scale { return scalesFile().read()[processor()].Possible() }

// learnScale stores a scale if it is better than the known one. A file that cannot be written is
// not an error, because the next command measures the scale again.
func learnScale(seen state.Scale) {
	f := scalesFile()
	all := f.read()
	known := all[processor()].Possible()
	best := state.Best(known, seen.Confirmed())
	if f == "" || best == known {
		return
	}
	if all == nil {
		all = map[string]storedScale{}
	}
	all[processor()] = storedScale{best, time.Now().UTC().Truncate(time.Second)}
	for len(all) > maxScales {
		byAge := func(a, b string) int { return all[a].Time.Compare(all[b].Time) }
		delete(all, slices.MinFunc(slices.Collect(maps.Keys(all)), byAge))
	}
	f.write(all)
}

// ForgetScale removes what earlier commands measured of the cores of this host, so that the next
// command begins anew. It returns what was known, "" if nothing was.
func ForgetScale() (known string, err error) {
	f := scalesFile()
	all := f.read()
	s, ok := all[processor()]
	if !ok {
		return "", nil
	}
	delete(all, processor())
	if err := f.write(all); err != nil {
		return "", fmt.Errorf("cannot forget the state of the cores: %w", err)
	}
	known = fmt.Sprintf("core-to-core latency %.0f ns, loop %.3f us", s.Distance*1e9, s.Loop*1e6)
	if !s.Time.IsZero() {
		known += ", of " + s.Time.Format(time.DateOnly)
	}
	return known, nil
}

// scalesPath is the path of the file, "" if there is no directory for it.
type scalesPath string

func scalesFile() scalesPath {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return scalesPath(filepath.Join(dir, "gobench", "cores.json"))
}

func (f scalesPath) read() map[string]storedScale {
	b, err := os.ReadFile(string(f))
	if err != nil {
		return nil
	}
	var known map[string]storedScale
	if json.Unmarshal(b, &known) != nil {
		return nil
	}
	return known
}

func (f scalesPath) write(all map[string]storedScale) error {
	b, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(string(f)), 0o777)
	}
	if err != nil {
		return err
	}
	temporary := fmt.Sprintf("%s.%d", f, os.Getpid())
	if err := os.WriteFile(temporary, append(b, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(temporary, string(f))
}

// processor returns the key of a scale: the host, its processor and clock rate, the hypervisor, and
// the compiler, whose code for the loop in package pace may differ.
func processor() string {
	facts := host.Collect()
	key := []string{facts.Hostname, facts.CPU.Model, facts.Hypervisor, runtime.Version()}
	for _, rate := range []*int64{facts.CPU.MaxHz, facts.CPU.TSCHz} {
		if rate != nil {
			key = append(key, fmt.Sprintf("%d MHz", *rate/1e6))
		}
	}
	return strings.Join(key, ", ")
}
