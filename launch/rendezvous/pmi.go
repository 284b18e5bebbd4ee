package rendezvous

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
)

// pmi implements version 1.1 of the wire protocol of PMI (Flux RFC 13; MPICH, src/pmi): lines of
// key=value over a stream to the launcher, one request at a time. It is the link of ranks of Hydra
// (mpiexec of MPICH and Intel MPI), srun --mpi=pmi2 and Flux. These launchers transport the
// exchanges, so no rank opens a port.
type pmi struct {
	conn       exchange.Conn
	r          *bufio.Reader
	rank, size int
	space      string // name of the job's key-value space
	piece      int    // bytes of a blob that one value carries
	rounds     int    // exchanges so far
	broken     error  // what every further exchange returns
	failed     bool   // the rank has failed, and the launcher must know
}

var _ exchange.Link = (*pmi)(nil)

// A PMIError reports an answer of the launcher that refuses a request, for example because another
// rank is lost, or that violates PMI-1.
type PMIError struct {
	Request, Answer string // lines
	Refused         string // reason of the launcher; "" if the answer violates PMI-1
}

func (e *PMIError) Error() string {
	if e.Refused != "" {
		return fmt.Sprintf("the launcher refuses %q: %s", e.Request, e.Refused)
	}
	return fmt.Sprintf("the launcher answers %q to %q, which is not PMI-1", e.Answer, e.Request)
}

// joinPMI makes this process a rank of a launcher with PMI-1.
func joinPMI(ctx context.Context, env detect.Lookup) (*Rank, error) {
	p := &pmi{}
	inherited := env.Has("PMI_FD")
	var err error
	if inherited {
		err = p.inherit(env)
	} else {
		err = p.dial(ctx, env)
	}
	if err != nil {
		return nil, err
	}
	err = exchange.Wakeable(ctx, p.conn, func() error {
		if !inherited {
			if err := p.introduce(env.Get("PMI_ID")); err != nil {
				return err
			}
		}
		return p.init()
	})
	if err != nil {
		return nil, fmt.Errorf("the start of PMI-1 failed: %w", err)
	}
	return &Rank{rank: p.rank, size: p.size, link: p}, nil
}

// inherit uses the socket that this process has inherited from the launcher.
func (p *pmi) inherit(env detect.Lookup) error {
	at, err := env.Numbered("PMI_RANK", "PMI_SIZE")
	if err != nil {
		return err
	}
	p.rank, p.size = at.Rank, at.Size
	fd, err := env.Number("PMI_FD", 3, 1<<20)
	if err != nil {
		return err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return &detect.EnvError{Variable: "PMI_FD", Value: env.Get("PMI_FD"), Problem: "is no socket of this process: whatever started it has closed the launcher's; start gobench itself by the launcher, or unset PMI_FD"}
	}
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return fmt.Errorf("the socket to the launcher cannot be used: %w", err)
	}
	p.use(os.NewFile(uintptr(fd), "launcher"))
	return nil
}

// dial connects to the launcher, which then sends the rank of this process to introduce (MPICH,
// src/pmi/src/pmi_v1.c).
func (p *pmi) dial(ctx context.Context, env detect.Lookup) error {
	d := net.Dialer{Timeout: 20 * time.Second}
	conn, err := d.DialContext(ctx, "tcp", env.Get("PMI_PORT"))
	if err != nil {
		return &detect.EnvError{Variable: "PMI_PORT", Value: env.Get("PMI_PORT"), Problem: fmt.Sprintf("cannot be connected to: %v", err)}
	}
	p.use(conn)
	return nil
}

// introduce asks a launcher without PMI_RANK and PMI_SIZE for both.
func (p *pmi) introduce(id string) error {
	if _, err := p.ask("initack", "initack", "pmiid="+id); err != nil {
		return err
	}
	said := map[string]string{}
	for range 3 {
		answer, _, err := p.read()
		if err != nil {
			return err
		}
		maps.Copy(said, answer)
	}
	at, err := detect.Lookup(func(name string) (string, bool) { v, ok := said[name]; return v, ok }).Numbered("rank", "size")
	p.rank, p.size = at.Rank, at.Size
	return err
}

func (p *pmi) use(conn exchange.Conn) {
	p.conn, p.r = conn, bufio.NewReader(conn)
}

func (p *pmi) init() error {
	answer, err := p.ask("init", "response_to_init", "pmi_version=1", "pmi_subversion=1")
	if err != nil {
		return err
	}
	if answer["pmi_version"] != "1" || answer["rc"] != "0" {
		return fmt.Errorf("the launcher speaks version %s.%s of PMI, and gobench speaks 1.1", answer["pmi_version"], answer["pmi_subversion"])
	}
	if answer, err = p.ask("get_maxes", "maxes"); err != nil {
		return err
	}
	longest, err := strconv.Atoi(answer["vallen_max"])
	if err != nil || longest < 64 {
		return &PMIError{Request: "cmd=get_maxes", Answer: "vallen_max=" + answer["vallen_max"]}
	}
	if answer, err = p.ask("get_my_kvsname", "my_kvsname"); err != nil {
		return err
	}
	p.space = answer["kvsname"]
	// Slurm accepts lines of at most 1023 bytes, whatever value length it announces.
	const line, others = 1023, len("cmd=put kvsname= key=gb-1000000-1000000-10000 value=1000000.\n")
	p.piece = (min(longest-len("1000000.")-1, line-others-len(p.space))) / 4 * 3 // in base64
	if p.piece < 3 {
		return &PMIError{Request: "cmd=get_my_kvsname", Answer: "kvsname=" + p.space}
	}
	return nil
}

