//go:build ucx && cgo

package ucx

import (
	"maps"
	"os"
	"testing"
	"time"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// without are rules that no device over UCX keeps.
var without = map[string]string{
	"truncation":                   "UCX drops a message that is too long, so nothing of it is in the buffer",
	"truncation of a self message": "UCX drops a message that is too long",
	"cancel a send":                "UCX cannot take a message back that nobody has received",
	"10000 unexpected messages":    "UCX keeps messages that no receive waits for, without a limit",
}

// blocked are rules that shared memory without cma does not keep either, with more than two ranks:
// a process that is killed while it copies into the receive queue of another one
// (uct_mm_ep_am_common_send of UCX reserves an element first, and marks it as written last) blocks
// that queue for all its senders, and the rank loses all peers (echo.c). With cma fewer bytes go
// that way, and only "death of a host", whose victims send short messages, meets it now and then:
// TestKills counts it where a number is asked for.
var blocked = map[string]string{
	"death in large transfers": "a rank that dies while it copies into the queue of another one blocks the queue",
	"death of a host":          "a rank that dies while it copies into the queue of another one blocks the queue",
}

// subject returns the driver with a choice of UCX's transports. Over TCP long messages are puts and
// no packet is sent from its buffer: where a connection ends in the middle of such a packet, UCX
// ends the request twice, and an assertion ends the process (docs/notes/ucx-ofi.md). That is half
// as fast, so it is not the default.
func subject(t *testing.T, tls string) devicetest.Subject {
	if tls == "tcp,self" {
		t.Setenv("UCX_RNDV_SCHEME", "put_zcopy")
		t.Setenv("UCX_ZCOPY_THRESH", "inf")
	}
	s := devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, Options: map[string]string{"tls": tls}, Without: maps.Clone(without)}
	switch {
	case tls == "posix,self":
		maps.Copy(s.Without, blocked)
	case tls == "posix,cma,self" && os.Getenv("GOBENCH_KILLS") == "":
		s.Without["death of a host"] = blocked["death of a host"]
	}
	return s
}

// aborted are rules that UCX's tcp keeps nearly always: an event of a connection that UCX has
// closed may still be in the list that it works through, and an assertion (tcp_iface.c:307 of UCX
// 1.13.1, conn_state is not CLOSED) ends the survivor, once in some hundred deaths. TestKills
// counts them.
var aborted = []string{
	"death of a sender",
	"death before any source",
	"death before a probe",
	"death seen by test and iprobe",
	"death of a receiver",
	"death of a receiver of much",
	"death among small messages",
	"death in large transfers",
	"death in transfers of allocated memory",
	"death of the first rank",
	"death of a host",
	"death in a bound context",
	"death in a bound ring",
	"a rank is dead before it is bound",
	"death beside a ping-pong",
}

func conform(t *testing.T, tls string) {
	s := subject(t, tls)
	if tls == "tcp,self" {
		for _, rule := range aborted {
			s.Without[rule] = "an assertion of UCX may end the survivor"
		}
	}
	if tls != "posix,cma,self" { // UCX matches messages above all of its transports alike
		s.Only = devicetest.WireRules
	}
	s.MaxRanks, s.Largest = 8, true
	devicetest.Run(t, s)
}

func TestSharedMemory(t *testing.T) { conform(t, "posix,cma,self") }
func TestPosix(t *testing.T)        { conform(t, "posix,self") }
func TestTCP(t *testing.T)          { conform(t, "tcp,self") }

// TestSoftRoCE runs rules over the device of the virtual machine of scripts/verbs.sh, by reliable
// connections and by datagrams. The GID is the first, of the link-local address: with that of an
// IPv4 address ucx_perftest 1.13.1 does not connect there either.
func TestSoftRoCE(t *testing.T) {
	if _, err := os.Stat("/sys/class/infiniband/rxe0"); err != nil {
		t.Skip("there is no device rxe0: scripts/verbs.sh runs this test in its virtual machine")
	}
	t.Setenv("UCX_NET_DEVICES", "rxe0:1")
	t.Setenv("UCX_IB_GID_INDEX", "0")
	for _, tls := range []string{"rc_v,self", "ud_v,self"} {
		t.Run(tls, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, MaxRanks: 2, Largest: true, Limit: 90 * time.Second,
				Options: map[string]string{"tls": tls, "wait": "yield"}, Only: []string{"no overtaking", "every size", "puts and gets of a region", "a region of all ranks or of none", "death of a sender"}})
		})
	}
}

// TestKills kills ranks at random moments (GOBENCH_KILLS), over tcp only where their number is
// asked for.
func TestKills(t *testing.T) {
	for _, tls := range []string{"posix,cma,self", "posix,self", "tcp,self"} {
		t.Run(tls, func(t *testing.T) {
			if tls == "tcp,self" && os.Getenv("GOBENCH_KILLS") == "" {
				t.Skip("an assertion of UCX ends a survivor over tcp once in some hundred deaths: GOBENCH_KILLS=100 counts them")
			}
			devicetest.Kills(t, subject(t, tls))
		})
	}
}
