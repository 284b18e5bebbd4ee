package rendezvous

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/launch/detect"
)

// kvs is a launcher with PMI-1 for tests: the key-value space and the barrier of a job, in the
// dialect of one of the real ones.
type kvs struct {
	dialect  dialect
	size     int
	mu       sync.Mutex
	values   map[string]string
	waiting  []chan struct{}
	finished int
}

// A dialect holds the answers that differ between real launchers.
type dialect struct {
	name                string
	init, maxes, put    string // answers
	got, missing, space string
}

var dialects = []dialect{
	{"hydra", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024",
		"cmd=put_result rc=0 msg=success", "cmd=get_result rc=0 msg=success value=%s", "cmd=get_result rc=-1 msg=key_%s_not_found value=unknown", "kvs_23620_0_1967166256_host"},
	{"slurm", "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1", "cmd=maxes rc=0 kvsname_max=256 keylen_max=256 vallen_max=128",
		"cmd=put_result rc=0", "cmd=get_result rc=0 value=%s", "cmd=get_result rc=1 msg=no such key %s", "1.0"},
}

func (k *kvs) serve(conn net.Conn) {
	defer conn.Close()
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		answer := k.answer(lines.Text())
		if answer == "" {
			return
		}
		fmt.Fprintln(conn, answer)
	}
}

func (k *kvs) answer(line string) string {
	f := map[string]string{}
	for _, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		f[key] = value
	}
	switch f["cmd"] {
	case "init":
		return k.dialect.init
	case "get_maxes":
		return k.dialect.maxes
	case "get_my_kvsname":
		return "cmd=my_kvsname kvsname=" + k.dialect.space
	case "put":
		k.mu.Lock()
		defer k.mu.Unlock()
		if len(f["value"]) >= 1024 || len(line) >= 1023 || f["kvsname"] != k.dialect.space {
			return "cmd=put_result rc=-1 msg=value_too_long"
		}
		k.values[f["key"]] = f["value"]
		return k.dialect.put
	case "barrier_in":
		k.mu.Lock()
		mine := make(chan struct{})
		if k.waiting = append(k.waiting, mine); len(k.waiting) == k.size {
			for _, c := range k.waiting {
				close(c)
			}
			k.waiting = nil
		}
		k.mu.Unlock()
		<-mine
		return "cmd=barrier_out"
	case "get":
		k.mu.Lock()
		defer k.mu.Unlock()
		if value, ok := k.values[f["key"]]; ok {
			return fmt.Sprintf(k.dialect.got, value)
		}
		return fmt.Sprintf(k.dialect.missing, f["key"])
	case "finalize":
		k.mu.Lock()
		defer k.mu.Unlock()
		k.finished++
		return "cmd=finalize_ack"
	}
	return ""
}

// inheritedConn returns a connection and the number of a descriptor of its other end.
func inheritedConn(t *testing.T) (net.Conn, int) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(pair[0]), "launcher")
	conn, err := net.FileConn(f)
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	return conn, pair[1]
}

// Ranks exchange blobs of all lengths over the launcher's space, and say good-bye.
func TestPMIExchange(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			const size = 3
			k := &kvs{dialect: d, size: size, values: map[string]string{}}
			var ranks sync.WaitGroup
			for rank := range size {
				conn, fd := inheritedConn(t)
				go k.serve(conn)
				ranks.Go(func() {
					r, err := joinPMI(t.Context(), environment(fmt.Sprintf("PMI_FD=%d", fd), fmt.Sprintf("PMI_RANK=%d", rank), "PMI_SIZE=3"))
					if err != nil {
						t.Error(err)
						return
					}
					for _, length := range []int{0, 1, 100, 5000, 1 << 16} {
						blobs, err := r.Exchange(t.Context(), bytes.Repeat([]byte{byte(rank)}, length+rank))
						if err != nil {
							t.Error(err)
							return
						}
						for from, blob := range blobs {
							if !bytes.Equal(blob, bytes.Repeat([]byte{byte(from)}, length+from)) {
								t.Errorf("rank %d of %d bytes: the blob of rank %d has %d bytes", rank, length, from, len(blob))
							}
						}
					}
					if err := r.Close(); err != nil {
						t.Error(err)
					}
					if _, err := r.Exchange(t.Context(), nil); !errors.Is(err, device.ErrClosed) {
						t.Errorf("after the end: %v", err)
					}
				})
			}
			ranks.Wait()
			if k.finished != size {
				t.Errorf("%d of %d ranks said finalize", k.finished, size)
			}
		})
	}
}

