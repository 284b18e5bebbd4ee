package exchange

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"gobench/device"
)

// A rank and the hub exchange a stream of frames: a header of 8 bytes, little endian,
//
//	bytes 0..3  kind
//	bytes 4..7  length of what follows, in bytes
//
// and then by kind
//
//	blob     rank to hub: the rank's blob of this round
//	blobs    hub to rank: the blobs of all ranks in order, each after its length in 4 bytes
//	lost     hub to rank: the rank that was lost in 4 bytes, then the cause in words
//	bye      rank to hub: no more exchanges
//	why      rank to hub: why was I asked to end; the answer is a lost frame, of rank -1 where no rank has failed
//	told     rank to hub: in words, why the rank fails, for the launcher to print if nobody else does
//
// Between the process that starts a job (the root) and the agent of a host the same frames carry
// the blobs of the agent's ranks, and of all ranks back, the rank that was lost, in both
// directions, and further
//
//	beat     both ways: the sender lives
//	order    root to agent: what to start, an order in JSON
//	begun    agent to root: an answer in JSON
//	output   agent to root: 1 or 2 in one byte, then what ranks wrote to standard output or error
//	mute     root to agent: 1 or 2 in one byte: nobody reads that output any more
//	signal   root to agent: the number of a signal for all ranks in 4 bytes
//	failed   root to agent: as lost; because of this rank the others are asked to end
//	status   agent to root: how a rank has ended, an outcome.Status in JSON
//	notice   agent to root: a line for people
//	over     agent to root: all ranks have ended, and their output is complete
//
// and, each with the number of a tunnel in 4 bytes first,
//
//	dial     root to agent: a dialing in JSON: connect the agent of another host (here the number is in the JSON)
//	dialed   agent to root: the reason why that has failed, in words; none = it is connected
//	tunnel   both ways: bytes of the stream to that agent
//	hangup   both ways: the end of that stream, with what there is to say about it
type FrameKind uint32

// Both sides of a stream are the same build (agents are asked for the digest of their program), so
// these numbers may change.
const (
	frameBlob FrameKind = iota + 1
	FrameBlobs
	FrameLost
	frameBye
	frameWhy
	frameTold
	FrameBeat
	FrameOrder
	FrameBegun
	FrameOutput
	FrameMute
	FrameSignal
	FrameFailed
	FrameStatus
	FrameOver
	FrameNotice
	FrameDial
	FrameDialed
	FrameTunnel
	FrameHangUp
)

// OfTunnel reports whether a frame begins with the number of a tunnel.
func (k FrameKind) OfTunnel() bool { return k == FrameDialed || k == FrameTunnel || k == FrameHangUp }

// Sizes in bytes. Both bound what a frame of a peer makes this side allocate.
const (
	FrameHeader = 8
	MaxCause    = 4096 // bytes of the words of a lost frame
)

func writeHeader(w io.Writer, kind FrameKind, length int) error {
	var h [FrameHeader]byte
	binary.LittleEndian.PutUint32(h[:], uint32(kind))
	binary.LittleEndian.PutUint32(h[4:], uint32(length))
	_, err := w.Write(h[:])
	return err
}

// ReadHeader returns io.EOF where the stream ends between two frames.
func ReadHeader(r io.Reader) (FrameKind, int, error) {
	var h [FrameHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return 0, 0, err
	}
	return FrameKind(binary.LittleEndian.Uint32(h[:])), int(binary.LittleEndian.Uint32(h[4:])), nil
}

// FrameError reports a frame that violates the protocol.
type FrameError struct {
	Kind   FrameKind
	Length int
}

func (e *FrameError) Error() string {
	return fmt.Sprintf("unexpected frame of kind %d with %d bytes", e.Kind, e.Length)
}

func writeBlob(w *bufio.Writer, kind FrameKind, blob []byte) error {
	if err := writeHeader(w, kind, len(blob)); err != nil {
		return err
	}
	if _, err := w.Write(blob); err != nil {
		return err
	}
	return w.Flush()
}

// ReadBody reads the length bytes of a frame. It allocates memory as they arrive, so that a wrong
// length does not allocate much.
func ReadBody(r io.Reader, kind FrameKind, length, limit int) ([]byte, error) {
	if length > limit {
		return nil, &FrameError{kind, length}
	}
	if length <= 64<<10 {
		body := make([]byte, length)
		_, err := io.ReadFull(r, body)
		return body, NoEOF(err)
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err == nil && len(body) < length {
		err = io.ErrUnexpectedEOF
	}
	return body, err
}

// WriteBlobs writes a blobs frame.
func WriteBlobs(w *bufio.Writer, blobs [][]byte) error {
	total := 0
	for _, b := range blobs {
		total += 4 + len(b)
	}
	if err := writeHeader(w, FrameBlobs, total); err != nil {
		return err
	}
	var length [4]byte
	for _, b := range blobs {
		binary.LittleEndian.PutUint32(length[:], uint32(len(b)))
		if _, err := w.Write(length[:]); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return w.Flush()
}

// ReadBlobs reads the body of a blobs frame for n ranks. It returns a *FrameError unless the
// lengths of the blobs, with four bytes each, add up to total, and no blob is longer than MaxBlob.
func ReadBlobs(r io.Reader, n, total int) ([][]byte, error) {
	blobs := make([][]byte, n)
	left := total
	for i := range blobs {
		var length [4]byte
		if left -= len(length); left < 0 {
			return nil, &FrameError{FrameBlobs, total}
		}
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return nil, NoEOF(err)
		}
		size := int(binary.LittleEndian.Uint32(length[:]))
		if left -= size; left < 0 {
			return nil, &FrameError{FrameBlobs, total}
		}
		var err error
		if blobs[i], err = ReadBody(r, FrameBlobs, size, MaxBlob); err != nil {
			return nil, err
		}
	}
	if left != 0 {
		return nil, &FrameError{FrameBlobs, total}
	}
	return blobs, nil
}

func writeLost(w *bufio.Writer, rank int, cause string) error {
	cause = cause[:min(len(cause), MaxCause)]
	return writeBlob(w, FrameLost, append(binary.LittleEndian.AppendUint32(nil, uint32(int32(rank))), cause...))
}

func readLost(r io.Reader, length int) (rank int, cause string, err error) {
	body, err := ReadBody(r, FrameLost, length, 4+MaxCause)
	if err != nil {
		return 0, "", err
	}
	if len(body) < 4 {
		return 0, "", &FrameError{FrameLost, length}
	}
	return int(int32(binary.LittleEndian.Uint32(body))), string(body[4:]), nil
}

// NoEOF turns an io.EOF inside a frame into io.ErrUnexpectedEOF.
func NoEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// MaxBlob is the maximum size of one blob of Exchange, in bytes.
const MaxBlob = 1 << 20

// CheckBlob returns an error for a blob that is larger than MaxBlob.
func CheckBlob(blob []byte) error {
	if len(blob) > MaxBlob {
		return &device.ArgumentError{Name: "size of the blob", Value: len(blob), Want: fmt.Sprintf("at most %d bytes", MaxBlob)}
	}
	return nil
}
