//go:build verbs && cgo

package verbs

import (
	"strings"
	"testing"
	"time"

	"gobench/device/protocol"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

// offline is a wire of three ranks without a device.
func offline() *wire {
	w := newWire(1, 3, settings{queues: 1, quiet: time.Millisecond})
	w.railAddresses = []railAddress{{device: "mlx5_0", port: hcaPort{number: 2}}}
	for _, rank := range []int{0, 2} {
		w.peers[rank] = &peer{Peer: rma.Peer{Rank: rank}, queue: len(w.byQ)}
		w.byQ = append(w.byQ, w.peers[rank])
	}
	return w
}

// lostRanks is a sink that remembers who failed, and why.
type lostRanks struct {
	sinkRecord
	causes map[int]string
}

func (l *lostRanks) Failed(rank int, cause string) { l.causes[rank] = cause }

// Each type of asynchronous event (ibv_get_async_event(3)) fails the operations of the right peers,
// with its verbs name as the cause. A port that goes down fails all after a while.
func TestEveryEvent(t *testing.T) {
	const nobody, one, all, later = 0, 1, 2, 3
	effects := []struct {
		name string
		does int
	}{ // in the order of enum ibv_event_type
		{"IBV_EVENT_CQ_ERR", all}, {"IBV_EVENT_QP_FATAL", one}, {"IBV_EVENT_QP_REQ_ERR", one}, {"IBV_EVENT_QP_ACCESS_ERR", one},
		{"IBV_EVENT_COMM_EST", nobody}, {"IBV_EVENT_SQ_DRAINED", nobody}, {"IBV_EVENT_PATH_MIG", nobody}, {"IBV_EVENT_PATH_MIG_ERR", nobody},
		{"IBV_EVENT_DEVICE_FATAL", all}, {"IBV_EVENT_PORT_ACTIVE", nobody}, {"IBV_EVENT_PORT_ERR", later}, {"IBV_EVENT_LID_CHANGE", nobody},
		{"IBV_EVENT_PKEY_CHANGE", nobody}, {"IBV_EVENT_SM_CHANGE", nobody}, {"IBV_EVENT_SRQ_ERR", all}, {"IBV_EVENT_SRQ_LIMIT_REACHED", nobody},
		{"IBV_EVENT_QP_LAST_WQE_REACHED", nobody}, {"IBV_EVENT_CLIENT_REREGISTER", nobody}, {"IBV_EVENT_GID_CHANGE", nobody}, {"IBV_EVENT_WQ_FATAL", nobody},
	}
	for i, c := range effects {
		event := ibv.AsyncEvent(i)
		if event.String() != c.name {
			t.Errorf("event %d is %v, want %s", i, event, c.name)
		}
		w, sink := offline(), &lostRanks{causes: map[int]string{}}
		w.onEvent(event, 0, 1, sink)
		if c.does == later {
			if len(sink.causes) > 0 {
				t.Errorf("%v fails %v at once", event, sink.causes)
			}
			w.down[0].since = w.down[0].since.Add(-time.Second)
			w.asynchronous(sink)
		}
		want := [][]int{nobody: nil, one: {2}, all: {0, 2}, later: {0, 2}}[c.does]
		if len(sink.causes) != len(want) {
			t.Errorf("%v fails %v, want ranks %v", event, sink.causes, want)
		}
		for _, rank := range want {
			if cause := sink.causes[rank]; !strings.Contains(cause, c.name+" at port 2 of mlx5_0") || w.peers[rank].Cause == "" {
				t.Errorf("%v: the cause for rank %d is %q", event, rank, cause)
			}
		}
	}
	// A port that comes up in time harms nobody.
	w, sink := offline(), &lostRanks{causes: map[int]string{}}
	w.onEvent(ibv.PortDown, 0, -1, sink)
	w.down[0].since = w.down[0].since.Add(-time.Second)
	w.onEvent(ibv.PortUp, 0, -1, sink)
	w.asynchronous(sink)
	if len(sink.causes) > 0 {
		t.Errorf("a port that is up again fails %v", sink.causes)
	}
	// That another rail's port is up helps nobody.
	w, sink = offline(), &lostRanks{causes: map[int]string{}}
	w.railAddresses = append(w.railAddresses, railAddress{device: "mlx5_1", port: hcaPort{number: 1}})
	w.onEvent(ibv.PortDown, 0, -1, sink)
	w.onEvent(ibv.PortUp, 1, -1, sink)
	w.down[0].since = w.down[0].since.Add(-time.Second)
	w.asynchronous(sink)
	if len(sink.causes) != 2 {
		t.Errorf("a port that is down fails %v, want two ranks, though that of another rail has come up", sink.causes)
	}
}

// With connect=lazy a request of rank 0 or 2 that arrives at rank 1 is accepted only while nothing
// has been accepted from it.
func TestRequestsRefused(t *testing.T) {
	w := offline()
	n := &connector{q: &w.queues}
	for at, want := range [][2]string{unknown: {"accepted", "accepted"}, calling: {"busy", "accepted"}, yielding: {"accepted", "accepted"},
		accepted: {"refused", "refused"}, awaiting: {"refused", "refused"}, joined: {"refused", "refused"}} {
		for i, p := range w.byQ {
			got := "accepted"
			if refused, busy := n.refuses(p, stage(at)); busy {
				got = "busy"
			} else if refused {
				got = "refused"
			}
			if got != want[i] {
				t.Errorf("stage %d, rank %d: %s, want %s", at, p.Rank, got, want[i])
			}
		}
	}
}

// A failure of RDMA CM that belongs to no queue blames no rank.
func TestFailuresOfNoQueue(t *testing.T) {
	w := offline()
	w.rails = []*ibv.Rail{nil}
	for queue, want := range map[int]string{-1: "connecting by RDMA CM: RDMA_CM_EVENT_DEVICE_REMOVAL, status 5", 1: "rank 2 is lost: connecting by RDMA CM"} {
		_, err := (&connector{q: &w.queues}).stepCM(0, ibv.CMEvent{Kind: ibv.DeviceRemoval, Status: 5, Queue: queue, Rank: -1})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("queue %d: %v, want %s", queue, err, want)
		}
	}
}

