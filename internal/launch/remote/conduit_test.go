package remote

import (
	"bufio"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gobench/internal/launch/exchange"
)

// An agent that is silent is lost after agentBeats whole beats, not while it is stopped for 8 s,
// and never while the other side has announced that it stops. Time is simulated.
func TestSilence(t *testing.T) {
	for _, test := range []struct {
		name   string
		pauses []time.Duration // between the frames that are received
		paused bool            // the silence after them was announced
		factor int32
		want   time.Duration // until it is lost; 0 = not within an hour
	}{
		{"silent from the beginning", nil, false, 0, (agentBeats + 1) * beat},
		{"stopped for 8 s, twice", []time.Duration{8500 * time.Millisecond, 8200 * time.Millisecond}, false, 1, 16*time.Second + (agentBeats+1)*beat},
		{"announced", nil, true, 0, 0},
		{"more ranks than cores take turns", nil, false, 4, (4*agentBeats + 1) * beat},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				defer far.Close()
				c := newConduit(near, bufio.NewReader(near), agentBeats)
				defer c.close()
				c.paused.Store(test.paused)
				c.timeoutFactor.Store(test.factor)
				go io.Copy(io.Discard, far)
				go func() {
					for _, d := range test.pauses {
						time.Sleep(d)
						far.Write([]byte{byte(exchange.FrameBeat), 0, 0, 0, 0, 0, 0, 0})
					}
				}()
				begun := time.Now()
				lost := make(chan error, 1)
				go func() {
					for {
						if _, _, err := c.receive(); err != nil {
							lost <- err
							return
						}
					}
				}()
				select {
				case err := <-lost:
					if after := time.Since(begun); err != errSilent || after != test.want {
						t.Errorf("lost after %v with %v, want %v", after, err, test.want)
					}
				case <-time.After(time.Hour):
					if test.want != 0 {
						t.Errorf("not lost, want %v", test.want)
					}
				}
			})
		})
	}
}

// An agent without ranks waits for a root that has announced that it stops, for as long as it
// takes.
func TestStopWithoutRanks(t *testing.T) {
	own := digest()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		served := make(chan error, 1)
		go func() { served <- greeting{Protocol: agentProtocol, Digest: own}.serve(far) }()
		r := bufio.NewReader(near)
		if _, err := r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		go io.Copy(io.Discard, r)
		near.Write([]byte{byte(exchange.FrameSignal), 0, 0, 0, 4, 0, 0, 0, byte(syscall.SIGSTOP), 0, 0, 0})
		select {
		case err := <-served:
			t.Errorf("it has ended: %v", err)
		case <-time.After(time.Hour):
			near.Close()
			<-served
		}
	})
}
