package sockets

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gobench/device"
)

// TestInterrupt: a rank whose peer makes no call gets out of a read, of a receive that it tests, of
// a write without room and of Close.
func TestInterrupt(t *testing.T) {
	cause := errors.New("the test interrupts")
	over(t, 2, func(c *channel) error {
		if c.Rank() != 0 {
			_, err := c.Recv(make([]byte, 1), 0, 0, 0)
			if lost := (*device.PeerError)(nil); !errors.As(err, &lost) {
				return fmt.Errorf("the end of rank 0: %v", err)
			}
			return nil
		}
		if _, err := c.Irecv(make([]byte, 1), 1, 0, 0); err != nil {
			return err
		}
		r, err := c.Irecv(make([]byte, 1), 1, 0, 0)
		if err != nil {
			return err
		}
		time.AfterFunc(20*time.Millisecond, func() { c.Interrupt(cause) })
		for done := false; !done; {
			_, done, err = c.Test(r)
		}
		in := (*device.InterruptedError)(nil)
		if !errors.As(err, &in) || in.Rank != 1 || !errors.Is(err, cause) {
			return fmt.Errorf("Test: %v", err)
		}
		if _, err := c.Recv(make([]byte, 1), 1, 0, 0); !errors.As(err, &in) {
			return fmt.Errorf("Recv: %v", err)
		}
		if err := c.Send(make([]byte, 64<<20), 1, 0, 0); !errors.As(err, &in) {
			return fmt.Errorf("Send: %v", err)
		}
		return nil
	})
}

// TestInterruptBeforeRecv: a message that arrived before an interrupt is not received after it.
func TestInterruptBeforeRecv(t *testing.T) {
	cause := errors.New("the test interrupts")
	over(t, 2, func(c *channel) error {
		if c.Rank() != 0 {
			if err := c.Send(make([]byte, 8), 0, 0, 0); err != nil {
				return err
			}
			_, err := c.Recv(make([]byte, 1), 0, 0, 0)
			if lost := (*device.PeerError)(nil); !errors.As(err, &lost) {
				return fmt.Errorf("the end of rank 0: %v", err)
			}
			return nil
		}
		for !c.peers[1].stream.Readable() {
			time.Sleep(time.Millisecond)
		}
		c.Interrupt(cause)
		for range 2 {
			_, err := c.Recv(make([]byte, 4), 1, 0, 0)
			if in := (*device.InterruptedError)(nil); !errors.As(err, &in) || in.Rank != 1 {
				return fmt.Errorf("Recv: %v", err)
			}
		}
		return nil
	})
}
