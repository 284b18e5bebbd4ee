package tcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// The handshake of a connection. Both sides prove that they belong to the job by a secret that rank 0 drew and
// that only the job's ranks have seen: each answers to a number that the other has drawn, so that
// the secret itself never crosses the network, and what was said once is of no use to who has heard it.
// It keeps strangers out of a measurement. It does not encrypt, and does not protect what comes after it.
//
//	caller    hello    magic 8 | version 2 | index 1 | connections 1 | from 4 | to 4 | nonce 16   = 36 bytes
//	listener  welcome  magic 8 | version 2 | status 1 | zero 1 | from 4 | nonce 16 | proof 32    = 64 bytes
//	caller    proof 32
//	listener  status 1
//
// A proof is the HMAC-SHA-256, under the secret, of who gives it, the hello, and the welcome up to its nonce.
const (
	magic       = "gobench\n"
	version     = uint16(2)
	secretSize  = 32
	nonceSize   = 16
	proofSize   = sha256.Size
	helloSize   = 36
	welcomeSize = 64
)

// secret is drawn once for each job.
type secret [secretSize]byte

// nonce is drawn once for each handshake by each side.
type nonce [nonceSize]byte

func newNonce() (n nonce) {
	rand.Read(n[:])
	return n
}

// The two that give proofs; a proof of the one is none of the other.
const (
	byCaller   = "caller"
	byListener = "listener"
)

// proof is what the one that is named has to answer.
func (s *secret) proof(by string, hello, welcome []byte) []byte {
	h := hmac.New(sha256.New, s[:])
	h.Write([]byte(by))
	h.Write(hello[:helloSize])
	h.Write(welcome[:welcomeSize-proofSize])
	return h.Sum(nil)
}

// hello is what the one that connects says about itself.
type hello struct {
	version     uint16
	index       int // which connection of the pair
	connections int
	from, to    int
	nonce       nonce
}

func (h hello) encode() []byte {
	b := make([]byte, 0, helloSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, h.version)
	b = append(b, byte(h.index), byte(h.connections))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.from))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.to))
	return append(b, h.nonce[:]...)
}

var errMagic = errors.New("it does not speak gobench's protocol")

func decodeHello(b []byte) (hello, error) {
	if len(b) != helloSize || string(b[:8]) != magic {
		return hello{}, errMagic
	}
	return hello{
		version:     binary.LittleEndian.Uint16(b[8:]),
		index:       int(b[10]),
		connections: int(b[11]),
		from:        int(binary.LittleEndian.Uint32(b[12:])),
		to:          int(binary.LittleEndian.Uint32(b[16:])),
		nonce:       nonce(b[20:]),
	}, nil
}

// status is the answer to a hello.
type status byte

const (
	welcome status = iota
	wrongVersion
	wrongSecret
	wrongRank
	wrongConnections
	notExpected
)

var statusNames = [...]string{
	welcome:          "welcome",
	wrongVersion:     "another version of the protocol",
	wrongSecret:      "the secret of another job",
	wrongRank:        "a rank that does not exist, or is not to connect here",
	wrongConnections: "another number of connections for each pair",
	notExpected:      "a connection that exists already",
}

func (v status) String() string {
	if int(v) < len(statusNames) {
		return statusNames[v]
	}
	return fmt.Sprintf("reason %d", byte(v))
}

// checkHello checks what a hello says that has reached rank me of a job of size ranks.
func checkHello(h hello, me, size, connections int) status {
	switch {
	case h.version != version:
		return wrongVersion
	case h.to != me || h.from <= me || h.from >= size:
		return wrongRank
	case h.connections != connections || h.index >= connections:
		return wrongConnections
	}
	return welcome
}

// encodeWelcome answers a hello. Who is not welcome gets no proof.
func encodeWelcome(v status, from int, h hello, s *secret) []byte {
	b := make([]byte, 0, welcomeSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = append(b, byte(v), 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(from))
	if v != welcome {
		return b[:welcomeSize]
	}
	n := newNonce()
	b = append(b, n[:]...)
	return append(b, s.proof(byListener, h.encode(), b[:welcomeSize])...)
}

// checkWelcome reads the answer to a hello.
func checkWelcome(b []byte, h hello, s *secret) error {
	if len(b) != welcomeSize || string(b[:8]) != magic {
		return errMagic
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version {
		return fmt.Errorf("it speaks version %d of the protocol, this is version %d", v, version)
	}
	if v := status(b[10]); v != welcome {
		return refusedBy(v)
	}
	if from := binary.LittleEndian.Uint32(b[12:]); int(from) != h.to {
		return fmt.Errorf("rank %d answered in its place", from)
	}
	if !hmac.Equal(b[welcomeSize-proofSize:], s.proof(byListener, h.encode(), b)) {
		return errors.New("it does not know the secret of this job")
	}
	return nil
}

func refusedBy(v status) error { return fmt.Errorf("it refused the connection: %v", v) }

// readHello reads one hello before the deadline; not a byte more is read.
func readHello(c net.Conn, deadline time.Time) (hello, error) {
	b := make([]byte, helloSize)
	c.SetDeadline(deadline)
	// The magic number comes first, so that a stranger is sent away with its
	// first line and need not be waited for.
	if _, err := io.ReadFull(c, b[:len(magic)]); err != nil {
		return hello{}, handshakeError(err)
	}
	if string(b[:len(magic)]) != magic {
		return hello{}, errMagic
	}
	if _, err := io.ReadFull(c, b[len(magic):]); err != nil {
		return hello{}, handshakeError(err)
	}
	return decodeHello(b)
}

func handshakeError(err error) error {
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("it did not finish the handshake in time")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it closed the connection during the handshake")
	}
	return err
}
