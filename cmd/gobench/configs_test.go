package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gobench/device"
	"gobench/internal/experiment/sweep"
)

// Every file of a sweep can be read, its flags have valid values, and the options of its transports
// exist, also of transports that this machine does not have. A label names one setting.
func TestConfigs(t *testing.T) {
	files, err := filepath.Glob("../../configs/*.toml")
	rivals, errRivals := filepath.Glob("../../configs/rivals/*.toml")
	if err != nil || errRivals != nil || len(files) < 4 || len(rivals) < 4 {
		t.Fatal(files, err, rivals, errRivals)
	}
	files = append(files, rivals...)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := sweep.Parse(data, name, sweepVerbs(program.Root(nil)))
		if err != nil {
			t.Error(err)
			continue
		}
		settings := map[string]string{} // of a label
		for _, c := range plan.Commands {
			if c.Verb == "program" { // of another library: Parse has checked its keys
				continue
			}
			cmd, rest, err := program.Root(nil).Find(c.Arguments())
			if err != nil {
				t.Errorf("%s:%d: %v", name, c.Line, err)
				continue
			}
			if err := cmd.ParseFlags(rest); err != nil {
				t.Errorf("%s:%d: %v", name, c.Line, err)
				continue
			}
			set, err := settingOf(cmd)
			if err != nil {
				t.Errorf("%s:%d: %v", name, c.Line, err)
			}
			if label := text(cmd, "label"); label != "" && settings[label] != "" && settings[label] != set {
				t.Errorf("%s:%d: label %s is that of %s, too", name, c.Line, label, settings[label])
			} else if label != "" {
				settings[label] = set
			}
		}
	}
}

func text(cmd *cobra.Command, flag string) string {
	if f := cmd.Flags().Lookup(flag); f != nil {
		return f.Value.String()
	}
	return ""
}

// settingOf returns the transports and options of a command, and an error if an option is unknown.
func settingOf(cmd *cobra.Command) (string, error) {
	options, _ := cmd.Flags().GetStringArray("set")
	set := map[string]string{}
	for _, o := range options {
		key, value, _ := strings.Cut(o, "=")
		set[key] = value
	}
	transports := text(cmd, "transport")
	var wrong []error
	for transport := range strings.SplitSeq(transports, ",") {
		d, err := device.Lookup(transport)
		if err == nil {
			_, err = device.ParseOptions(d.Options(), set)
		}
		wrong = append(wrong, err)
	}
	return transports + " " + text(cmd, "ranks") + " " + strings.Join(options, " "), errors.Join(wrong...)
}