// ask sends a request and returns the fields of its answer.
func (p *pmi) ask(request, want string, fields ...string) (map[string]string, error) {
	line := "cmd=" + request
	for _, f := range fields {
		line += " " + f
	}
	if _, err := p.conn.Write([]byte(line + "\n")); err != nil {
		return nil, err
	}
	answer, text, err := p.read()
	if err != nil {
		return nil, err
	}
	switch rc := answer["rc"]; {
	case answer["cmd"] != want:
		return nil, &PMIError{Request: line, Answer: text}
	case rc != "" && rc != "0":
		return nil, &PMIError{line, text, cmp.Or(answer["msg"], "rc="+rc)}
	}
	return answer, nil
}

// read reads a message. Keys come in any order, and unknown ones are passed over; only the last
// value may hold blanks.
func (p *pmi) read() (fields map[string]string, text string, err error) {
	const maxLine = 128 << 10
	for {
		part, err := p.r.ReadSlice('\n')
		text += string(part)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) || len(text) > maxLine {
			return nil, "", fmt.Errorf("the connection to the launcher is lost: %w", exchange.NoEOF(err))
		}
	}
	text = strings.TrimSuffix(text, "\n")
	fields = map[string]string{}
	for rest := text; rest != ""; {
		key, after, found := strings.Cut(rest, "=")
		if !found {
			break
		}
		value := after
		rest = ""
		// A value ends before the next key. Text after msg= may hold blanks, and value= ends the
		// line.
		if at := strings.IndexByte(after, ' '); at >= 0 && key != "value" && strings.Contains(after[at:], "=") {
			value, rest = after[:at], strings.TrimLeft(after[at:], " ")
		}
		fields[key] = value
	}
	return fields, text, nil
}

// Exchange puts the blob in pieces, waits in the launcher's barrier, and gets the blobs of the
// others. Each round has its own keys, so one barrier is enough.
func (p *pmi) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if p.broken != nil {
		return nil, p.broken
	}
	var blobs [][]byte
	err := exchange.Wakeable(ctx, p.conn, func() (err error) {
		blobs, err = p.round(blob)
		return err
	})
	if err != nil {
		p.broken = err
		return nil, err
	}
	return blobs, nil
}

func (p *pmi) round(blob []byte) ([][]byte, error) {
	p.rounds++
	for i, rest := 0, blob; i == 0 || len(rest) > 0; i++ {
		part := rest[:min(p.piece, len(rest))]
		rest = rest[len(part):]
		value := base64.RawURLEncoding.EncodeToString(part)
		if i == 0 {
			value = strconv.Itoa(len(blob)) + "." + value
		}
		if _, err := p.ask("put", "put_result", "kvsname="+p.space, "key="+p.key(p.rank, i), "value="+value); err != nil {
			return nil, err
		}
	}
	if _, err := p.ask("barrier_in", "barrier_out"); err != nil {
		return nil, err
	}
	blobs := make([][]byte, p.size)
	for rank := range blobs {
		if rank == p.rank {
			blobs[rank] = append([]byte{}, blob...)
			continue
		}
		var err error
		if blobs[rank], err = p.get(rank); err != nil {
			return nil, err
		}
	}
	return blobs, nil
}

// key names a piece of a rank's blob in this round.
func (p *pmi) key(rank, piece int) string { return fmt.Sprintf("gb-%d-%d-%d", p.rounds, rank, piece) }

func (p *pmi) get(rank int) ([]byte, error) {
	length := 1
	blob := []byte{}
	for i := 0; i == 0 || len(blob) < length; i++ {
		answer, err := p.ask("get", "get_result", "kvsname="+p.space, "key="+p.key(rank, i))
		if refusal := (*PMIError)(nil); errors.As(err, &refusal) && refusal.Refused != "" {
			// All ranks put their pieces before the barrier. PMIx ends a barrier without those that
			// are lost.
			return nil, &device.PeerError{Rank: rank, Cause: "it has not taken part in an exchange: " + refusal.Refused}
		}
		if err != nil {
			return nil, err
		}
		text := answer["value"]
		if i == 0 {
			count, rest, _ := strings.Cut(text, ".")
			if length, err = strconv.Atoi(count); err != nil || length < 0 || length > exchange.MaxBlob {
				return nil, fmt.Errorf("rank %d has put %q where the length of its blob belongs", rank, text)
			}
			text = rest
		}
		part, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(part) == 0 && length > 0 {
			return nil, fmt.Errorf("rank %d has put %q, which is no piece of a blob", rank, text)
		}
		blob = append(blob, part...)
	}
	if len(blob) != length {
		return nil, fmt.Errorf("rank %d has put a blob of %d bytes and not %d", rank, len(blob), length)
	}
	return blob, nil
}

// Failure implements link: PMI-1 has no message for it.
func (p *pmi) Failure() *device.PeerError { return nil }

// Tell implements link: a rank that ends without finalize makes the launcher end the others.
func (p *pmi) Tell(string) { p.failed = true }

func (p *pmi) Close() error {
	if errors.Is(p.broken, device.ErrClosed) {
		return nil
	}
	healthy := p.broken == nil && !p.failed
	p.broken = fmt.Errorf("exchange after the end of the job: %w", device.ErrClosed)
	if !healthy {
		// The end of the process closes the socket. A socket that is closed earlier would not be a
		// failure for the launcher.
		return nil
	}
	p.conn.SetDeadline(time.Now().Add(exchange.AnswerTimeout))
	_, err := p.ask("finalize", "finalize_ack")
	return errors.Join(err, p.conn.Close())
}