// An event of RDMA CM may come before completions of what the peer had sent, by any time: the peer
// is failed by the completion that flushes its queue, after all packets, or when it has been silent
// for the allowed time.
func TestDisconnectedBeforeItsPackets(t *testing.T) {
	w, sink := offline(), &lostRanks{causes: map[int]string{}}
	w.set.quiet = time.Hour
	w.disconnected(w.peers[2], ibv.Disconnected)
	w.disconnected(w.peers[2], ibv.Disconnected) // on another rail
	for range 3 {
		w.part(sink)
		w.Settle(sink, w.release)
	}
	w.events, w.next = []ibv.Event{{Kind: ibv.Packet, Queue: 1}}, 0
	w.deliver(sink)
	if len(sink.causes) > 0 || sink.packets != 1 {
		t.Fatalf("its completions are late: %d packets, failed %v", sink.packets, sink.causes)
	}
	w.events, w.next = []ibv.Event{{Kind: ibv.Packet, Queue: 1}, {Kind: ibv.Broken, Queue: 1, Status: ibv.Flushed}}, 0
	w.part(sink) // which delivers what has come
	if sink.packets != 2 || !strings.Contains(sink.causes[2], "RDMA_CM_EVENT_DISCONNECTED") || len(sink.causes) != 1 || len(w.parted) != 0 {
		t.Errorf("after the flush: %d packets, failed %v, %d parted", sink.packets, sink.causes, len(w.parted))
	}

	w, sink = offline(), &lostRanks{causes: map[int]string{}}
	w.disconnected(w.peers[0], ibv.Disconnected)
	w.peers[0].ended = w.peers[0].ended.Add(-2 * w.set.quiet)
	w.part(sink)
	w.Settle(sink, w.release)
	if !strings.Contains(sink.causes[0], "RDMA_CM_EVENT_DISCONNECTED") || len(sink.causes) != 1 {
		t.Errorf("a driver that flushes nothing: failed %v", sink.causes)
	}
}

