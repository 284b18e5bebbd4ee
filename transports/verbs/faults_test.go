//go:build verbs && cgo

package verbs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/devicetest"
)

// alone is the job of one rank.
type alone struct{}

func (alone) Rank() int      { return 0 }
func (alone) Size() int      { return 1 }
func (alone) LocalSize() int { return 1 }
func (alone) Hosts() []int   { return []int{0} }
func (alone) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	return [][]byte{blob}, nil
}

// counter reads a counter of soft-RoCE.
func counter(t *testing.T, device, name string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sysfs, device, "ports/1/hw_counters", name))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func run(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", command, err, out)
	}
}

// TestLoss loses packets on the cable between two devices.
func TestLoss(t *testing.T) {
	run(t, "tc", "qdisc", "replace", "dev", "va", "root", "netem", "loss", "1%")
	defer run(t, "tc", "qdisc", "del", "dev", "va", "root")
	before := counter(t, "rxe_a", "duplicate_request") + counter(t, "rxe_a", "out_of_seq_request") +
		counter(t, "rxe_b", "duplicate_request") + counter(t, "rxe_b", "out_of_seq_request")
	devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes,
		Options: map[string]string{"device": "rxe_a+rxe_b", "rails": "spread", "peer_timeout": "4000", "wait": "yield"},
		Only:    []string{"every size", "close delivers"}, MaxRanks: 4})
	after := counter(t, "rxe_a", "duplicate_request") + counter(t, "rxe_a", "out_of_seq_request") +
		counter(t, "rxe_b", "duplicate_request") + counter(t, "rxe_b", "out_of_seq_request")
	if after == before {
		t.Error("no packet was lost, so the test shows nothing")
	}
}

// TestPortDown takes the link away under a connection.
func TestPortDown(t *testing.T) {
	defer func() {
		run(t, "ip", "link", "set", "va", "up")
		run(t, "ip", "link", "set", "vb", "up")
	}()
	wires, _ := openPair(t, map[string]string{"device": "rxe_a+rxe_b", "rails": "spread"})
	sinks := [2]*sinkRecord{new(sinkRecord), new(sinkRecord)}
	for _, w := range wires {
		defer w.abandon()
	}
	run(t, "ip", "link", "set", "va", "down")
	spin(t, wires, sinks, func() bool { return sinks[0].failed != "" && sinks[1].failed != "" })
	if want := "IBV_EVENT_PORT_ERR at port 1 of rxe_a"; !strings.Contains(sinks[0].failed, want) {
		t.Errorf("rank 0 says %q, want %q in it", sinks[0].failed, want)
	}
}

// A rank reports a peer whose queue pairs are gone without a goodbye.
func TestPeerGone(t *testing.T) {
	for device, want := range map[string]string{
		"rxe0": "probe by an empty RDMA write failed: IBV_WC_RETRY_EXC_ERR",
		"siw0": "",
	} {
		t.Run(device, func(t *testing.T) {
			wires, _ := openPair(t, map[string]string{"device": device})
			sinks := [2]*sinkRecord{new(sinkRecord), new(sinkRecord)}
			wires[1].abandon()
			defer wires[0].abandon()
			spin(t, [2]*wire{wires[0], wires[0]}, [2]*sinkRecord{sinks[0], sinks[0]}, func() bool { return sinks[0].failed != "" })
			if !strings.Contains(sinks[0].failed, want) {
				t.Errorf("rank 0 says %q, want %q in it", sinks[0].failed, want)
			}
		})
	}
}

// TestHostGone is a host that vanishes without a word, on iWARP: TCP would try again for minutes.
func TestHostGone(t *testing.T) {
	wires, _ := openPair(t, map[string]string{"device": "siw0", "peer_timeout": "100"})
	for _, w := range wires {
		defer w.abandon()
	}
	sinks := [2]*sinkRecord{new(sinkRecord), new(sinkRecord)}
	for until := time.Now().Add(600 * time.Millisecond); time.Now().Before(until); { // quiet for longer than the limit
		for i, w := range wires {
			w.Poll(device.AnySource, sinks[i])
			w.Idle(sinks[i])
		}
	}
	if sinks[0].failed != "" || sinks[1].failed != "" {
		t.Fatalf("quiet ranks are lost: %q, %q", sinks[0].failed, sinks[1].failed)
	}
	run(t, "tc", "qdisc", "replace", "dev", "lo", "root", "netem", "loss", "100%") // over which a host talks to itself
	defer run(t, "tc", "qdisc", "del", "dev", "lo", "root")
	spin(t, wires, sinks, func() bool { return sinks[0].failed != "" && sinks[1].failed != "" })
	if want := "its adapter has not answered for"; !strings.Contains(sinks[0].failed, want) {
		t.Errorf("rank 0 says %q, want %q in it", sinks[0].failed, want)
	}
}

// TestLockedMemory opens a device with less locked memory allowed than its buffers take.
func TestLockedMemory(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &before); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_MEMLOCK, &before)
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: 64 << 10, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: this thread ends with the capability that it gives up
		got <- openUnprivileged()
	}()
	err := <-got
	for _, want := range []string{"rxe0", "ibv_reg_mr", "ENOMEM", "65536 bytes", "ulimit -l"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("the error is %v, want %q in it", err, want)
		}
	}
}

// openUnprivileged opens a device without the capability that exempts root from the limit.
func openUnprivileged() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	data[0].Effective &^= 1 << unix.CAP_IPC_LOCK
	if err := unix.Capset(&header, &data[0]); err != nil {
		return err
	}
	opts, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		return err
	}
	w, _, err := openWire(context.Background(), alone{}, opts, nil)
	if err == nil {
		w.abandon()
	}
	return err
}

// TestRefusals are choices that cannot be, and what is said of them.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"device": "mlx5_0"}, `unknown RDMA device "mlx5_0"; available: rxe0, rxe_a, rxe_b, siw0`},
		{map[string]string{"device": "rxe0", "service": "xrc"}, "want rc, uc or ud: device rxe0 has no XRC"},
		{map[string]string{"device": "siw0", "service": "ud"}, "siw0 is iWARP, which has reliable connections alone"},
		{map[string]string{"device": "rxe0", "service": "uc", "connect": "lazy"}, "want rc with connect=lazy, srq=on or exchange=rdmacm"},
		{map[string]string{"device": "rxe0", "port": "2"}, "option port is \"2\", want a port of rxe0: 1 to 1"},
		{map[string]string{"device": "rxe0", "gid": "9"}, "port 1 of rxe0 has no GID 9; its GIDs are 0: fe80::"},
		{map[string]string{"device": "siw0", "exchange": "tcp"}, "siw0 is iWARP"},
		{map[string]string{"device": "siw0", "service_level": "1"}, "service_level is \"1\", want 0 with exchange=rdmacm"},
		{map[string]string{"device": "siw0", "notice": "on"}, "iWARP has no immediate data"},
		{map[string]string{"device": "rxe0", "queue": "32768", "credits": "4096"}, "36868 places in the completion queue are needed, and the device has 32767: take less of queue, credits or qps"},
		{map[string]string{"device": "siw0", "path_mtu": "1024"}, "path_mtu is \"1024\", want auto: iWARP has none"},
		{map[string]string{"device": "rxe0", "exchange": "rdmacm", "bind": "10.9.9.9"}, "listening at 10.9.9.9 by RDMA CM: rdma_bind_addr"},
	} {
		opts, err := device.ParseOptions(driver.Options(), c.set)
		if err == nil {
			_, _, err = openWire(context.Background(), alone{}, opts, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: the error is %v, want %q in it", c.set, err, c.want)
		}
	}
}
