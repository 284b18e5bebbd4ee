package coll

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"gobench/device"
)

// An OptionsError reports that two ranks have Options that differ in Table, Force, Check or Hosts,
// or devices that differ in whether they offer algorithms in shared memory or of a library. Such
// ranks could run different algorithms in the same operation, wait for each other and never return.
type OptionsError struct {
	Ranks  [2]int    // ranks of the device
	Tables [2]string // the origins of their tables: "defaults", or the path of a file
	Hosts  bool      // they differ in Hosts

	Devices bool // their devices differ: one is a device.Sharer or device.Collector and the other is not
}

func (e *OptionsError) Error() string {
	if e.Hosts {
		return fmt.Sprintf("ranks %d and %d do not agree which ranks share a host: "+
			"all ranks need the same list of hosts from their launcher", e.Ranks[0], e.Ranks[1])
	}
	if e.Devices {
		return fmt.Sprintf("ranks %d and %d have devices of different abilities: all ranks need one that can share memory, "+
			"or has the collective operations of a library, or none", e.Ranks[0], e.Ranks[1])
	}
	return fmt.Sprintf("ranks %d and %d choose the algorithms of collective operations differently (their tables: %s and %s): "+
		"all ranks need the same program, tuning file and options", e.Ranks[0], e.Ranks[1], e.Tables[0], e.Tables[1])
}

// The words of a rank's message to Agree, of 8 bytes each, are followed by the origin of its table.
// Those of the answer are the number of a rank and the first word that differs, and two origins
// follow.
const (
	wordHosts    = iota // a digest
	wordDevice          // the abilities of the device
	wordOptions         // a digest of the rest
	agreeWords          // how many they are
	answerWords  = 2
	agreeWord    = 8
	agreeOrigin  = agreeWords * agreeWord
	answerOrigin = answerWords * agreeWord
)

// Agree compares the Options and the devices of all ranks, collectively. If they differ, every rank
// gets the same *OptionsError. Its messages travel in context.
func (o *Options) Agree(dev device.Device, context int32) error {
	tag := tagsOf(dev).agree
	mine, answer := make([]byte, agreeOrigin+nameSize), make([]byte, answerOrigin+2*nameSize)
	for i, word := range [agreeWords]uint64{wordHosts: digestHosts(o.Hosts, dev.Size()), wordDevice: abilities(dev), wordOptions: o.digest()} {
		binary.LittleEndian.PutUint64(mine[i*agreeWord:], word)
	}
	putText(mine[agreeOrigin:], o.table().Origin)
	tree := knomialTree(dev.Rank(), 0, dev.Size(), 2)
	// Up a binomial tree comes the lowest rank whose options differ from those of the sender. A
	// sender whose own differ is the lowest of its subtree.
	theirs := make([]byte, len(mine)+len(answer))
	for _, child := range slices.Backward(tree.children) { // in ascending order
		if _, err := dev.Recv(theirs, child, tag, context); err != nil {
			return err
		}
		if decodeAnswer(answer) != nil {
			continue
		}
		options, differs := theirs[:len(mine)], 0
		for differs < agreeWords && bytes.Equal(mine[differs*agreeWord:][:agreeWord], options[differs*agreeWord:][:agreeWord]) {
			differs++
		}
		if differs == agreeWords {
			copy(answer, theirs[len(mine):])
		} else {
			binary.LittleEndian.PutUint64(answer, uint64(child))
			binary.LittleEndian.PutUint64(answer[agreeWord:], uint64(differs))
			copy(answer[answerOrigin+nameSize:], options[agreeOrigin:])
		}
		copy(answer[answerOrigin:], mine[agreeOrigin:])
	}
	if dev.Rank() != 0 {
		if err := dev.Send(append(mine, answer...), tree.parent, tag, context); err != nil {
			return err
		}
		if _, err := dev.Recv(answer, tree.parent, tag, context); err != nil {
			return err
		}
	}
	for _, child := range tree.children {
		if err := dev.Send(answer, child, tag, context); err != nil {
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
	tables, differs := b[answerOrigin:], b[agreeWord]
	return &OptionsError{[2]int{0, rank}, [2]string{text(tables), text(tables[nameSize:])}, differs == wordHosts, differs == wordDevice}
}

// abilities returns which kinds of algorithms a device offers beside those by messages.
func abilities(dev device.Device) (set uint64) {
	if _, ok := dev.(device.Sharer); ok {
		set |= 1
	}
	if _, ok := dev.(device.Collector); ok {
		set |= 2
	}
	return set
}

// digestHosts returns a number that is the same for lists that put the same ranks together.
func digestHosts(hosts []int, ranks int) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, HostsOf(hosts, nil, ranks))
	return h.Sum64()
}
