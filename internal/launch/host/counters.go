package host

import (
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Resent is the name of the counter of TCP segments that this host has sent again.
const Resent = "TCP segments sent again"

// interfaceCounters lists counters of errors of a network interface, by their files in statistics.
var interfaceCounters = []string{
	"rx_errors", "tx_errors", "rx_dropped", "tx_dropped", "rx_crc_errors", "rx_frame_errors", "rx_fifo_errors",
	"rx_missed_errors", "rx_length_errors", "rx_over_errors", "tx_carrier_errors", "tx_fifo_errors", "tx_heartbeat_errors", "collisions",
}

// portCounters lists counters of errors of an RDMA port, by their files in counters and
// hw_counters.
var portCounters = []string{
	"symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors",
	"port_rcv_switch_relay_errors", "port_xmit_discards", "port_xmit_constraint_errors", "port_rcv_constraint_errors",
	"local_link_integrity_errors", "excessive_buffer_overrun_errors", "port_xmit_wait", "VL15_dropped",
	"out_of_sequence", "out_of_buffer", "packet_seq_err", "local_ack_timeout_err", "rnr_nak_retry_err",
	"rx_icrc_encapsulated", "implied_nak_seq_err", "duplicate_request", "np_cnp_sent", "rp_cnp_handled", "np_ecn_marked_roce_packets",
}

// tcpCounters maps counters of the kernel, by their names in /proc/net/snmp and /proc/net/netstat,
// to names for people.
var tcpCounters = map[string]string{
	"Tcp: RetransSegs":       Resent,
	"Tcp: InErrs":            "bad TCP segments",
	"Ip: ReasmFails":         "IP packets that could not be put together",
	"Ip: FragFails":          "IP packets that could not be divided",
	"IpExt: InCEPkts":        "packets with a congestion mark (ECN)",
	"TcpExt: TCPTimeouts":    "TCP time-outs",
	"TcpExt: ListenDrops":    "connections dropped by a full queue",
	"TcpExt: TCPMTUPFail":    "failed probes of the MTU",
	"TcpExt: TCPRcvQDrop":    "segments dropped by a full receive queue",
	"TcpExt: TCPAbortFailed": "connections that could not be reset",
}

// congested lists counters, by the ends of their names, that grow where links are busy and nothing
// is wrong.
var congested = []string{"port_xmit_wait", "np_cnp_sent", "rp_cnp_handled", "np_ecn_marked_roce_packets", "rx_dropped", "packets with a congestion mark (ECN)"}

// Faults returns the names among changes of counters that are no mere sign of busy links, sorted.
func Faults(changes map[string]uint64) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(changes)), func(name string) bool {
		return slices.ContainsFunc(congested, func(end string) bool { return strings.HasSuffix(name, end) })
	})
}

// Counters returns the counters of errors of the network that this host has, by names such as
// "eth0 rx_crc_errors". They only grow; a change between two calls is news. Counters of virtual
// interfaces of other network namespaces are not seen.
func Counters() map[string]uint64 { return readCounters(tree{os.DirFS("/")}) }

// Changes returns what has grown from one set of Counters to another.
func Changes(before, after map[string]uint64) map[string]uint64 {
	changed := map[string]uint64{}
	for name, n := range after {
		if old, ok := before[name]; ok && n > old {
			changed[name] = n - old
		}
	}
	return changed
}

func readCounters(t tree) map[string]uint64 {
	all := map[string]uint64{}
	read := func(name, file string) {
		if n, err := strconv.ParseUint(t.text(file), 10, 64); err == nil {
			all[name] = n
		}
	}
	const net = "sys/class/net"
	for _, name := range t.names(net) {
		for _, c := range interfaceCounters {
			read(name+" "+c, path.Join(net, name, "statistics", c))
		}
		read(name+" carrier_changes", path.Join(net, name, "carrier_changes"))
	}
	const rdma = "sys/class/infiniband"
	for _, name := range t.names(rdma) {
		for _, port := range t.names(path.Join(rdma, name, "ports")) {
			for _, directory := range []string{"counters", "hw_counters"} {
				for _, c := range portCounters {
					read(name+"/"+port+" "+c, path.Join(rdma, name, "ports", port, directory, c))
				}
			}
		}
	}
	for _, file := range []string{"proc/net/snmp", "proc/net/netstat"} {
		t.protocols(file, all)
	}
	return all
}

// protocols stores the values of tcpCounters that a file of the kernel has, in pairs of lines:
// names, and then values.
func (t tree) protocols(file string, all map[string]uint64) {
	lines := strings.Split(t.text(file), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		names, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		if len(names) == 0 || len(names) != len(values) || names[0] != values[0] {
			continue
		}
		for k, name := range names[1:] {
			about, known := tcpCounters[names[0]+" "+name]
			if n, err := strconv.ParseUint(values[k+1], 10, 64); known && err == nil {
				all[about] = n
			}
		}
	}
}

// SegmentsResent returns the counter Resent alone, which takes some tens of microseconds.
func SegmentsResent() uint64 { return resentIn(tree{os.DirFS("/")}) }

func resentIn(t tree) uint64 {
	counters := map[string]uint64{}
	t.protocols("proc/net/snmp", counters)
	return counters[Resent]
}
