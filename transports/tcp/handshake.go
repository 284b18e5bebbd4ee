package tcp

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// The handshake of a connection. Who connects sends a hello, who listens
// answers with a welcome; both prove that they belong to the job by one half
// each of a secret that rank 0 drew and that only the job's ranks have seen.
// It keeps strangers out of a measurement. It does not encrypt.
//
//	hello    magic 8 | version 2 | index 1 | connections 1 | from 4 | to 4 | secret 16   = 36 bytes
//	welcome  magic 8 | version 2 | verdict 1 | zero 1 | from 4 | secret 16             = 32 bytes
const (
	magic       = "gobench\n"
	version     = uint16(1)
	secretSize  = 16
	helloSize   = 36
	welcomeSize = 32
)

// secret is drawn once for each job: one half for hellos, one for welcomes.
type secret struct{ hello, welcome [secretSize]byte }

// hello is what the one that connects says about itself.
type hello struct {
	version     uint16
	index       int // which connection of the pair
	connections int
	from, to    int
	secret      [secretSize]byte
}

func (h hello) encode() []byte {
	b := make([]byte, 0, helloSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, h.version)
	b = append(b, byte(h.index), byte(h.connections))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.from))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.to))
	return append(b, h.secret[:]...)
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
		secret:      [secretSize]byte(b[20:]),
	}, nil
}

// verdict is the answer to a hello.
type verdict byte

const (
	welcome verdict = iota
	wrongVersion
	wrongSecret
	wrongRank
	wrongConnections
	notExpected
)

var verdicts = [...]string{
	welcome:          "welcome",
	wrongVersion:     "another version of the protocol",
	wrongSecret:      "the secret of another job",
	wrongRank:        "a rank that does not exist, or is not to connect here",
	wrongConnections: "another number of connections for each pair",
	notExpected:      "a connection that exists already",
}

func (v verdict) String() string {
	if int(v) < len(verdicts) {
		return verdicts[v]
	}
	return fmt.Sprintf("reason %d", byte(v))
}

// judge checks a hello that has reached rank me of a job of size ranks.
func judge(h hello, me, size, connections int, s *secret) verdict {
	switch {
	case h.version != version:
		return wrongVersion
	case subtle.ConstantTimeCompare(h.secret[:], s.hello[:]) != 1:
		return wrongSecret
	case h.to != me || h.from <= me || h.from >= size:
		return wrongRank
	case h.connections != connections || h.index >= connections:
		return wrongConnections
	}
	return welcome
}

func encodeWelcome(v verdict, from int, s *secret) []byte {
	b := make([]byte, 0, welcomeSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = append(b, byte(v), 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(from))
	if v != welcome {
		return append(b, make([]byte, secretSize)...) // a stranger learns nothing
	}
	return append(b, s.welcome[:]...)
}

// checkWelcome reads the answer to a hello to rank.
func checkWelcome(b []byte, rank int, s *secret) error {
	if len(b) != welcomeSize || string(b[:8]) != magic {
		return errMagic
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version {
		return fmt.Errorf("it speaks version %d of the protocol, this is version %d", v, version)
	}
	if v := verdict(b[10]); v != welcome {
		return fmt.Errorf("it refused the connection: %v", v)
	}
	if from := binary.LittleEndian.Uint32(b[12:]); int(from) != rank {
		return fmt.Errorf("rank %d answered in its place", from)
	}
	if subtle.ConstantTimeCompare(b[16:], s.welcome[:]) != 1 {
		return errors.New("it does not know the secret of this job")
	}
	return nil
}

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
