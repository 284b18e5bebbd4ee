package coll

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"gobench/device"
)

// An OptionsError reports that two ranks have Options that differ in Table, Force or Check. Such
// ranks could run different algorithms in the same operation, wait for each other and never return.
type OptionsError struct {
	Ranks  [2]int    // ranks of the device
	Tables [2]string // the origins of their tables: "defaults", or the path of a file
}

func (e *OptionsError) Error() string {
	return fmt.Sprintf("ranks %d and %d choose the algorithms of collective operations differently (their tables: %s and %s): "+
		"all ranks need the same program, tuning file and options", e.Ranks[0], e.Ranks[1], e.Tables[0], e.Tables[1])
}

// agreeTag is the tag of the messages of Agree, which no operation uses.
const agreeTag = strictTag << 1

const agreeWord = 8 // a digest, or the number of a rank

// Agree compares the Options of all ranks of a device, collectively. If they differ, every rank
// gets the same *OptionsError. Its messages travel in context.
func (o *Options) Agree(dev device.Device, context int32) error {
	mine, answer := make([]byte, agreeWord+nameSize), make([]byte, agreeWord+2*nameSize)
	binary.LittleEndian.PutUint64(mine, o.digest())
	putText(mine[agreeWord:], o.table().Origin)
	if dev.Rank() != 0 {
		if err := dev.Send(mine, 0, agreeTag, context); err != nil {
			return err
		}
		if _, err := dev.Recv(answer, 0, agreeTag, context); err != nil {
			return err
		}
		return decodeAnswer(answer)
	}
	for rank := 1; rank < dev.Size(); rank++ {
		theirs := make([]byte, len(mine))
		if _, err := dev.Recv(theirs, rank, agreeTag, context); err != nil {
			return err
		}
		if decodeAnswer(answer) == nil && !bytes.Equal(mine[:agreeWord], theirs[:agreeWord]) {
			binary.LittleEndian.PutUint64(answer, uint64(rank))
			copy(answer[agreeWord:], mine[agreeWord:])
			copy(answer[agreeWord+nameSize:], theirs[agreeWord:])
		}
	}
	for rank := 1; rank < dev.Size(); rank++ {
		if err := dev.Send(answer, rank, agreeTag, context); err != nil {
			return err
		}
	}
	return decodeAnswer(answer)
}

// decodeAnswer returns the *OptionsError in the answer of rank 0, nil if all ranks agree.
func decodeAnswer(b []byte) error {
	rank := int(binary.LittleEndian.Uint64(b))
	if rank == 0 {
		return nil
	}
	return &OptionsError{[2]int{0, rank}, [2]string{text(b[agreeWord:]), text(b[agreeWord+nameSize:])}}
}
