package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
	"gobench/internal/limit"
	"gobench/internal/terminal"
)

const (
	// BridgeVerb is the argument that makes gobench a bridge between PMI-1, on descriptor BridgeFD,
	// and a launcher whose interface is a library (package bridge).
	BridgeVerb = "bridge"
	BridgeFD   = 3

	// bridgeTimeout is the time-out for the library to connect to the launcher.
	bridgeTimeout = 20 * time.Second
)

// joinBridge makes this process a rank by means of a second process that loads the launcher's
// library. It returns nil, nil if there is no such program, or if the library cannot reach the
// launcher; the reason for the latter is printed to warnings.
func joinBridge(ctx context.Context, warnings io.Writer) (*Rank, error) {
	program := detect.BridgeProgram()
	if program == "" {
		return nil, nil
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no socket pair for the bridge to the launcher: %w", limit.Explain(err))
	}
	theirs := os.NewFile(uintptr(pair[1]), "rank")
	defer theirs.Close()
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	conn := os.NewFile(uintptr(pair[0]), "bridge")
	cmd := exec.Command(program, BridgeVerb)
	said := &terminal.Tail{} // libraries write to standard error
	cmd.Stderr = said
	cmd.ExtraFiles = []*os.File{theirs} // BridgeFD
	if err := cmd.Start(); err != nil {
		conn.Close()
		return nil, fmt.Errorf("the bridge to the launcher cannot be started: %w", err)
	}
	go cmd.Wait()
	p := &pmi{}
	p.use(conn)
	ctx, cancel := context.WithTimeout(ctx, bridgeTimeout)
	defer cancel()
	err = exchange.Wakeable(ctx, conn, func() error {
		if err := p.introduce(""); err != nil {
			return err
		}
		return p.init()
	})
	if err == nil {
		return &Rank{rank: p.rank, size: p.size, link: p}, nil
	}
	conn.Close()
	if answer := (*PMIError)(nil); errors.As(err, &answer) && answer.Refused != "" {
		err = errors.New(answer.Refused)
	}
	fmt.Fprintf(warnings, "gobench: the library of the launcher does not connect the ranks, which must meet in another way: %s\n",
		strings.Join(append(said.Lines(), err.Error()), "; "))
	return nil, nil
}
