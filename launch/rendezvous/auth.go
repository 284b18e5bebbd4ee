package rendezvous

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
)

// A rank that connects to rank 0 and rank 0 authenticate each other with the secret of the job, by
// HMAC-SHA256 over random numbers (nonces) of both sides:
//
//	rank to root: magic, nonce
//	root to rank: magic, nonce, HMAC("root", both nonces)
//	rank to root: HMAC("rank", both nonces, who), who
//	root to rank: HMAC("answer", both nonces, refusal), refusal
//
// who is JSON, and the refusal is text; both follow their length in 4 bytes, little endian. An
// empty refusal accepts the rank, and frames follow. Root authenticates first, so that a rank that
// tries several addresses sends its identity to rank 0 only.
const meetMagic = "gobench\x01"

const (
	nonceSize = 32
	macSize   = sha256.Size
	maxWho    = 4096
	// handshakeTimeout limits the time that each side waits for the other.
	handshakeTimeout = 5 * time.Second
)

// A caller is the rank that connects to rank 0.
type caller struct {
	Job  string `json:"job"`
	Rank int    `json:"rank"`
	Size int    `json:"size"`
}

// strangerError is the reason why rank 0 refuses a connection.
type strangerError struct{ why string }

func (e *strangerError) Error() string { return e.why }

var errNoMagic = &strangerError{"it is no gobench of this version"}

// refusalError is the refusal of an authenticated rank 0.
type refusalError struct{ why string }

func (e *refusalError) Error() string { return e.why }

// prover makes the proofs of one connection.
type prover struct {
	secret string
	nonces []byte // of the rank, then of root
}

func (p prover) mac(label string, text []byte) []byte {
	h := hmac.New(sha256.New, []byte(p.secret))
	io.WriteString(h, label)
	h.Write([]byte{0})
	h.Write(p.nonces)
	h.Write(text)
	return h.Sum(nil)
}

// send writes a proof and the text that it covers.
func (p prover) send(conn io.Writer, label string, text []byte) error {
	b := p.mac(label, text)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	_, err := conn.Write(append(b, text...))
	return err
}

var errWrongSecret = errors.New("it has another secret")

// receive reads what send has written.
func (p prover) receive(conn io.Reader, label string) ([]byte, error) {
	head := make([]byte, macSize+4)
	if _, err := io.ReadFull(conn, head); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(head[macSize:])
	if length > maxWho {
		return nil, errWrongSecret
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(conn, text); err != nil {
		return nil, err
	}
	if !hmac.Equal(head[:macSize], p.mac(label, text)) {
		return nil, errWrongSecret
	}
	return text, nil
}

func nonce() []byte {
	b := make([]byte, nonceSize)
	rand.Read(b) // never fails
	return b
}

// greetCaller authenticates a caller at rank 0 and returns a function that sends the answer. A
// caller without the secret is a *strangerError.
func greetCaller(conn net.Conn, secret string, c *caller) (answer func(refusal string) error, err error) {
	head := make([]byte, len(meetMagic)+nonceSize)
	if _, err := io.ReadFull(conn, head[:len(meetMagic)]); err != nil {
		return nil, &strangerError{"it says nothing"}
	}
	if string(head[:len(meetMagic)]) != meetMagic {
		return nil, errNoMagic
	}
	if _, err := io.ReadFull(conn, head[len(meetMagic):]); err != nil {
		return nil, errNoMagic
	}
	own := nonce()
	p := prover{secret, append(head[len(meetMagic):], own...)}
	if _, err := conn.Write(append(append([]byte(meetMagic), own...), p.mac("root", nil)...)); err != nil {
		return nil, err
	}
	who, err := p.receive(conn, "rank")
	if errors.Is(err, errWrongSecret) {
		return nil, &strangerError{"it has another secret: all ranks need the same " + detect.EnvSecret}
	}
	if err != nil {
		return nil, err // the caller has found rank 0 at another address, or has another secret
	}
	if err := json.Unmarshal(who, c); err != nil {
		return nil, errNoMagic
	}
	return func(refusal string) error {
		return p.send(conn, "answer", []byte(refusal[:min(len(refusal), maxWho)]))
	}, nil
}

// findRoot authenticates rank 0 at the other side of conn. It sends nothing about this rank.
func findRoot(conn net.Conn, secret string) (prover, error) {
	own := nonce()
	if _, err := conn.Write(append([]byte(meetMagic), own...)); err != nil {
		return prover{}, err
	}
	head := make([]byte, len(meetMagic)+nonceSize+macSize)
	if _, err := io.ReadFull(conn, head[:len(meetMagic)]); err != nil {
		return prover{}, fmt.Errorf("what listens there does not answer: %w", exchange.NoEOF(err))
	}
	if string(head[:len(meetMagic)]) != meetMagic {
		return prover{}, errors.New("what listens there is no gobench of this version")
	}
	if _, err := io.ReadFull(conn, head[len(meetMagic):]); err != nil {
		return prover{}, err
	}
	theirs, proof := head[len(meetMagic):][:nonceSize], head[len(meetMagic)+nonceSize:]
	p := prover{secret, append(own, theirs...)}
	if !hmac.Equal(proof, p.mac("root", nil)) {
		return prover{}, errors.New("what listens there has another secret: all ranks need the same " + detect.EnvSecret)
	}
	return p, nil
}

// introduce sends rank 0 the identity of this rank and returns its answer.
func introduce(conn net.Conn, p prover, c caller) error {
	who, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := p.send(conn, "rank", who); err != nil {
		return err
	}
	refusal, err := p.receive(conn, "answer")
	if err != nil {
		return err
	}
	if len(refusal) > 0 {
		return &refusalError{string(refusal)}
	}
	return nil
}
