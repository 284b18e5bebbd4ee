package hybrid

import (
	"fmt"

	"gobench/device/protocol"
)

// exporter is the protocol.Exporter of a rank. All ranks have one, because collective operations
// call it on all of them, but a rank that is alone on its host shares no memory.
type exporter struct {
	inside protocol.Wire // nil: this rank is alone
	rank   int
}

// Export implements protocol.Exporter.
func (x exporter) Export(mem []byte) ([]byte, error) {
	if e, ok := x.inside.(protocol.Exporter); ok {
		return e.Export(mem)
	}
	return nil, fmt.Errorf("rank %d shares no memory with any other", x.rank)
}

// Import implements protocol.Exporter. It fails for a peer on another host.
func (x exporter) Import(peer int, name []byte) ([]byte, error) {
	if e, ok := x.inside.(protocol.Exporter); ok {
		return e.Import(peer, name)
	}
	return nil, fmt.Errorf("rank %d shares no memory with any other", x.rank)
}

// Post implements protocol.Exporter.
func (x exporter) Post(dst, src []byte) {
	if e, ok := x.inside.(protocol.Exporter); ok {
		e.Post(dst, src)
		return
	}
	copy(dst, src)
}

// Fetch implements protocol.Exporter.
func (x exporter) Fetch(dst, src []byte) {
	if e, ok := x.inside.(protocol.Exporter); ok {
		e.Fetch(dst, src)
		return
	}
	copy(dst, src)
}

// Gap implements protocol.Exporter.
func (x exporter) Gap() int {
	if e, ok := x.inside.(protocol.Exporter); ok {
		return e.Gap()
	}
	return 0
}