// By PMI_PORT the launcher says who the rank is.
func TestPMIPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	k := &kvs{dialect: dialects[0], size: 1, values: map[string]string{}}
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		r := bufio.NewReader(conn)
		if line, _ := r.ReadString('\n'); line != "cmd=initack pmiid=5\n" {
			t.Errorf("a rank begins with %q", line)
		}
		fmt.Fprint(conn, "cmd=initack\ncmd=set size=8\ncmd=set rank=5\ncmd=set debug=0\n")
		k.serve(conn)
	}()
	r, err := joinPMI(t.Context(), environment("PMI_PORT="+listener.Addr().String(), "PMI_ID=5"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Rank() != 5 || r.Size() != 8 {
		t.Errorf("rank %d of %d", r.Rank(), r.Size())
	}
	r.Close()
}

// A recorded conversation, C: the rank, S: the launcher.
func TestPMITranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/pmi-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			conn, fd := inheritedConn(t)
			played := make(chan string, 1)
			go func() { played <- play(conn, string(text)) }()
			env := []string{fmt.Sprintf("PMI_FD=%d", fd)}
			var want string
			for line := range strings.Lines(string(text)) {
				line = strings.TrimSpace(line)
				if variable, ok := strings.CutPrefix(line, "env: "); ok {
					env = append(env, variable)
				}
				if cause, ok := strings.CutPrefix(line, "error: "); ok {
					want = cause
				}
			}
			err = func() error {
				r, err := joinPMI(t.Context(), environment(env...))
				if err != nil {
					return err
				}
				if _, err := r.Exchange(t.Context(), []byte("hello")); err != nil {
					return err
				}
				return r.Close()
			}()
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
			conn.Close()
			if wrong := <-played; wrong != "" && want == "" {
				t.Error(wrong)
			}
		})
	}
}

// play is the launcher of a transcript, and returns what the rank says that it should not.
func play(conn net.Conn, text string) string {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for line := range strings.Lines(text) {
		if answer, ok := strings.CutPrefix(line, "S: "); ok {
			fmt.Fprint(conn, answer)
		}
		if want, ok := strings.CutPrefix(line, "C: "); ok {
			got, err := r.ReadString('\n')
			if err != nil || got != want {
				return fmt.Sprintf("the rank says %q, %v and not %q", got, err, want)
			}
		}
	}
	return ""
}

// A rank that waits in the barrier can be interrupted, and one that fails leaves without finalize,
// so that the launcher ends the others.
func TestPMIGivesUp(t *testing.T) {
	k := &kvs{dialect: dialects[0], size: 2, values: map[string]string{}}
	conn, fd := inheritedConn(t)
	go k.serve(conn)
	r, err := joinPMI(t.Context(), environment(fmt.Sprintf("PMI_FD=%d", fd), "PMI_RANK=0", "PMI_SIZE=2"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancelled := errors.New("no patience")
	go func() {
		for k.inBarrier() == 0 {
		}
		cancel(cancelled)
	}()
	if _, err := r.Exchange(ctx, nil); !errors.Is(err, cancelled) {
		t.Errorf("an interrupted exchange ends with %v", err)
	}
	r.Close()
	if k.finished != 0 {
		t.Error("a rank that gave up has said finalize")
	}
}

// A launcher that says nothing holds a rank no longer than its context lives.
func TestPMISilence(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	inherited, fd := inheritedConn(t)
	for name, c := range map[string]struct {
		env    detect.Lookup
		accept func() (net.Conn, error)
	}{
		"PMI_FD":   {environment(fmt.Sprintf("PMI_FD=%d", fd), "PMI_RANK=0", "PMI_SIZE=2"), func() (net.Conn, error) { return inherited, nil }},
		"PMI_PORT": {environment("PMI_PORT="+listener.Addr().String(), "PMI_ID=5"), listener.Accept},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancelled := errors.New("no patience")
		go func() {
			conn, err := c.accept()
			if err == nil {
				bufio.NewReader(conn).ReadString('\n')
			}
			cancel(cancelled)
		}()
		if _, err := joinPMI(ctx, c.env); !errors.Is(err, cancelled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (k *kvs) inBarrier() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.waiting)
}

// environment is a lookup of NAME=VALUE words.
func environment(words ...string) detect.Lookup {
	return func(name string) (string, bool) {
		for _, word := range words {
			if value, ok := strings.CutPrefix(word, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}
