package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/launch/hostlist"
	"gobench/internal/launch/launchtest"
)

// A login that neither ends nor fails is given up, and the sentence names the host.
func TestALoginThatHangs(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\nread line\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Connect(t.Context(), []hostlist.Host{{Name: "h1", Slots: 1}}, Options{SSH: wrapper, Timeout: 50 * time.Millisecond})
	want := "host h1: connecting by ssh there takes more than 50ms: "
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "; try "+wrapper+" h1 true") {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// Look names the hosts that do not let this user in, and leaves this one alone.
func TestLook(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "login")
	script := "#!/bin/sh\ncase $1 in\ngood) echo welcome >&2 ;;\nbad) echo 'Permission denied (publickey).' >&2; exit 255 ;;\nlate) read line ;;\nesac\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	how := Options{SSH: wrapper, Timeout: launchtest.Watchdog}
	err := how.Look(t.Context(), []hostlist.Host{{Name: "localhost", Slots: 1}, {Name: "good", Slots: 1}, {Name: "bad", Slots: 2}})
	if want := "host bad: Permission denied (publickey): gobench cannot type a password"; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v, want %s", err, want)
	}
	how.Timeout = 50 * time.Millisecond
	err = how.Look(t.Context(), []hostlist.Host{{Name: "late", Slots: 1}})
	if want := "host late: it has not let this user in within 50ms"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// Of many hosts each gets its own time from its turn on: those behind late ones are let in.
func TestLookAtManyHosts(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\ncase $1 in u@late*) read line ;; esac\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var hosts []hostlist.Host
	for _, kind := range []string{"late", "good"} {
		for i := range atOnce {
			hosts = append(hosts, hostlist.Host{Name: fmt.Sprintf("u@%s%d", kind, i), Slots: 1})
		}
	}
	err := (Options{SSH: wrapper, Timeout: 3 * time.Second}).Look(t.Context(), hosts)
	if err == nil || strings.Count(err.Error(), "host u@late") != atOnce || strings.Contains(err.Error(), "u@good") {
		t.Errorf("the error is %v, want %d late hosts", err, atOnce)
	}
}

// What the sshd of a host prints at each login hides no reason.
func TestBannersAreNoReason(t *testing.T) {
	directory := t.TempDir()
	wrapper, pid := filepath.Join(directory, "login"), filepath.Join(directory, "pid")
	script := fmt.Sprintf("#!/bin/sh\necho 'authorized use only' >&2\ncase $1 in\nnologin) echo This account is closed; exit 1 ;;\nesac\n"+
		"exec 3<&0\nsh -c 'echo $$ >%[2]s; exec %[1]s agent dies' <&3 &\nwait $!\nexit 9\n", os.Args[0], pid)
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	how := Options{SSH: wrapper, Timeout: launchtest.Watchdog / 2}
	_, err := Connect(t.Context(), []hostlist.Host{{Name: "nologin", Slots: 1}}, how)
	if want := `host nologin: no agent answers there, but "This account is closed"; it says: authorized use only`; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	c, err := Connect(t.Context(), []hostlist.Host{{Name: "dies", Slots: 1}}, how)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	syscall.Kill(agent, syscall.SIGKILL)
	<-c.agents[0].done
	if lost := c.agents[0].lost; lost == "" || strings.Contains(lost, "authorized") {
		t.Errorf("the agent is lost, because %q", lost)
	}
}

// An agent hears from the root while the login of another host takes long: without that it would
// end.
func TestAgentsAreGreetedOneByOne(t *testing.T) {
	directory := t.TempDir()
	wrapper, heard := filepath.Join(directory, "login"), filepath.Join(directory, "heard")
	if err := syscall.Mkfifo(heard, 0o600); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\ncase $1 in\nfirst) (dd bs=1 count=1; echo >%[2]s; cat) 2>/dev/null | %[1]s agent first ;;\nslow) read line <%[2]s; exec %[1]s agent slow ;;\nesac\n", os.Args[0], heard)
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), []hostlist.Host{{Name: "first", Slots: 1}, {Name: "slow", Slots: 1}}, Options{SSH: wrapper, Timeout: launchtest.Watchdog / 2})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
