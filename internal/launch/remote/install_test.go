package remote

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/internal/terminal"
)

// cacheOf makes a home directory for a host, and returns its cache directory and what stands for
// ssh to it.
func cacheOf(t *testing.T) (directory, ssh string) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "it's a home")
	directory = filepath.Join(home, ".cache/gobench")
	if err := os.MkdirAll(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	ssh = filepath.Join(t.TempDir(), "shell")
	text := "#!/bin/sh\nexport HOME=" + quoted(home) + "\nunset XDG_CACHE_HOME\neval \"$2\"\n"
	if err := os.WriteFile(ssh, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return directory, ssh
}

// The program in a host's cache directory is not run before its sum is right: one that is damaged
// or was replaced is brought again. Programs that were not run for long and parts of copies are
// removed, and nothing else.
func TestCachedProgram(t *testing.T) {
	directory, ssh := cacheOf(t)
	write := func(name, text string, age time.Duration) {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		os.Chtimes(path, then, then)
	}
	other := func(i int) string { return strings.Repeat(fmt.Sprintf("%x", i), 64) }
	for i := range 6 {
		write(other(i), "old", time.Duration(i+1)*time.Hour)
	}
	write("cores.json", "{}", 1000*time.Hour)
	write(other(7)+".abcdef", "part", 2*time.Hour)
	write(other(8)+".abcdef", "part", time.Minute)
	marker := filepath.Join(directory, "ran")
	connect := func() {
		t.Helper()
		c := connectAll(t, Options{SSH: ssh, Copy: true}, []string{"u@h1"})
		if c.agents[0].Digest != digest() {
			t.Errorf("another program answers")
		}
		c.Close()
		own, err := os.ReadFile(filepath.Join(directory, digest()))
		program, _ := os.ReadFile("/proc/self/exe")
		if err != nil || string(own) != string(program) {
			t.Errorf("the cached program is not this one: %d bytes, %v", len(own), err)
		}
		if _, err := os.Stat(marker); err == nil {
			t.Error("what was in its place was run")
		}
	}
	connect()
	var names []string
	all, _ := os.ReadDir(directory)
	for _, e := range all {
		names = append(names, e.Name())
	}
	want := []string{other(0), other(1), other(2), digest(), "cores.json", other(8) + ".abcdef"}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("in the directory are %q, want %q", names, want)
	}
	for name, damage := range map[string]string{"replaced": "#!/bin/sh\n: >" + quoted(marker) + "\n", "damaged": "", "not executable": "\n"} {
		write(digest(), damage, 0)
		if name == "not executable" {
			os.Chmod(filepath.Join(directory, digest()), 0o600)
		}
		connect()
	}
}

// A host of another architecture gets the program for it that lies beside this one, compressed if
// it has gzip; without such a program it is refused.
func TestProgramsOfOtherArchitectures(t *testing.T) {
	dir := t.TempDir()
	other, machine := "arm64", "aarch64"
	if runtime.GOARCH == other {
		other, machine = "amd64", "x86_64"
	}
	text := "#!/bin/sh\necho ran $0\n"
	for _, name := range []string{"gobench-linux-" + other, "../lib/gobench/gobench-linux-riscv64"} {
		path := filepath.Join(dir, "bin", name)
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]*program{}
	addPrograms(all, filepath.Join(dir, "bin"))
	if len(all) != 2 || all[machine] == nil || all["riscv64"] == nil {
		t.Fatalf("found %v", all)
	}
	script := strings.NewReplacer("SUMS", sums(all), "NONE", strings.Repeat("0", 64), "NEED", needMark, "KEPT", "9", "ARGS", " word").Replace(install)
	for _, packer := range []string{"gzip", ""} {
		// The commands of a host of that architecture.
		tools := t.TempDir()
		for _, tool := range []string{"sh", "mkdir", "mktemp", "sha256sum", "cut", "head", "gzip", "chmod", "mv", "ls", "grep", "tail", "rm", "touch", "find"} {
			if path, err := exec.LookPath(tool); err == nil && (tool != "gzip" || packer == "gzip") {
				os.Symlink(path, filepath.Join(tools, tool))
			}
		}
		os.WriteFile(filepath.Join(tools, "uname"), []byte("#!/bin/sh\necho "+machine+"\n"), 0o700)
		cmd := exec.Command("/bin/sh", "-c", script)
		home := t.TempDir()
		cmd.Env = []string{"PATH=" + tools, "HOME=" + home}
		var in, out bytes.Buffer
		if err := all[machine].send(&in, packer == "gzip"); err != nil {
			t.Fatal(err)
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, os.Stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("%q: %v", packer, err)
		}
		want := needMark + machine + " " + packer + "\nran " + filepath.Join(home, ".cache/gobench", all[machine].sum) + "\n"
		if out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
	if said := missing(machine).String(); !strings.Contains(said, "as gobench-linux-"+other) {
		t.Error(said)
	}
	if said := missing("mips").String(); !strings.Contains(said, "copy=never") {
		t.Error(said)
	}
}

// Words reach a program as they are, through every shell here.
func TestQuoted(t *testing.T) {
	words := []string{"a b", "it's", `"$HOME" \ * ; & | < > ! # ~ {a,b}`, "", "''", "`x` $(x)", "ä\ttab"}
	script, err := Options{Args: words}.script()
	if err != nil {
		t.Fatal(err)
	}
	program, _ := os.Executable()
	list := strings.TrimPrefix(script, "exec "+quoted(program)+" ")
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "ksh", "fish"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		out, err := exec.Command(shell, "-c", `printf '%s\n' `+list).Output()
		if want := strings.Join(words, "\n") + "\n"; err != nil || string(out) != want {
			t.Errorf("%s: %v, %q, want %q", shell, err, out, want)
		}
	}
}

// What the other host writes has no control characters here.
func TestWordsOfOtherHosts(t *testing.T) {
	var said terminal.Tail
	said.Write([]byte("Welcome\x1b]0;title\a\n\x1b[2Jgone\r\n"))
	if got := said.Lines(); !slices.Equal(got, []string{"Welcome�]0;title�", "�[2Jgone"}) {
		t.Errorf("%q", got)
	}
}

// Remedies are those that the user has not taken.
func TestExplained(t *testing.T) {
	for _, c := range []struct {
		copies     bool
		said, want string
	}{
		{true, "sh: 1: gobench: not found", "Warning: first; sh: 1: gobench: not found; last"},
		{false, "sh: 1: gobench: not found", "with copy=auto gobench brings itself"},
		{true, "/home/u/.cache/gobench is on a file system that executes no programs (noexec)", "set XDG_CACHE_HOME there to a directory"},
		{true, "mkdir: cannot create directory ‘/.cache’: Permission denied", "set XDG_CACHE_HOME there to a directory"},
		{true, "u@h: Permission denied (publickey).", "gobench cannot type a password"},
		{true, "Connection to 10.0.0.2 port 22 timed out", lateSilence.String()},
		{true, "Timeout, server h2 not responding.", lateSilence.String()},
		{true, "ssh: connect to host h2 port 22: Connection timed out", "Connection timed out; last"},
	} {
		got, _ := explained([]string{"Warning: first", c.said, "last"}, c.copies)
		if !strings.HasSuffix(got, c.want) && !strings.Contains(got, ": "+c.want) || c.copies && strings.Contains(got, "copy=auto") {
			t.Errorf("%q with copies %v: %q, want %q", c.said, c.copies, got, c.want)
		}
	}
}