// Completions of sends, which are no events, may fill more than one poll before a packet that the
// peer sent before its connection ended.
func TestPacketBehindManyCompletions(t *testing.T) {
	wires, _ := openPair(t, map[string]string{"device": "siw0", "queue": "256"})
	for _, w := range wires {
		defer w.abandon()
	}
	const writes = 100
	from, to := make([]byte, 4096), make([]byte, 4096)
	mine, err := wires[0].Register(from)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := wires[1].Register(to)
	if err != nil {
		t.Fatal(err)
	}
	lkey, _ := wires[0].memory.At(rma.Handle(mine)).Memory.rails[0].Keys()
	piece := ibv.Piece{Local: uint64(address(from)), LKey: lkey, Remote: theirs[0], RKey: keyRemote(theirs, 0), Length: len(from)}
	for range writes {
		if s := wires[0].rails[0].Write(0, &piece); s != 0 {
			t.Fatal(s)
		}
	}
	if !wires[1].Push(0, protocol.Header{}, from[:8]) {
		t.Fatal("no room for a packet")
	}
	// In one call of part, or in several if the packet is still under way.
	wires[0].set.quiet = time.Hour
	sink := new(sinkRecord)
	wires[0].disconnected(wires[0].peers[1], ibv.Disconnected)
	for until := time.Now().Add(20 * time.Second); sink.packets == 0 && sink.failed == "" && time.Now().Before(until); {
		wires[0].part(sink)
	}
	if sink.packets != 1 || sink.failed != "" {
		t.Errorf("%d packets, failed %q", sink.packets, sink.failed)
	}
}

// TestQueueError is a queue pair that the driver of this side declares dead by an event: soft-iWARP
// does so with one whose request names local memory that is not registered.
func TestQueueError(t *testing.T) {
	wires, _ := openPair(t, map[string]string{"device": "siw0"})
	for _, w := range wires {
		defer w.abandon()
	}
	from, to := make([]byte, 4096), make([]byte, 4096)
	theirs, err := wires[1].Register(to)
	if err != nil {
		t.Fatal(err)
	}
	piece := ibv.Piece{Local: uint64(address(from)), LKey: 0x5a5a5a, Remote: theirs[0], RKey: keyRemote(theirs, 0), Length: len(from), Token: 1, Last: true}
	if s := wires[0].rails[0].Write(0, &piece); s != 0 {
		t.Fatal(s.Err("ibv_post_send"))
	}
	sink := new(sinkRecord)
	for until := time.Now().Add(20 * time.Second); sink.failed == "" && time.Now().Before(until); {
		wires[0].asynchronous(sink) // and no look at completions, of which one says the same
	}
	if want := "IBV_EVENT_QP_FATAL at port 1 of siw0"; sink.failed != want {
		t.Errorf("rank 0 says %q, want %q", sink.failed, want)
	}
}

// TestPathInUse is the traffic class in the queue pairs, and the MTU in the record, however they
// were connected: the smaller one of both ranks, whichever calls.
func TestPathInUse(t *testing.T) {
	for _, exchange := range []string{"tcp", "rdmacm"} {
		for _, c := range []struct {
			asked [2]string
			want  string
		}{{[2]string{"auto", "auto"}, "4096"}, {[2]string{"1024", "auto"}, "1024"}, {[2]string{"auto", "2048"}, "2048"}} {
			var sets []map[string]string
			for _, mtu := range c.asked {
				sets = append(sets, map[string]string{"device": "rxe0", "exchange": exchange, "traffic_class": "104", "path_mtu": mtu})
			}
			wires, configs := openPair(t, sets...)
			for rank, w := range wires {
				if path, _ := w.rails[0].PathInUse(0); path.TrafficClass != 104 || configs[rank].InForce["path_mtu"] != c.want {
					t.Errorf("exchange %s, rank %d: the traffic class is %d, want 104, the MTU in the record %s, want %s", exchange, rank, path.TrafficClass,
						configs[rank].InForce["path_mtu"], c.want)
				}
				defer w.abandon()
			}
		}
	}
}
