package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"gobench/launch/host"
)

// What is possible between two cores of this machine is remembered, because a launch that sees far
// cores alone cannot know that nearer ones exist. The file stands beside the tables of gobench
// tune; a machine of another processor has an entry of its own.

// knownDistance is the least distance that any run on this machine has seen, in seconds; 0 = none.
func knownDistance() float64 { return distancesFile().read()[processor()] }

// learnDistance remembers a distance that is less than what is known. A file that cannot be
// written is no error: the next run learns it anew.
func learnDistance(least float64) {
	f := distancesFile()
	known := f.read()
	if f == "" || least <= 0 || known[processor()] > 0 && known[processor()] <= least {
		return
	}
	if known == nil {
		known = map[string]float64{}
	}
	known[processor()] = least
	b, err := json.MarshalIndent(known, "", "  ")
	if err != nil || os.MkdirAll(filepath.Dir(string(f)), 0o777) != nil {
		return
	}
	temporary := fmt.Sprintf("%s.%d", f, os.Getpid())
	if os.WriteFile(temporary, append(b, '\n'), 0o666) == nil {
		os.Rename(temporary, string(f))
	}
}

// distancesPath is that of the file, "" where there is no folder for it.
type distancesPath string

func distancesFile() distancesPath {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return distancesPath(filepath.Join(folder, "gobench", "distances.json"))
}

func (f distancesPath) read() map[string]float64 {
	b, err := os.ReadFile(string(f))
	if err != nil {
		return nil
	}
	var known map[string]float64
	if json.Unmarshal(b, &known) != nil {
		return nil
	}
	return known
}

// processor tells machines apart whose cores are at other distances.
func processor() string {
	facts := host.Collect()
	return facts.CPU.Model + " " + facts.Hypervisor
}
