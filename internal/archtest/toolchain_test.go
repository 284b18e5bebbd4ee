package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A build without vector loops says so and how to have them, and does not fail. A go command that
// ignores the experiment stands for another release.
func TestBuildsWithoutVectorLoopsSaySo(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("SKIPPED: vector loops exist for amd64 and arm64 only")
	}
	other := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(other, []byte("#!/bin/sh\nGOEXPERIMENT= exec go \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		simd, command, setting string
		said                   bool
	}{
		{"on", "go", "GOEXPERIMENT=simd\n", false},
		{"on", other, "", true},
		{"off", other, "", false},
	} {
		cmd := exec.Command(filepath.Join(root, "scripts", "vectors.sh"))
		cmd.Env = append(os.Environ(), "SIMD="+c.simd, "GO="+c.command)
		var said strings.Builder
		cmd.Stderr = &said
		setting, err := cmd.Output()
		remedy := strings.Contains(said.String(), "GOTOOLCHAIN=go1.") && strings.Contains(said.String(), "SIMD=off")
		if err != nil || string(setting) != c.setting || remedy != c.said || !c.said && said.Len() > 0 {
			t.Errorf("SIMD=%s with %s: %v, setting %q, said %q, want setting %q, a remedy: %v",
				c.simd, filepath.Base(c.command), err, setting, said.String(), c.setting, c.said)
		}
	}
}

// The toolchain of go.mod is selected whatever the settings of the go command say, unless the
// environment names one, and the installed one is taken where that of go.mod cannot be had.
func TestToolchainIsSelected(t *testing.T) {
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := string(regexp.MustCompile(`(?m)^toolchain (\S+)$`).FindSubmatch(module)[1])
	dir := t.TempDir()
	for _, c := range []struct{ name, variable, command, want, said string }{
		{"none is named", "", `[ "$GOTOOLCHAIN" = ` + wanted + ` ]`, wanted, ""},
		{"one is named", "local", "true", "local", ""},
		{"it cannot be had", "", `[ "$GOTOOLCHAIN" = local ] && echo go1.99.1`, "local", "go1.99.1"},
	} {
		command := filepath.Join(dir, "go")
		if err := os.WriteFile(command, []byte("#!/bin/sh\n"+c.command+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", `. scripts/toolchain.sh; printenv GOTOOLCHAIN`)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+c.variable, "PATH="+dir+":"+os.Getenv("PATH"))
		var said strings.Builder
		cmd.Stderr = &said
		got, err := cmd.Output()
		if err != nil || strings.TrimSpace(string(got)) != c.want || (c.said == "") != (said.Len() == 0) || !strings.Contains(said.String(), c.said) {
			t.Errorf("%s: %v, %s, said %q, want %s, said %q", c.name, err, got, said.String(), c.want, c.said)
		}
	}
}

// Each script that calls go selects the toolchain, also where it is not called by make.
func TestScriptsSelectTheToolchain(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(root, "scripts", "*.sh"))
	if err != nil {
		t.Fatal(err)
	}
	// sanitizers.sh is sourced by scripts that do.
	calls := regexp.MustCompile(`(?m)^[^#\n]*\bgo"? (build|env|list|run|test|vet)\b`)
	found := 0
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(script); name == "toolchain.sh" || !calls.Match(text) {
			continue
		}
		found++
		if !strings.Contains(string(text), "\n. scripts/toolchain.sh\n") {
			t.Errorf("%s calls go and does not source scripts/toolchain.sh", filepath.Base(script))
		}
	}
	if found < 8 {
		t.Errorf("%d scripts that call go were found", found)
	}
}
