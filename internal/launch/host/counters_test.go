package host

import (
	"maps"
	"testing"
	"testing/fstest"
)

func TestCounters(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	files := fstest.MapFS{
		"sys/class/net/eth0/statistics/rx_crc_errors":                 file("7\n"),
		"sys/class/net/eth0/statistics/rx_packets":                    file("1000\n"), // no error
		"sys/class/net/eth0/carrier_changes":                          file("3\n"),
		"sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error":   file("2\n"),
		"sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent": file("11\n"),
		"proc/net/snmp":    file("Ip: Forwarding ReasmFails\nIp: 1 4\nTcp: ActiveOpens RetransSegs\nTcp: 9 5\n"),
		"proc/net/netstat": file("TcpExt: SyncookiesSent TCPTimeouts\nTcpExt: 0 6\nIpExt: InCEPkts\nIpExt: 8 9\n"), // the last is broken
	}
	want := map[string]uint64{
		"eth0 rx_crc_errors": 7, "eth0 carrier_changes": 3, "mlx5_0/1 symbol_error": 2, "mlx5_0/1 np_cnp_sent": 11,
		"IP packets that could not be put together": 4, Resent: 5, "TCP time-outs": 6,
	}
	got := readCounters(tree{files})
	if !maps.Equal(got, want) {
		t.Errorf("counters %v, want %v", got, want)
	}
	later := maps.Clone(got)
	later["eth0 rx_crc_errors"] = 10
	later["new"] = 1
	if c := Changes(got, later); !maps.Equal(c, map[string]uint64{"eth0 rx_crc_errors": 3}) {
		t.Errorf("changes %v", c)
	}
	if got := resentIn(tree{files}); got != 5 {
		t.Errorf("%d segments sent again, want 5", got)
	}
}
