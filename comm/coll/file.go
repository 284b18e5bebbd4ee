package coll

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"gobench/comm/schedule"
	"gobench/device/profile"
	"gobench/nearest"
)

// fileVersion is the version of the file's layout and of the meaning of its values.
const fileVersion = 1

// largestFile bounds the size of a tuning file in bytes, far above that of any real one.
const largestFile = 1 << 20

// file is a Table as TOML.
type file struct {
	Version int        `toml:"version"`
	Made    Provenance `toml:"made"`
	Rules   []fileRule `toml:"rule"`

	Settings []Setting        `toml:"setting,omitempty"`
	Choices  []profile.Choice `toml:"choice,omitempty"`
}

type fileRule struct {
	Operation string `toml:"operation"`
	Transport string `toml:"transport,omitempty"`
	Ranks     int    `toml:"ranks,omitzero"`
	Bytes     int    `toml:"bytes,omitzero"`
	Algorithm string `toml:"algorithm"`
}

const fileComment = `# Which algorithm does a collective operation: the first rule counts that applies
# and whose algorithm can do the operation; after the last one, gobench's defaults hold.
# "gobench tune" writes this file, and it may be edited. The profile of a machine is a file of the
# same form.
#
#   operation   barrier, bcast, scatter, ... ("gobench explain" names all); for unequal blocks alone
#               scatterv, gatherv, allgatherv, and without a size alltoallv, neighbor_allgatherv,
#               neighbor_alltoallv
#   transport   leave it out for any
#   ranks       most ranks of the communicator, leave it out for any
#   bytes       largest size, of one block where an operation has blocks; leave it out for any
#   algorithm   NAME or NAME:NUMBER
#
# A [[setting]] is the value of an option of a transport ("gobench probe" lists them) where the
# command gives none. A [[choice]] is what was fastest on this machine of the implementations of a routine.
#
# The file is ignored, with a warning, where [made] does not fit the machine; one
# without [made] fits everywhere.

`

// An IgnoredError reports that a tuning file is ignored, and why.
type IgnoredError struct {
	Path string
	Err  error
}

func (e *IgnoredError) Error() string {
	return fmt.Sprintf("tuning file %s is ignored: %v", e.Path, e.Err)
}
func (e *IgnoredError) Unwrap() error { return e.Err }

// A RuleError reports a rule of a tuning file that is invalid.
type RuleError struct {
	Number int // 1 is the first
	Err    error
}

func (e *RuleError) Error() string { return fmt.Sprintf("rule %d: %v", e.Number, e.Err) }
func (e *RuleError) Unwrap() error { return e.Err }

// Load reads a table that was measured on this machine. If the file cannot be used, Load returns
// the default table together with an *IgnoredError, which callers print as a warning. The
// *IgnoredError wraps fs.ErrNotExist, a *StaleError, a *RuleError or a *device.UnknownError.
func Load(path string, here Machine) (*Table, error) {
	t, err := load(path, here)
	if err != nil {
		return Defaults(), &IgnoredError{path, err}
	}
	return t, nil
}

func load(path string, here Machine) (*Table, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() || info.Size() > largestFile {
		return nil, errors.New("it is no file of rules")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, bare(err)
	}
	return parse(data, path, here)
}

// bare removes the path from an error, because an *IgnoredError contains it.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// parse reads a table that was measured on this machine.
func parse(data []byte, path string, here Machine) (*Table, error) {
	return decode(data, path, func(made *Provenance) error { return made.fits(here) })
}

// Decode reads a table without comparing the machine: one that another process has checked. Its
// errors are those that an *IgnoredError wraps.
func Decode(data []byte, origin string) (*Table, error) {
	return decode(data, origin, func(*Provenance) error { return nil })
}

func decode(data []byte, origin string, check func(*Provenance) error) (*Table, error) {
	var f file
	meta, err := toml.Decode(string(data), &f)
	if err != nil {
		return nil, err
	}
	if f.Version != fileVersion { // first, because another version may use other names
		return nil, &StaleError{"version", fmt.Sprint(f.Version), fmt.Sprint(fileVersion)}
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, &nearest.UnknownError{What: "key", Name: unknown[0].String(), Known: fileKeys}
	}
	if err := check(&f.Made); err != nil {
		return nil, err
	}
	t := &Table{Origin: origin, Made: f.Made, Settings: f.Settings, Choices: f.Choices}
	for i, r := range f.Rules {
		rule, err := r.rule()
		if err != nil {
			return nil, &RuleError{i + 1, err}
		}
		t.Rules = append(t.Rules, rule)
	}
	return t, nil
}

