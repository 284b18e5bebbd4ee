package detect

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"

	"gobench/internal/launch/hostlist"
	"gobench/internal/remedy"
)

// apinfo holds the host of each rank, read from the file $PALS_APINFO that Cray PALS or Slurm's
// plugin cray_shasta writes on each host.
type apinfo struct {
	hosts []string // by node
	nodes []int    // of the ranks
}

// Offsets of the header (pals_header_t of Slurm's src/plugins/mpi/cray_shasta/apinfo.h), in
// bytes. It holds the size, offset and number of entries of each table, so that newer versions,
// whose entries are longer, are read as well.
const (
	apinfoVersion = 0
	apinfoPEs     = 64
	apinfoNodes   = 88
	apinfoHeader  = 136
	apinfoHost    = 64 // bytes of the name of a host, after its number
)

// parseAPInfo reads the file.
func parseAPInfo(b []byte) (apinfo, error) {
	var info apinfo
	if len(b) < apinfoHeader {
		return info, fmt.Errorf("has %d bytes, less than its header", len(b))
	}
	if v := binary.LittleEndian.Uint32(b[apinfoVersion:]); v < 1 || v > 100 {
		return info, fmt.Errorf("is of version %d", v)
	}
	nodes, err := apinfoTable(b, apinfoNodes, 4+apinfoHost)
	if err != nil {
		return info, fmt.Errorf("has no table of hosts: %w", err)
	}
	for _, entry := range nodes {
		name, _, _ := bytes.Cut(entry[4:4+apinfoHost], []byte{0})
		info.hosts = append(info.hosts, string(name))
	}
	ranks, err := apinfoTable(b, apinfoPEs, 12)
	if err != nil {
		return info, fmt.Errorf("has no table of ranks: %w", err)
	}
	for rank, entry := range ranks {
		node := int(int32(binary.LittleEndian.Uint32(entry[8:])))
		if node < 0 || node >= len(info.hosts) {
			return info, fmt.Errorf("puts rank %d on host %d of %d", rank, node, len(info.hosts))
		}
		info.nodes = append(info.nodes, node)
	}
	if len(info.nodes) == 0 {
		return info, fmt.Errorf("has no ranks")
	}
	return info, nil
}

// apinfoTable returns the entries of a table. The header has their size, offset and number at the
// given position.
func apinfoTable(b []byte, at, width int) ([][]byte, error) {
	size, offset := binary.LittleEndian.Uint64(b[at:]), binary.LittleEndian.Uint64(b[at+8:])
	count := uint64(binary.LittleEndian.Uint32(b[at+16:]))
	end := uint64(len(b))
	if size < uint64(width) || count > hostlist.MaxRanks || offset > end || size > end || count > (end-offset)/size {
		return nil, fmt.Errorf("%d entries of %d bytes from byte %d on do not fit into %d bytes", count, size, offset, end)
	}
	var entries [][]byte
	for i := range count {
		entries = append(entries, b[offset+i*size:][:size])
	}
	return entries, nil
}

func readPALS(env Lookup) (Identity, error) {
	file := env.Get("PALS_APINFO")
	b, err := os.ReadFile(file)
	if err != nil {
		return Identity{}, &EnvError{"PALS_APINFO", file, fmt.Sprintf("is not the file that Cray PALS writes: %v", err)}
	}
	info, err := parseAPInfo(b)
	if err != nil {
		return Identity{}, &EnvError{"PALS_APINFO", file, err.Error()}
	}
	p := Identity{Size: len(info.nodes), Secret: env.Get("PMI_SHARED_SECRET")}
	if p.Rank, err = env.Number("PALS_RANKID", 0, p.Size-1); err != nil {
		return p, err
	}
	if env.Has("PMI_SIZE") {
		if _, err := env.Number("PMI_SIZE", p.Size, p.Size); err != nil {
			return p, err
		}
	}
	p.Job = "pals " + env.Get("PALS_APID") + " " + env.Get("SLURM_STEP_ID")
	p.Roots, p.Hosts = []string{info.hosts[info.nodes[0]]}, info.hosts
	return p, nil
}

// refuseALPS is the reason why ranks of aprun cannot connect without a bridge: their exchange needs
// Cray's libpmi.
var refuseALPS = remedy.Textf("comes from aprun, which gives ranks no way to meet without Cray's libpmi: start gobench-full (make build-full), which loads it, or give each its %v and all the same %v, HOST being that of rank 0",
	remedy.Set("node", "RANK/SIZE"), remedy.Set("meet", "HOST:PORT"))
