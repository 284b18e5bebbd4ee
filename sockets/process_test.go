package sockets

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/lab"
)

// roles are programs of other processes: this test binary with the variable role.
var roles = map[string]func(address string) error{
	// echo returns what it reads until the end.
	"echo": func(address string) error {
		c, err := Dial("tcp", address)
		if err != nil {
			return err
		}
		defer c.Close()
		fmt.Println(Channel(c))
		_, err = io.Copy(c, struct{ io.Reader }{c})
		return err
	},
	// flood writes until it is killed.
	"flood": func(address string) error {
		c, err := Dial("tcp", address)
		if err != nil {
			return err
		}
		fmt.Println(Channel(c))
		for b := make([]byte, 1<<20); err == nil; {
			_, err = c.Write(b[:1+time.Now().UnixNano()%int64(len(b))])
		}
		return err
	},
	// hold reads nothing until it is killed.
	"hold": func(address string) error {
		c, err := Dial("tcp", address)
		if err != nil {
			return err
		}
		fmt.Println(Channel(c))
		time.Sleep(time.Minute)
		return c.Close()
	},
	// serve accepts one connection and prints its address first.
	"serve": func(address string) error {
		l, err := Listen("tcp", address)
		if err != nil {
			return err
		}
		fmt.Println(l.Addr())
		c, err := l.Accept()
		if err != nil {
			return err
		}
		_, err = io.Copy(c, struct{ io.Reader }{c})
		c.Close()
		return err
	},
}

const role = "GOBENCH_SOCKETS_ROLE"

func TestMain(m *testing.M) {
	if run := roles[os.Getenv(role)]; run != nil {
		if err := run(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play starts a process with a role, and returns it with the first line that it prints.
func play(t testing.TB, cmd *exec.Cmd, name string) (line string) {
	t.Helper()
	cmd.Env = append(cmd.Environ(), role+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s has printed no line: %v", name, err)
	}
	return strings.TrimSpace(line)
}

func program(args ...string) *exec.Cmd { return exec.Command("/proc/self/exe", args...) }

// visitor starts a process that dials, and returns the accepted connection.
func visitor(t *testing.T, cmd *exec.Cmd, name, want string) net.Conn {
	t.Helper()
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd.Args = append(cmd.Args, l.Addr().String())
	if got := play(t, cmd, name); got != want {
		t.Fatalf("the connection is by %s, not %s", got, want)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if got := Channel(c); got != want {
		t.Fatalf("the accepted connection is by %s, not %s", got, want)
	}
	return c
}

// closer ends the writing direction.
type closer interface{ CloseWrite() error }

// returns checks that c returns what is sent to it, and ends when the direction ends.
func returns(t *testing.T, c net.Conn) {
	t.Helper()
	sent, got := sha256.New(), sha256.New()
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(got, c)
		done <- err
	}()
	if err := scribble(io.MultiWriter(c, sent), 8<<20, 1); err != nil {
		t.Fatal(err)
	}
	if err := c.(closer).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if string(sent.Sum(nil)) != string(got.Sum(nil)) {
		t.Error("other bytes came back")
	}
}

func TestProcess(t *testing.T) {
	c := visitor(t, program(), "echo", "memory")
	if !c.(*Conn).Lends(1 << 20) {
		t.Log("the kernel does not let these processes read each other's memory")
	}
	returns(t, c)
}

func TestDialsAProcess(t *testing.T) {
	address := play(t, program("127.0.0.1:0"), "serve")
	c, err := Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if Channel(c) != "memory" {
		t.Fatalf("the connection is by %s", Channel(c))
	}
	returns(t, c)
}

// programAs is program with attributes. The test is skipped where such a process cannot be started:
// namespaces and other users need root, and emulators of processors cannot make some of them.
func programAs(t *testing.T, attributes *syscall.SysProcAttr) *exec.Cmd {
	trial := program("-test.run=^$")
	trial.SysProcAttr = attributes
	if err := trial.Run(); err != nil {
		t.Skipf("SKIPPED: a process with other namespaces or as another user: %v", err)
	}
	cmd := program()
	cmd.SysProcAttr = attributes
	return cmd
}

// A process in another PID and IPC namespace shares memory, but is not read.
func TestAnotherPIDNamespace(t *testing.T) {
	cmd := programAs(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC})
	returns(t, visitor(t, cmd, "echo", "memory"))
}

// Another user's process gets TCP.
func TestAnotherUser(t *testing.T) {
	cmd := programAs(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}})
	returns(t, visitor(t, cmd, "echo", "tcp"))
}

// A process in another network namespace gets TCP.
func TestAnotherHost(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the lab of two hosts takes a second")
	}
	hosts := lab.Hosts(t, 2)
	address := play(t, hosts[0].Command(os.Args[0], hosts[0].Address+":0"), "serve")
	if got := play(t, hosts[0].Command(os.Args[0], address), "hold"); got != "memory" {
		t.Errorf("within a host the connection is by %s", got)
	}
	address = play(t, hosts[0].Command(os.Args[0], hosts[0].Address+":0"), "serve")
	if got := play(t, hosts[1].Command(os.Args[0], address), "hold"); got != "tcp" {
		t.Errorf("between hosts the connection is by %s", got)
	}
}

// However and whenever a peer dies, the reader gets an end or a reset, and the writer an error.
func TestPeerIsKilled(t *testing.T) {
	for i := range 6 {
		for _, name := range []string{"flood", "echo", "hold"} {
			cmd := program()
			c := visitor(t, cmd, name, "memory")
			if i == 0 {
				c.(*Conn).poll = time.Hour // a peer that is dead does not end the polls
			}
			c.SetDeadline(time.Now().Add(20 * time.Second))
			wrote := make(chan error, 1)
			go func() {
				var err error
				for b := make([]byte, 300_000); err == nil; {
					_, err = c.Write(b)
				}
				wrote <- err
			}()
			read := make(chan error, 1)
			go func() {
				_, err := io.Copy(io.Discard, c)
				read <- err
			}()
			time.Sleep(time.Duration(i) * 500 * time.Microsecond) // any moment will do
			cmd.Process.Kill()
			if err := <-read; err != nil && !isAny(err, syscall.ECONNRESET) {
				t.Errorf("%s: the reader got %v", name, err)
			}
			if err := <-wrote; !isAny(err, syscall.EPIPE, syscall.ECONNRESET) {
				t.Errorf("%s: the writer got %v", name, err)
			}
		}
	}
}

// A writer that is never full notices the death, too.
func TestSmallWritesToAKilledPeer(t *testing.T) {
	cmd := program()
	c := visitor(t, cmd, "hold", "memory")
	cmd.Process.Kill()
	cmd.Wait()
	for range 2 * checkEvery {
		if _, err := c.Write([]byte{1}); err != nil {
			if !isAny(err, syscall.EPIPE) {
				t.Errorf("got %v", err)
			}
			return
		}
	}
	t.Error("all writes succeeded")
}
