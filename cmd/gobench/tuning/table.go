// Package tuning finds, loads and measures the table by which algorithms of
// collective operations are chosen.
package tuning

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gobench/comm/coll"
	"gobench/launch/host"
)

// Variable is the environment variable that names a table.
const Variable = "GOBENCH_TABLE"

// None stands for no table in place of a path.
const None = "none"

// Path is where a table is looked for: what was asked for, what the environment
// says, or a place of this user's. asked tells whether somebody named it.
func Path(flag string) (path string, asked bool) {
	if flag != "" {
		return flag, true
	}
	if path := os.Getenv(Variable); path != "" {
		return path, true
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return None, false
	}
	return filepath.Join(folder, "gobench", "table.toml"), false
}

// Load returns the table in force on this machine, for transports with options that
// were set. A file that cannot be used is a warning, and the defaults hold.
func Load(flag string, options map[string]map[string]string) (table *coll.Table, warning error) {
	path, asked := Path(flag)
	if path == None {
		return coll.Defaults(), nil
	}
	table, err := coll.Load(path, Here(options))
	if errors.Is(err, fs.ErrNotExist) && !asked {
		return table, nil
	}
	return table, err
}

// Here describes this machine.
func Here(options map[string]map[string]string) coll.Machine {
	f := host.Collect()
	m := coll.Machine{Host: f.Hostname, CPU: f.CPU.Model, Options: options}
	if f.CPU.Threads != nil {
		m.Cores = *f.CPU.Threads
	}
	return m
}
