package smem

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/devicetest"
)

// The tests run ranks as goroutines (goroutineJob) and as processes
// (processJob): rank 0 is the test itself, the others are this binary again,
// in a role named by the environment.

const roleVariable = "GOBENCH_SMEM_TEST_ROLE"

// roles are the programs of forked ranks. A rank ends when its function returns.
var roles = map[string]func(job device.Job, args map[string]string) error{}

type roleCall struct {
	Role string
	Rank int
	Size int
	Args map[string]string
}

func TestMain(m *testing.M) {
	text := os.Getenv(roleVariable)
	if text == "" {
		os.Exit(devicetest.Main(m))
	}
	var call roleCall
	if err := json.Unmarshal([]byte(text), &call); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	runtime.LockOSThread()
	file := os.NewFile(3, "job")
	conn, err := net.FileConn(file)
	if err == nil {
		file.Close()
		err = roles[call.Role](&childJob{call.Rank, call.Size, conn}, call.Args)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", call.Rank, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childJob is the job as seen by a forked rank.
type childJob struct {
	rank, size int
	conn       net.Conn
}

func (j *childJob) Rank() int      { return j.rank }
func (j *childJob) Size() int      { return j.size }
func (j *childJob) LocalSize() int { return j.size }
func (j *childJob) Hosts() []int   { return make([]int, j.size) }

func (j *childJob) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	if err := writeBlob(j.conn, blob); err != nil {
		return nil, err
	}
	all := make([][]byte, j.size)
	for i := range all {
		var err error
		if all[i], err = readBlob(j.conn); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// parentJob is rank 0 of a job of processes, and the hub of its exchanges.
type parentJob struct {
	conns    []net.Conn // by rank, nil for 0
	children []*exec.Cmd
}

func (j *parentJob) Rank() int      { return 0 }
func (j *parentJob) Size() int      { return len(j.conns) }
func (j *parentJob) LocalSize() int { return len(j.conns) }
func (j *parentJob) Hosts() []int   { return make([]int, len(j.conns)) }

func (j *parentJob) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	all := [][]byte{blob}
	for _, c := range j.conns[1:] {
		b, err := readBlob(c)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	for _, c := range j.conns[1:] {
		for _, b := range all {
			if err := writeBlob(c, b); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// processJob starts ranks 1 to size-1 in role. They are waited for when the
// test ends, and must then have ended well, unless the test has taken their
// entry out of children.
func processJob(t testing.TB, size int, role string, args map[string]string) *parentJob {
	t.Helper()
	return processJobIn(t, size, role, args, 0)
}

// processJobIn is processJob with ranks in their own namespaces.
func processJobIn(t testing.TB, size int, role string, args map[string]string, namespaces uintptr) *parentJob {
	t.Helper()
	j := &parentJob{conns: make([]net.Conn, size), children: make([]*exec.Cmd, size)}
	for rank := 1; rank < size; rank++ {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		mine, theirs := os.NewFile(uintptr(pair[0]), "mine"), os.NewFile(uintptr(pair[1]), "theirs")
		if j.conns[rank], err = net.FileConn(mine); err != nil {
			t.Fatal(err)
		}
		mine.Close()
		call, _ := json.Marshal(roleCall{role, rank, size, args})
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), roleVariable+"="+string(call))
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		cmd.ExtraFiles = []*os.File{theirs}
		cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL, Unshareflags: namespaces}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		theirs.Close()
		j.children[rank] = cmd
	}
	t.Cleanup(func() {
		for rank, cmd := range j.children {
			if cmd == nil {
				continue
			}
			if t.Failed() {
				cmd.Process.Kill()
			}
			if err := cmd.Wait(); err != nil && !t.Failed() {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	})
	return j
}

// goroutineJob is one rank of a job of goroutines.
type goroutineJob struct {
	rank int
	meet *meeting
}

type meeting struct {
	sync.Mutex
	cond  *sync.Cond
	size  int
	blobs [][]byte
	done  [][]byte
	count int
	round int
}

func goroutineJobs(size int) []device.Job {
	m := &meeting{size: size, blobs: make([][]byte, size)}
	m.cond = sync.NewCond(m)
	var jobs []device.Job
	for rank := range size {
		jobs = append(jobs, &goroutineJob{rank, m})
	}
	return jobs
}

func (j *goroutineJob) Rank() int      { return j.rank }
func (j *goroutineJob) Size() int      { return j.meet.size }
func (j *goroutineJob) LocalSize() int { return j.meet.size }
func (j *goroutineJob) Hosts() []int   { return make([]int, j.meet.size) }

func (j *goroutineJob) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	m := j.meet
	m.Lock()
	defer m.Unlock()
	m.blobs[j.rank] = blob
	m.count++
	if m.count == m.size {
		m.done, m.blobs = m.blobs, make([][]byte, m.size)
		m.count = 0
		m.round++
		m.cond.Broadcast()
		return m.done, nil
	}
	for round := m.round; m.round == round; {
		m.cond.Wait()
	}
	return m.done, nil
}

func writeBlob(w io.Writer, blob []byte) error {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(blob)))
	_, err := w.Write(append(b, blob...))
	return err
}

func readBlob(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	blob := make([]byte, binary.LittleEndian.Uint32(length[:]))
	_, err := io.ReadFull(r, blob)
	return blob, err
}

// pin puts this thread on a core, named by a decimal number.
func pin(core string) error {
	n, err := strconv.Atoi(core)
	if err != nil {
		return err
	}
	var set unix.CPUSet
	set.Set(n)
	return unix.SchedSetaffinity(0, &set)
}
