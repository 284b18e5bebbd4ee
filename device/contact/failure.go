package contact

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// unreached is the State of a rank that may be alive, but has no connection to this one.
const unreached = "cannot be reached"

// unreachable returns the error of a pair that has not been connected within d: who has called
// where and with what result, and what has come from the other side.
func (k *Contacts) unreachable(c *contact, d time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	here, there := k.set.Host(k.set.Rank), k.set.Host(c.rank)
	if here == there { // one host
		here, there = "", ""
	}
	var parts []string
	blocked := false // it may be a firewall
	for _, t := range c.tried {
		why := t.describe()
		if why == "" {
			continue
		}
		blocked = blocked || t.blocked()
		from := ""
		if here != "" {
			from = "from " + here + " "
		}
		parts = append(parts, fmt.Sprintf("%sto %v %s (%s)", from, t.target, why, times(t.calls)))
	}
	if len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("it did not connect within %v", d.Round(time.Second)))
		if here != "" && len(k.set.Own) > 0 {
			parts = []string{fmt.Sprintf("from %s to %s nothing has come within %v", there, strings.Join(k.set.Own, " or "), d.Round(time.Second))}
			blocked = true
		}
	} else if here != "" && len(k.set.Own) > 0 {
		parts = append(parts, fmt.Sprintf("from %s to %s nothing has come", there, strings.Join(k.set.Own, " or ")))
	}
	if cause := k.acceptor.cause(); cause != "" {
		parts = append(parts, cause)
	}
	switch {
	case !blocked:
	case here == "":
		parts = append(parts, "its process has ended, or a firewall refuses")
	default:
		parts = append(parts, fmt.Sprintf("the launcher reaches both hosts, so a firewall or the routes between %s and %s stop it: %s", here, there, k.set.Remedy))
	}
	return k.lost(c, unreached, strings.Join(parts, "; "))
}

// describe returns the result of the calls of an address, "" if there was none.
func (t *trial) describe() string {
	timeout := (net.Error)(nil)
	switch {
	case t.err == nil:
		return ""
	case errors.Is(t.err, context.Canceled), errors.Is(t.err, context.DeadlineExceeded), errors.Is(t.err, os.ErrDeadlineExceeded),
		errors.As(t.err, &timeout) && timeout.Timeout():
		return "no answer"
	}
	return t.err.Error()
}

// blocked reports whether a firewall or a missing route explains the result.
func (t *trial) blocked() bool {
	switch {
	case errors.Is(t.err, syscall.ECONNREFUSED), errors.Is(t.err, syscall.EHOSTUNREACH), errors.Is(t.err, syscall.ENETUNREACH):
		return !t.final || errors.Is(t.err, syscall.ECONNREFUSED)
	}
	return t.describe() == "no answer"
}

func times(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}