var fileKeys = []string{"version", "made.date", "made.gobench", "made.machine", "made.host", "made.cpu", "made.cores", "made.options",
	"rule.operation", "rule.transport", "rule.ranks", "rule.bytes", "rule.algorithm",
	"setting.transport", "setting.option", "setting.value", "choice.routine", "choice.pick", "choice.spread"}

func (r fileRule) rule() (Rule, error) {
	stem, uneven := strings.CutSuffix(r.Operation, "v")
	kind, ok := schedule.ParseKind(stem)
	if !ok || uneven && !hasVector(kind) {
		return Rule{}, &nearest.UnknownError{What: "operation", Name: r.Operation, Known: operations()}
	}
	if r.Ranks < 0 || r.Bytes < 0 {
		return Rule{}, fmt.Errorf("ranks is %d and bytes %d, want 0 or more", r.Ranks, r.Bytes)
	}
	choice, err := ParseChoice(kind, r.Algorithm)
	return Rule{r.Transport, kind, uneven, r.Ranks, r.Bytes, choice}, err
}

// hasVector reports whether an operation has a name of its own for unequal blocks.
func hasVector(kind schedule.Kind) bool {
	return kind.Neighbors() || kind.Blocked() && !kind.Reduces()
}

// operations returns the names of operations in rules, vector forms first, so that "alltoalv" is
// answered with one.
func operations() (names []string) {
	for kind := range schedule.Kind(schedule.Kinds) {
		if hasVector(kind) {
			names = append(names, Rule{Kind: kind, Uneven: true}.operation())
		}
	}
	return append(names, schedule.KindNames()...)
}

// Encode returns the table in the format of a file.
func (t *Table) Encode() ([]byte, error) {
	f := file{Version: fileVersion, Made: t.Made, Settings: t.Settings, Choices: t.Choices}
	f.Made.Date = f.Made.Date.UTC().Truncate(time.Second)
	for _, r := range t.Rules {
		f.Rules = append(f.Rules, fileRule{r.operation(), r.Transport, r.Ranks, r.Bytes, r.Choice.String()})
	}
	var b bytes.Buffer
	b.WriteString(fileComment)
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(f)
	return b.Bytes(), err
}

// Save writes the table to a temporary file and renames it to path.
func (t *Table) Save(path string) error {
	data, err := t.Encode()
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// Provenance records when and where a tuning file was measured.
type Provenance struct {
	Date    time.Time `toml:"date"`
	Gobench string    `toml:"gobench"` // version, for people
	Machine
}

// A Machine describes the host and the transport options for which a tuning file was measured. The
// caller fills it in from package internal/launch/host.
type Machine struct {
	// Fingerprint is all that the choices of a profile depend on; "" of a table, which the other
	// fields describe.
	Fingerprint string `toml:"machine,omitempty"`

	Host  string `toml:"host,omitempty"`
	CPU   string `toml:"cpu,omitempty"` // model
	Cores int    `toml:"cores,omitzero"`
	// Options holds the options that were set for a transport, by its name. Defaults
	// are left out, because they may depend on the number of ranks.
	Options map[string]map[string]string `toml:"options,omitempty"`
}

// A StaleError reports a tuning file that was made for another machine, other options or another
// version of gobench.
type StaleError struct {
	What     string // "cpu"
	Was, Now string
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("it was made for %s %q, and here it is %q: run gobench tune", e.What, e.Was, e.Now)
}

// fits returns a *StaleError if the measurements do not apply to this machine. A transport without
// options in the file was measured with defaults. Properties that the file does not name are not
// compared, so that a file written by hand applies everywhere.
func (m *Provenance) fits(here Machine) error {
	switch {
	case m.Fingerprint != "" && here.Fingerprint != "" && m.Fingerprint != here.Fingerprint:
		return &StaleError{"machine", m.Fingerprint, here.Fingerprint}
	case m.Host != "" && m.Host != here.Host:
		return &StaleError{"host", m.Host, here.Host}
	case m.CPU != "" && m.CPU != here.CPU:
		return &StaleError{"cpu", m.CPU, here.CPU}
	case m.Cores != 0 && m.Cores != here.Cores:
		return &StaleError{"cores", fmt.Sprint(m.Cores), fmt.Sprint(here.Cores)}
	}
	if m.Host == "" {
		return nil
	}
	for _, transport := range slices.Sorted(maps.Keys(here.Options)) {
		was, now := m.Options[transport], here.Options[transport]
		if !maps.Equal(was, now) {
			return &StaleError{"options of " + transport, words(was), words(now)}
		}
	}
	return nil
}

// words writes options as --set does.
func words(options map[string]string) string {
	s := ""
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if s != "" {
			s += ","
		}
		s += name + "=" + options[name]
	}
	return s
}
