package protocol

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// Where ranks outnumber processors, sleeps grow with the wait, so that many waiting ranks leave the
// processors to those that work, and end in time for Idle.
func TestPause(t *testing.T) {
	crowded, alone := newWaitPolicy("yield", 1, 1, false), newWaitPolicy("spin", 1, 1, false)
	woken := crowded
	woken.block = func(time.Duration) {}
	for _, c := range []struct {
		policy       waitPolicy
		waited, want time.Duration
	}{
		{crowded, 300 * time.Microsecond, 100 * time.Microsecond},
		{crowded, 20 * time.Millisecond, 2 * time.Millisecond},
		{crowded, time.Minute, idlePeriod},
		{woken, 20 * time.Millisecond, 20 * time.Millisecond},
		{woken, time.Minute, blockPeriod},
		{alone, 20 * time.Millisecond, 50 * time.Microsecond},
		{alone, time.Minute, 50 * time.Microsecond},
	} {
		if got := c.policy.pause(c.waited); got != c.want {
			t.Errorf("%v, after %v: a sleep of %v, want %v", c.policy, c.waited, got, c.want)
		}
	}
}

// A rank yields after a few hundred polls of a slow wire, not after thousands: they take as long.
// Over a fast one it yields after as many polls as its policy says, in whatever steps it counts
// them.
func TestRestAfterPolls(t *testing.T) {
	for _, step := range []int{1, 8, 100} {
		for _, slow := range []bool{true, false} {
			var d core
			policy, w := newWaitPolicy("spin", 1, 1, false), device.WaitState{}
			if !slow {
				policy.polls = 3 * spinCheck // less than what takes spinTime
			}
			begin, polls := time.Now(), 0
			for yielded := false; !yielded; polls += step {
				if slow {
					time.Sleep(time.Duration(step) * 2 * spinTime / spinCheck)
				}
				if polls > max(policy.polls, 4*spinCheck) {
					t.Fatalf("steps of %d, slow %v: it does not yield after %d polls", step, slow, polls)
				}
				_, yielded = d.rest(&policy, &w, step)
			}
			if slow && polls >= policy.polls {
				t.Errorf("steps of %d: it polls %d times", step, polls)
			}
			if w.Polls < policy.polls || w.Since.Before(begin) {
				t.Errorf("steps of %d, slow %v: after %d polls the state is %+v", step, slow, polls, w)
			}
		}
	}
}

// wakingWire is a wire that counts the sleeps of its rank, each of which a packet ends.
type wakingWire struct {
	*boardWire
	sleeps int
	wake   boardPacket
}

func (w *wakingWire) Sleep() Sleep {
	return Sleep{Block: func(time.Duration) {
		w.sleeps++
		w.queues[0][1] = append(w.queues[0][1], w.wake)
	}}
}

