package rendezvous

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// An address that cannot be connected to is given with the host that has tried and what to do;
// other errors, such as a missing file, stay as they are.
func TestUnreached(t *testing.T) {
	host, _ := os.Hostname()
	_, err := net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
	if got := unreached(fmt.Errorf("searching: %w", err)); err == nil || !strings.Contains(got.Error(), "from "+host+": searching: dial tcp 127.0.0.1:1: connect: connection refused; if rank 0 runs, a firewall") {
		t.Errorf("refused: %v", got)
	}
	if other := errors.New("no file"); unreached(other) != other {
		t.Errorf("another error: %v", unreached(other))
	}
}
