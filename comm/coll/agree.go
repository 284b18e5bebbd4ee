package coll

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"gobench/device"
)

// An OptionsError reports that two ranks have Options that differ in Table, Force, Check or Hosts.
// Such ranks could run different algorithms in the same operation, wait for each other and never
// return.
type OptionsError struct {
	Ranks  [2]int    // ranks of the device
	Tables [2]string // the origins of their tables: "defaults", or the path of a file
	Hosts  bool      // they differ in Hosts
}

func (e *OptionsError) Error() string {
	if e.Hosts {
		return fmt.Sprintf("ranks %d and %d do not agree which ranks share a host: "+
			"all ranks need the same list of hosts from their launcher", e.Ranks[0], e.Ranks[1])
	}
	return fmt.Sprintf("ranks %d and %d choose the algorithms of collective operations differently (their tables: %s and %s): "+
		"all ranks need the same program, tuning file and options", e.Ranks[0], e.Ranks[1], e.Tables[0], e.Tables[1])
}

const agreeWord = 8 // a digest, the number of a rank, or 1 where hosts differ

// Agree compares the Options of all ranks of a device, collectively. If they differ, every rank
// gets the same *OptionsError. Its messages travel in context.
func (o *Options) Agree(dev device.Device, context int32) error {
	tag := tagsOf(dev).agree
	mine, answer := make([]byte, 2*agreeWord+nameSize), make([]byte, 2*agreeWord+2*nameSize)
	binary.LittleEndian.PutUint64(mine, o.digest())
	binary.LittleEndian.PutUint64(mine[agreeWord:], digestHosts(o.Hosts, dev.Size()))
	putText(mine[2*agreeWord:], o.table().Origin)
	tree := knomialTree(dev.Rank(), 0, dev.Size(), 2)
	// Up a binomial tree comes the lowest rank whose options differ from those of the sender. A sender whose
	// own differ is the lowest of its subtree.
	theirs := make([]byte, len(mine)+len(answer))
	for _, child := range slices.Backward(tree.children) { // in ascending order
		if _, err := dev.Recv(theirs, child, tag, context); err != nil {
			return err
		}
		switch options := theirs[:len(mine)]; {
		case decodeAnswer(answer) != nil:
		case bytes.Equal(mine[:2*agreeWord], options[:2*agreeWord]):
			copy(answer, theirs[len(mine):])
			copy(answer[2*agreeWord:], mine[2*agreeWord:])
		default:
			binary.LittleEndian.PutUint64(answer, uint64(child))
			if bytes.Equal(mine[:agreeWord], options[:agreeWord]) {
				answer[agreeWord] = 1
			}
			copy(answer[2*agreeWord:], mine[2*agreeWord:])
			copy(answer[2*agreeWord+nameSize:], options[2*agreeWord:])
		}
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
	tables := b[2*agreeWord:]
	return &OptionsError{[2]int{0, rank}, [2]string{text(tables), text(tables[nameSize:])}, b[agreeWord] != 0}
}

// digestHosts returns a number that is the same for lists that put the same ranks together.
func digestHosts(hosts []int, ranks int) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, HostsOf(hosts, nil, ranks))
	return h.Sum64()
}
