// Package tune loads the table that selects the algorithms of collective operations and the options
// of transports on a machine, and creates such a table from measurements of all algorithms and
// values.
package tune

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gobench/comm/coll"
	"gobench/internal/launch/host"
)

// Variable is the environment variable that names a profile, and formerVariable its name when files
// held tables alone.
const (
	Variable       = "GOBENCH_PROFILE"
	formerVariable = "GOBENCH_TABLE"
)

// Words in place of a path: None loads nothing, and Renew measures the profile of this machine
// again.
const (
	None  = "none"
	Renew = "renew"
)

// given returns the value of the flag, or of the environment variable, "" if there is none.
func given(flag string) string { return cmp.Or(flag, os.Getenv(Variable), os.Getenv(formerVariable)) }

// Path returns the path of the table: the value of the flag, of the environment variable, or a file
// in the user's configuration directory. named reports whether the user named it.
func Path(flag string) (path string, named bool) {
	if path := given(flag); path != "" && path != Renew {
		return path, true
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return None, false
	}
	return filepath.Join(dir, "gobench", "table.toml"), false
}

// Load returns the table for this machine and for transports with the given options. If the file
// cannot be used, it returns the defaults and a warning.
func Load(flag string, options map[string]map[string]string) (table *coll.Table, warning error) {
	path, named := Path(flag)
	if path == None {
		return coll.Defaults(), nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !named {
		return coll.Defaults(), nil // without Here, which is slow for many ranks
	}
	return coll.Load(path, Here(options))
}

// Here returns the description of this machine in a table.
func Here(options map[string]map[string]string) coll.Machine {
	f := host.Collect()
	m := coll.Machine{Host: f.Hostname, CPU: fingerprint(f), Options: options}
	if f.CPU.Threads != nil {
		m.Cores = *f.CPU.Threads
	}
	return m
}

// fingerprint describes the processor of a host: its model (which may be incomplete in a virtual
// machine), signature and caches.
func fingerprint(f host.Facts) string {
	list := []string{f.CPU.Model}
	if f.CPU.Signature != "" {
		list = append(list, f.CPU.Signature)
	}
	for _, c := range f.Caches {
		if c.Type != "Instruction" && c.Size != nil {
			list = append(list, fmt.Sprintf("L%d %d KiB", c.Level, *c.Size>>10))
		}
	}
	return strings.Join(list, ", ")
}