// waitForMemory opens a device of rank 0 of two, which waits for shared memory for long.
func waitForMemory(t *testing.T, w Wire, wait string) *Device {
	t.Helper()
	opts, err := device.ParseOptions(Options(), map[string]string{"wait": wait})
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(w, Config{Transport: "board", Size: 2, LocalSize: 1, Options: opts})
	if err != nil {
		t.Fatal(err)
	}
	state := device.WaitState{Polls: 1000, Since: time.Now().Add(-time.Second)} // it has yielded for long
	for range 3 {
		if err := d.Progress(&state, 0, 1); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// A rank that waits for shared memory does not sleep until a packet comes, because none may come.
func TestProgressIsNotBlocked(t *testing.T) {
	for _, wait := range []string{"yield", "block"} {
		w := &wakingWire{boardWire: &boardWire{board: newBoard(2, 8)}, wake: boardPacket{header(kindEager, 0, 0, 0, 2), []byte("up")}}
		waitForMemory(t, w, wait)
		if w.sleeps != 0 {
			t.Errorf("wait=%s: %d sleeps until a packet comes", wait, w.sleeps)
		}
	}
}

// armedWire is a wire that counts how often its rank is about to sleep, each of which a packet
// prevents.
type armedWire struct {
	*boardWire
	armed, disarmed int
	wake            boardPacket
}

func (w *armedWire) Sleep() Sleep {
	return Sleep{
		Arm: func(fds []unix.PollFd) ([]unix.PollFd, time.Duration) {
			w.armed++
			w.queues[0][1] = append(w.queues[0][1], w.wake)
			return fds, 0
		},
		Disarm: func() { w.disarmed++ },
	}
}

// A rank waits for a message in the system call of all wires, and for shared memory it never does.
func TestArm(t *testing.T) {
	for _, wait := range []string{"yield", "block"} {
		w := &armedWire{boardWire: &boardWire{board: newBoard(2, 8)}, wake: boardPacket{header(kindEager, 0, 0, 0, 2), []byte("up")}}
		d := waitForMemory(t, w, wait)
		if w.armed != 0 {
			t.Errorf("wait=%s: %d sleeps while it waits for memory", wait, w.armed)
		}
		in := make([]byte, 2)
		if _, err := d.Recv(in, 1, 0, 0); err != nil || string(in) != "up" {
			t.Errorf("wait=%s: %q: %v", wait, in, err)
		}
		if want := !d.policy.shared; (w.armed == 1) != want || w.disarmed != w.armed {
			t.Errorf("wait=%s: armed %d times and disarmed %d times", wait, w.armed, w.disarmed)
		}
	}
}

// With wait=block a rank sleeps immediately, and only over a wire that wakes it.
func TestBlock(t *testing.T) {
	opts, err := device.ParseOptions(Options(), map[string]string{"wait": "block"})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Transport: "board", Size: 2, LocalSize: 1, Options: opts}
	var wrong *device.ValueError
	if _, err := NewRaw(&boardWire{board: newBoard(2, 8)}, c); !errors.As(err, &wrong) || wrong.Option != "wait" {
		t.Errorf("a wire that wakes nobody: the error is %v", err)
	}
	w := &wakingWire{boardWire: &boardWire{board: newBoard(2, 8)}, wake: boardPacket{header(kindEager, 0, 0, 0, 2), []byte("up")}}
	d, err := NewRaw(w, c)
	if err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 2)
	if _, err := d.Recv(in, 1, 0, 0); err != nil || string(in) != "up" || w.sleeps != 1 {
		t.Errorf("%q after %d sleeps: %v", in, w.sleeps, err)
	}
	if got := d.Info().Options["wait"]; got != "block" {
		t.Errorf("the record says wait=%s", got)
	}
}

// peekedWire is a wire that ranks poll by Peek.
type peekedWire struct{ *boardWire }

func (w peekedWire) Serve(int, Sink) bool { return false }
func (w peekedWire) Pop(from int)         { w.queues[0][from] = w.queues[0][from][1:] }

func (w peekedWire) Peek(from, _ int) (h Header, data []byte, ok bool) {
	if q := w.queues[0][from]; len(q) > 0 {
		return q[0].h, q[0].data, true
	}
	return h, nil, false
}

// Every blocking call counts what it waits, also where the message comes while it polls past the
// lists of requests.
func TestWaitsAreMeasured(t *testing.T) {
	for name, call := range map[string]func(d *Device) error{
		"Recv": func(d *Device) error { _, err := d.Recv(make([]byte, 2), 1, 0, 0); return err },
		"Wait": func(d *Device) error {
			r, _ := d.Irecv(make([]byte, 2), 1, 0, 0)
			_, err := d.Wait(r)
			return err
		},
		"Probe":    func(d *Device) error { _, err := d.Probe(1, 0, 0); return err },
		"Progress": func(d *Device) error { return d.Progress(&device.WaitState{Polls: 1}, 0, 1) },
	} {
		w := peekedWire{&boardWire{board: newBoard(2, 8)}}
		d := waitForMemory(t, w, "spin")
		w.queues[0][1] = []boardPacket{{header(kindEager, 0, 0, 0, 2), []byte("up")}}
		d.MeterWaits(true)
		if err := call(d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if inside, _ := d.Waits(); inside <= 0 || inside > 60 {
			t.Errorf("%s: it has waited %v s", name, inside)
		}
	}
}
