package netif

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// An attempt that has timed out on a busy host may succeed later: only the errors of an interface
// that is down last. Where nothing else has been tried, a time-out is a firewall.
func TestLoopErrors(t *testing.T) {
	for _, c := range []struct {
		err          error
		down, remedy string
	}{
		{syscall.ENETUNREACH, "ip link set lo up", "ip link set lo up"},
		{os.ErrDeadlineExceeded, "", "firewall"},
		{syscall.ETIMEDOUT, "", "firewall"},
		{syscall.ECONNREFUSED, "", ""},
	} {
		for got, want := range map[string]string{LoopDown(c.err): c.down, LoopRemedy(c.err): c.remedy} {
			if (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%v: %q, want %q", c.err, got, want)
			}
		}
	}
}
