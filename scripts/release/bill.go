package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// bill returns the bill of materials of a program in the format CycloneDX, as cyclonedx-gomod reads
// it from the program, with the version of the release and without what changes from run to run. It
// has a sum of the tool, too, which is therefore built without the paths of this machine.
func (s *source) bill(program string) ([]byte, error) {
	text, err := output(filepath.Join(s.dir, "scripts", "release"), []string{"GOFLAGS=-trimpath"}, "go", "tool", "cyclonedx-gomod", "bin", "-json", "-std", "-noserial", "-notimestamp", "-output-version", "1.5", "-version", s.version, program)
	if err != nil {
		return nil, err
	}
	var read struct {
		Metadata struct {
			Component struct {
				Version string `json:"version"`
				PURL    string `json:"purl"`
			} `json:"component"`
		} `json:"metadata"`
		Components []struct {
			Name string `json:"name"`
		} `json:"components"`
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		return nil, fmt.Errorf("the output of cyclonedx-gomod: %w", err)
	}
	if c := read.Metadata.Component; c.Version != s.version || len(read.Components) < 5 {
		return nil, fmt.Errorf("cyclonedx-gomod found version %q and %d modules in %s, want %s", c.Version, len(read.Components), program, s.version)
	}
	return []byte(text + "\n"), nil
}
