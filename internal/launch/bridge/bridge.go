// Package bridge connects a rank that uses PMI-1 with a launcher whose interface is a library:
// libpmix, or libpmi of Cray. A static program cannot load libraries, and a library with threads of
// its own would disturb the measurements of the process. Therefore a rank starts a second process,
// the bridge, which serves PMI-1 on a socket and calls the library.
package bridge

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"gobench/transports/native/pmi"
	"gobench/transports/native/pmix"
)

// A Store is a process of a job of the other launcher, with its keys: pmix.Client, or gathered.
type Store interface {
	Rank() int
	Size() int
	Put(key, value string) error
	Fence() error
	Get(rank int, key string) (string, error)
	Close() error
}

// Serve answers the requests of a rank until it finishes or conn ends. In the latter case the rank
// has failed, and Serve does not close the store, so that the launcher ends the other ranks. open
// joins the job at the first request; Serve sends its error to the rank, which can then connect in
// another way.
//
// The requests follow PMI-1 with PMI_PORT (MPICH, src/pmi/src/pmi_v1.c). Keys end in
// -RANK-PIECE with the rank that has put them, because the libraries require the rank.
func Serve(conn io.ReadWriter, open func() (Store, error)) error {
	lines := make(chan string)
	ended := make(chan struct{}) // also while a fence waits for other ranks
	go func() {
		defer close(ended)
		for scanner := bufio.NewScanner(conn); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	served := make(chan error, 1)
	finished := make(chan struct{})
	go func() { served <- serve(conn, open, lines, finished) }()
	select {
	case err := <-served:
		return err
	case <-ended:
	}
	select {
	case <-finished:
		return <-served
	default:
		return io.ErrUnexpectedEOF
	}
}

// serve closes finished before it answers the last request.
func serve(w io.Writer, open func() (Store, error), lines <-chan string, finished chan<- struct{}) error {
	runtime.LockOSThread() // all calls of the library come from one thread
	var s Store
	for line := range lines {
		fields := parse(line)
		if s == nil {
			var err error
			if s, err = open(); err != nil {
				fmt.Fprintf(w, "cmd=initack rc=-1 msg=%s\n", words(err))
				return err
			}
		}
		text := answer(s, fields)
		last := fields["cmd"] == "finalize"
		if last {
			close(finished)
		}
		if _, err := io.WriteString(w, text); err != nil || last {
			return err
		}
	}
	return nil
}

// parse reads a request. Values of keys that ranks put have no blanks.
func parse(line string) map[string]string {
	fields := map[string]string{}
	for _, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		fields[key] = value
	}
	return fields
}

// words returns an error as the value of msg, which has no = and no line end.
func words(err error) string {
	return strings.NewReplacer("=", ":", "\n", "; ").Replace(strings.TrimSpace(err.Error()))
}

// answer executes a request and returns the answer.
func answer(s Store, request map[string]string) string {
	result := func(name string, err error, fields string) string {
		if err != nil {
			return fmt.Sprintf("cmd=%s rc=-1 msg=%s\n", name, words(err))
		}
		return "cmd=" + name + " rc=0" + fields + "\n"
	}
	switch request["cmd"] {
	case "initack":
		return fmt.Sprintf("cmd=initack rc=0\ncmd=set size=%d\ncmd=set rank=%d\ncmd=set debug=0\n", s.Size(), s.Rank())
	case "init":
		return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"
	case "get_maxes":
		return "cmd=maxes kvsname_max=256 keylen_max=256 vallen_max=1024\n"
	case "get_my_kvsname":
		return "cmd=my_kvsname kvsname=pmix\n"
	case "put":
		return result("put_result", s.Put(request["key"], request["value"]), "")
	case "barrier_in":
		return result("barrier_out", s.Fence(), "")
	case "get":
		rank, err := owner(request["key"], s.Size())
		value := ""
		if err == nil {
			value, err = s.Get(rank, request["key"])
		}
		return result("get_result", err, " value="+value)
	case "finalize":
		return result("finalize_ack", s.Close(), "")
	}
	return fmt.Sprintf("cmd=%s rc=-1 msg=unknown\n", request["cmd"])
}

// owner returns the rank that a key contains: 3 in gb-1-3-0.
func owner(key string, size int) (int, error) {
	parts := strings.Split(key, "-")
	if len(parts) >= 2 {
		if rank, err := strconv.Atoi(parts[len(parts)-2]); err == nil && rank >= 0 && rank < size {
			return rank, nil
		}
	}
	return 0, fmt.Errorf("key %s has no rank", key)
}

// Built reports whether this program can be a bridge.
const Built = pmix.Built

// Open joins the job of the environment: by libpmi where aprun has started the rank, else by
// libpmix.
func Open() (Store, error) {
	if _, alps := os.LookupEnv("ALPS_APP_PE"); alps {
		c, err := pmi.Open()
		if err != nil {
			return nil, fmt.Errorf("%w (%s)", err, pmi.Install)
		}
		return newGathered(c), nil
	}
	c, err := pmix.Open()
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, pmix.Install)
	}
	return c, nil
}

// A gatherer is a job whose library has a gather among all ranks and no keys: pmi.Client.
type gatherer interface {
	Rank() int
	Size() int
	Allgather(mine []byte) (all []byte, err error) // blocks of equal length, in no order
	Close() error
}

// gathered is the Store of a gatherer: Fence gathers the keys that all ranks have put since the
// last Fence.
type gathered struct {
	gatherer
	put  map[string]string
	seen []map[string]string // by rank
}

func newGathered(g gatherer) *gathered {
	s := &gathered{gatherer: g, put: map[string]string{}}
	for range g.Size() {
		s.seen = append(s.seen, map[string]string{})
	}
	return s
}

func (s *gathered) Put(key, value string) error {
	s.put[key] = value
	return nil
}

func (s *gathered) Get(rank int, key string) (string, error) {
	value, ok := s.seen[rank][key]
	if !ok {
		return "", fmt.Errorf("rank %d has put no %s", rank, key)
	}
	return value, nil
}

// Fence gathers the lengths first, because all blocks of a gather have the same length. A block
// begins with the number of its rank and the length of the text.
func (s *gathered) Fence() error {
	text, err := json.Marshal(s.put)
	if err != nil {
		return err
	}
	clear(s.put)
	head := binary.LittleEndian.AppendUint32(nil, uint32(s.Rank()))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	heads, err := s.Allgather(head)
	if err != nil {
		return err
	}
	longest := 0
	for at := 0; at < len(heads); at += len(head) {
		longest = max(longest, int(binary.LittleEndian.Uint32(heads[at+4:])))
	}
	block := append(head, text...)
	block = append(block, make([]byte, len(head)+longest-len(block))...)
	all, err := s.Allgather(block)
	if err != nil {
		return err
	}
	for ; len(all) > 0; all = all[len(block):] {
		rank, length := int(binary.LittleEndian.Uint32(all)), int(binary.LittleEndian.Uint32(all[4:]))
		if rank >= s.Size() || length > longest {
			return fmt.Errorf("the gather of the launcher's library has a block of rank %d with %d bytes", rank, length)
		}
		if err := json.Unmarshal(all[len(head):len(head)+length], &s.seen[rank]); err != nil {
			return err
		}
	}
	return nil
}
