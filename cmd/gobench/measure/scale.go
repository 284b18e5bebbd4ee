package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"gobench/bench/state"
	"gobench/launch/host"
)

// The scale of the cores of this machine (package state) is stored, because a launch on far or
// slowed cores cannot detect that there are better ones. The file is in the cache folder of the
// user, with an entry for each type of processor. Commands on other hosts do not use it.

// knownScale returns the best scale that any command on this machine has measured.
func knownScale() state.Scale { return scalesFile().read()[processor()] }

// learnScale stores a scale if it is better than the known one. A file that cannot be written is
// not an error, because the next command measures the scale again.
func learnScale(seen state.Scale) {
	f := scalesFile()
	all := f.read()
	known := all[processor()]
	known.Join(seen)
	if f == "" || known == all[processor()] {
		return
	}
	if all == nil {
		all = map[string]state.Scale{}
	}
	all[processor()] = known
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil || os.MkdirAll(filepath.Dir(string(f)), 0o777) != nil {
		return
	}
	temporary := fmt.Sprintf("%s.%d", f, os.Getpid())
	if os.WriteFile(temporary, append(b, '\n'), 0o666) == nil {
		os.Rename(temporary, string(f))
	}
}

// scalesPath is the path of the file, "" if there is no folder for it.
type scalesPath string

func scalesFile() scalesPath {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return scalesPath(filepath.Join(folder, "gobench", "cores.json"))
}

func (f scalesPath) read() map[string]state.Scale {
	b, err := os.ReadFile(string(f))
	if err != nil {
		return nil
	}
	var known map[string]state.Scale
	if json.Unmarshal(b, &known) != nil {
		return nil
	}
	return known
}

// processor returns the key of a scale: the processor, the hypervisor and the compiler, whose code
// for the loop in package pace may differ.
func processor() string {
	facts := host.Collect()
	return strings.Join([]string{facts.CPU.Model, facts.Hypervisor, runtime.Version()}, ", ")
}
