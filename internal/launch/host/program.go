package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"gobench/internal/simd"
)

// Version returns the version of this program for people.
func Version() string {
	p := ThisProgram()
	return strings.Join(strings.Fields(p.Version+" "+p.Commit+" "+p.Go), " ")
}

// Program is the part of a record that describes this program (rule 21).
type Program struct {
	Version   string `json:"version,omitempty"`
	Commit    string `json:"commit,omitempty"`
	Modified  bool   `json:"modified,omitempty"` // the build has uncommitted changes
	SHA256    string `json:"sha256,omitempty"`   // of the file of the program
	Go        string `json:"go"`
	BuildTags string `json:"build_tags,omitempty"`
	Cgo       string `json:"cgo,omitempty"` // CGO_ENABLED
	GOAMD64   string `json:"goamd64,omitempty"`
	SIMD      string `json:"simd"`                 // vector instructions of reductions
	CollTable string `json:"coll_table,omitempty"` // table that selects the algorithms of collectives
	// OptionsFrom names the source of the values of transports' options, by transport and option:
	// "set" on the command line, or "table". All others are defaults, or found when the transport
	// was opened.
	OptionsFrom map[string]map[string]string `json:"options_from,omitempty"`
	GOMAXPROCS  int                          `json:"gomaxprocs"`
	// as set by the environment; it is off while timing
	GOGC string `json:"gogc,omitempty"`
}

// ProgramDigest returns the SHA-256 sum of the file of this program, "" if it cannot be read. It
// takes tens of milliseconds, so a command computes it once for all of its launches.
func ProgramDigest() string {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// commit is the output of git describe --dirty. The linker sets it if make built the program;
// otherwise the go command has recorded the commit. version is the tag of a release, which the
// linker sets; otherwise the go command has recorded the version of the module.
var commit, version string

// ThisProgram returns the facts of the running program, except SHA256, CollTable and OptionsFrom.
func ThisProgram() Program {
	p := Program{Go: runtime.Version(), SIMD: simd.Level(), GOMAXPROCS: runtime.GOMAXPROCS(0), GOGC: os.Getenv("GOGC")}
	p.Commit, p.Modified = strings.CutSuffix(commit, "-dirty")
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	p.Version = cmp.Or(version, info.Main.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			if commit == "" {
				p.Commit = s.Value
			}
		case "vcs.modified":
			p.Modified = p.Modified || s.Value == "true"
		case "-tags":
			p.BuildTags = s.Value
		case "CGO_ENABLED":
			p.Cgo = s.Value
		case "GOAMD64":
			p.GOAMD64 = s.Value
		}
	}
	return p
}
