package memwire

import "gobench/device/protocol"

// A Hostility configures the faults and delays of a wire that the contract permits. Chances are in
// 1/256.
type Hostility struct {
	Seed uint64

	Queue      int   // packets that wait for one receiver from one sender
	Packet     int   // most data bytes of a packet
	EagerLimit int   // suggested to the protocol
	NoRoom     uint8 // chance that Push returns false although there is room
	Withhold   uint8 // chance that a Poll leaves out a peer that has packets

	Methods []protocol.Method // that the RMA offers, best first; none for a wire without RMA
	Busy    uint8             // chance that Put and Get answer Busy
	Pending uint8             // chance that they answer Pending
	Late    int               // polls within which a pending one ends
	Refuse  uint8             // chance that Register refuses
	Notices bool              // transfers end by notices
}

func (h Hostility) limits() protocol.Limits {
	return protocol.Limits{
		Packet:        h.Packet,
		Fragment:      h.Packet,
		EagerLimit:    h.EagerLimit,
		MemoryPerPair: 2 * int64(h.Queue) * int64(h.Packet),
		Methods:       h.Methods,
		Written:       true,
		Copy:          "direct",
		Goroutines:    true,
	}
}
