package launchtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/lab"
	"gobench/internal/launch/detect"
)

// Site is a lab with what users of it have in their environment.
type Site struct {
	t     *testing.T
	Hosts []*lab.Host
	Env   []string
}

// NewSite makes a lab of n hosts, and skips the test where that takes too long.
func NewSite(t *testing.T, n int) *Site {
	if testing.Short() {
		t.Skip("several hosts take seconds to make")
	}
	hosts := lab.Hosts(t, n)
	return &Site{t, hosts, append(detect.CleanEnv(os.Environ()), EnvRole+"=abroad", "GORACE=atexit_sleep_ms=0")}
}

// File writes a file that all hosts see.
func (s *Site) File(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.Hosts[0].Shared(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// Command is one on h1, with these words more in its environment.
func (s *Site) Command(env []string, args ...string) *exec.Cmd {
	cmd := s.Hosts[0].Command(args[0], args[1:]...)
	cmd.Env = slices.Concat(s.Env, env)
	return cmd
}

// A child of Open MPI's launcher that has started ssh before its parent made it leader of a process
// group causes this warning, after which all goes on.
var ompiWarning = regexp.MustCompile(`(?m)^\[.*\] plm:rsh: Warning: setpgid.*\n`)

// Expect runs a command that prints a line with want, and nothing else.
func (s *Site) Expect(want string, env []string, args ...string) {
	s.t.Helper()
	cmd := s.Command(env, args...)
	timer := time.AfterFunc(Watchdog, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(ompiWarning.ReplaceAllString(string(out), "")) != want {
		s.t.Errorf("%s:\n%v, printed %q\nwant %q", strings.Join(args, " "), err, out, want)
	}
}

// Refuse runs a command that fails and says so.
func (s *Site) Refuse(want string, env []string, args ...string) {
	s.t.Helper()
	out, err := s.Command(env, args...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		s.t.Errorf("%s:\n%v, printed %q\nwant %q", strings.Join(args, " "), err, out, want)
	}
}

// Binary returns the path of the test binary.
func Binary(t *testing.T) string {
	t.Helper()
	p, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Clean expects that no process is left on the hosts but those whose command line begins with a
// word.
func (s *Site) Clean(but ...string) {
	s.t.Helper()
	for _, h := range s.Hosts {
		if left := h.Left(Watchdog, but...); len(left) > 0 {
			s.t.Fatalf("on %s %q are left", h.Name, left)
		}
	}
}
