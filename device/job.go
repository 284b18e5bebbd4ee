package device

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
)

// A Job identifies this rank and exchanges data among all ranks before a transport is open. Package
// launch implements it for every launcher.
type Job interface {
	Rank() int
	Size() int
	// LocalSize is the number of ranks of the job on this host. A transport
	// uses it to decide whether spinning would take the processor from a peer.
	LocalSize() int
	// Hosts returns a host number for each rank: ranks with the same number can share memory. The
	// caller must not modify it.
	Hosts() []int
	// Exchange returns the blobs of all ranks, indexed by rank. It is collective, and a barrier: no
	// call returns before all ranks have called it. Blobs are small (a few KiB). It fails when ctx
	// ends or a rank has died.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
}

// HostName returns the name of a rank's host if the job has several hosts and knows their names
// (rendezvous.Rank does), else "".
func HostName(job Job, rank int) string {
	named, ok := job.(interface{ HostName(rank int) string })
	if !ok {
		return ""
	}
	hosts := job.Hosts() // called once, because a job may build the list anew
	for _, host := range hosts {
		if host != hosts[0] {
			return named.HostName(rank)
		}
	}
	return ""
}

// Processors returns how many processors the ranks of this host may use together, if the job knows
// (rendezvous.Rank does), else those that this process may use. A launcher may bind each rank to a
// processor of its own, and then runtime.NumCPU is 1 in all.
func Processors(job Job) int {
	if known, ok := job.(interface{ Processors() int }); ok {
		return known.Processors()
	}
	return runtime.NumCPU()
}

var process = rand.Text()

// Process returns a text that the ranks of one process have in common, and no other rank. Process
// ids do not: containers of a host use the same ones.
func Process() string { return process }

// A Joiner is a Driver whose library has its own launcher, as an MPI library has: only ranks
// started by this launcher can open it.
type Joiner interface {
	Driver
	// Join makes this process a rank of the launcher's job. It returns nil if the launcher has not
	// started this process. It is called once, before Open. It locks the calling goroutine to its
	// thread; only this thread may call the channels and Close.
	Join() (JoinedJob, error)
	// Launch returns a command line that starts n ranks of a program, to be shown in messages.
	Launch(n int, program string) string
}

// A JoinedJob is the part of a Job that the library implements. Ranks determine themselves which of
// them share a host.
type JoinedJob interface {
	Rank() int
	Size() int
	// Exchange is Job.Exchange.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
	// Close finalises the library after all channels are closed. It is collective. A rank that has
	// failed does not call it; the launcher then terminates the others.
	Close() error
}

// Exchange returns the values of all ranks, indexed by rank. It is collective: Job.Exchange for a
// value encoded as JSON. Equal messages are decoded only once, because hundreds of ranks send the
// same one; the values decoded from them share memory and must not be modified. A message that
// cannot be decoded is a *ProtocolError; other errors come from the job.
func Exchange[T any](ctx context.Context, job Job, mine T) ([]T, error) {
	all, _, err := ExchangeNumbers(ctx, job, mine)
	return all, err
}

// ExchangeNumbers is Exchange with additional numbers, equally many on each rank; theirs holds the
// numbers of rank 0, then those of rank 1, and so on. Values that differ from rank to rank belong
// into numbers, so that the JSON messages of all ranks are equal.
func ExchangeNumbers[T any](ctx context.Context, job Job, mine T, numbers ...uint64) (all []T, theirs []uint64, err error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return nil, nil, err
	}
	blob := make([]byte, 0, 8*len(numbers)+len(text))
	for _, n := range numbers {
		blob = binary.LittleEndian.AppendUint64(blob, n)
	}
	blobs, err := job.Exchange(ctx, append(blob, text...))
	if err != nil {
		return nil, nil, err
	}
	if len(blobs) != job.Size() {
		return nil, nil, fmt.Errorf("the launcher exchanged values of %d ranks among %d ranks", len(blobs), job.Size())
	}
	all, theirs = make([]T, len(blobs)), make([]uint64, 0, len(blobs)*len(numbers))
	read := map[string]int{} // the rank whose value is decoded, by message
	for rank, b := range blobs {
		err := errors.New("it is too short")
		if len(b) >= 8*len(numbers) {
			for range numbers {
				theirs, b = append(theirs, binary.LittleEndian.Uint64(b)), b[8:]
			}
			if first, ok := read[string(b)]; ok {
				all[rank] = all[first]
				continue
			}
			read[string(b)] = rank
			err = json.Unmarshal(b, &all[rank])
		}
		if err != nil {
			return nil, nil, &ProtocolError{Rank: rank, Detail: fmt.Sprintf("its first message cannot be read: %v; is it the same version of gobench?", err)}
		}
	}
	return all, theirs, nil
}

// A statement holds a rank's value in Agree, or the reason why it cannot take part.
type statement[T any] struct {
	Version int
	Failed  string `json:",omitempty"` // why the rank cannot take part
	Value   T
}

// Agree is Exchange for ranks that may be unable to take part. failed is this rank's reason, or
// nil. Either all ranks succeed, or every rank returns an error: its own reason, else a *PeerError
// for the lowest rank that failed, or a *ProtocolError for a rank with another version. A transport
// increments version whenever the format of its values or of its messages changes.
func Agree[T any](ctx context.Context, job Job, version int, mine T, failed error) ([]T, error) {
	own := statement[T]{Version: version, Value: mine}
	if failed != nil {
		own.Failed = failed.Error()
	}
	all, err := Exchange(ctx, job, own)
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	values := make([]T, len(all))
	for rank, s := range all {
		switch {
		case s.Version != version:
			return nil, &ProtocolError{Rank: rank, Detail: fmt.Sprintf("its endpoint has version %d, this rank's %d; is it the same version of gobench?", s.Version, version)}
		case s.Failed != "":
			return nil, &PeerError{Rank: rank, Host: HostName(job, rank), State: "cannot take part", Cause: s.Failed}
		}
		values[rank] = s.Value
	}
	return values, nil
}
