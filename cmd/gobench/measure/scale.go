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

// What cores of this machine can do is remembered, because a launch that sees far or slowed cores
// alone cannot know that there are others. The file stands in the user's folder of caches; a machine
// of another processor has an entry of its own.

// knownScale is the best that any command on this machine has seen.
func knownScale() state.Scale { return scalesFile().read()[processor()] }

// learnScale remembers what is better than what is known. A file that cannot be written is no
// error: the next command learns it anew.
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

// scalesPath is that of the file, "" where there is no folder for it.
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

// processor tells machines apart whose cores can do other things, and the loop of package pace
// apart that other compilers make.
func processor() string {
	facts := host.Collect()
	return strings.Join([]string{facts.CPU.Model, facts.Hypervisor, runtime.Version()}, ", ")
}
