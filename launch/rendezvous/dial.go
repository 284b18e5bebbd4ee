package rendezvous

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
)

// A host that does not answer for hostTimeout is lost, less than the time-out for opening a
// transport: while nothing is sent (keepAlive), and while something is (awaitHost).
const hostTimeout = 9 * time.Second

var keepAlive = net.KeepAliveConfig{Enable: true, Idle: hostTimeout / 3, Interval: hostTimeout / 6, Count: 4}

// awaitHost is the Control of sockets between ranks. Connections that are accepted inherit it.
func awaitHost(_, _ string, c syscall.RawConn) (err error) {
	e := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(hostTimeout.Milliseconds()))
	})
	return errors.Join(e, err)
}

// dialRoot connects to rank 0. It tries all known addresses repeatedly.
func (w meetingPoint) dialRoot(ctx context.Context) (exchange.Link, error) {
	silence := time.Now().Add(exchange.NoticeDelay)
	pause := 50 * time.Millisecond
	var last error     // of a search that ctx has not ended
	var lost time.Time // when rank 0 has first broken off a handshake
	for {
		conn, p, err := w.dialFirst(ctx)
		if err == nil {
			var l exchange.Link
			l, err = w.handshake(conn, p)
			if refused := (*refusalError)(nil); errors.As(err, &refused) {
				return nil, &MeetError{refused.why}
			}
			if err == nil {
				return l, nil
			}
			if lost.IsZero() {
				lost = time.Now()
			}
		}
		if !lost.IsZero() && time.Since(lost) > 6*handshakeTimeout {
			return nil, &MeetError{fmt.Sprintf("rank %d has found rank 0, and has not come to an agreement with it: %v", w.Rank, err)}
		}
		if last == nil || ctx.Err() == nil {
			last = err
		}
		if ctx.Err() != nil {
			return nil, &MeetError{fmt.Sprintf("rank %d has not found rank 0: %v (%v)", w.Rank, unreached(last), context.Cause(ctx))}
		}
		if !silence.IsZero() && time.Now().After(silence) {
			w.warn("rank %d waits for rank 0: %v", w.Rank, unreached(last))
			silence = time.Time{}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			pause = min(2*pause, time.Second)
		}
	}
}

// unreached adds to an error of the network from which host rank 0 cannot be reached, and what to
// do.
func unreached(err error) error {
	if dial := (*net.OpError)(nil); !errors.As(err, &dial) || dial.Op != "dial" {
		return err
	}
	host, _ := os.Hostname()
	return fmt.Errorf("from %s: %w; if rank 0 runs, a firewall or the routes between the hosts stop it: open that port, or give all ranks another %s=HOST:PORT", host, err, detect.EnvMeet)
}

// handshake uses a connection to rank 0 as the link of this rank. After an error other than a
// *refusalError the rank may come again: others may have displaced it (pending.List).
func (w meetingPoint) handshake(conn net.Conn, p prover) (exchange.Link, error) {
	conn.SetDeadline(time.Now().Add(handshakeTimeout))
	err := introduce(conn, p, caller{w.Job, w.Rank, w.Size})
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("it has closed the connection to rank %d: %w", w.Rank, err)
	}
	conn.SetDeadline(time.Time{})
	l := exchange.NewSocketLink(conn, w.Size)
	l.Root = true
	return l, nil
}

// found is a connection to an authenticated rank 0.
type found struct {
	index int // in a list of candidates
	conn  net.Conn
	proof prover
	err   error
}

// dialFirst tries all addresses concurrently and returns the first that authenticates as rank 0, so
// that wrong addresses, such as that of a bridge that every host has, and names that nobody
// resolves cost no time. The error comes from the most likely address.
func (w meetingPoint) dialFirst(ctx context.Context) (net.Conn, prover, error) {
	addresses, secret := w.addresses, w.secret
	if w.directory != "" {
		n, err := w.readNotice()
		if err != nil {
			return nil, prover{}, err
		}
		addresses, secret = n.Addresses, n.Secret
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	f := race(ctx, addresses, func(ctx context.Context, name string) found {
		host, port, err := net.SplitHostPort(name)
		if err != nil {
			return found{err: err}
		}
		lookup, cancel := context.WithTimeout(ctx, handshakeTimeout)
		defer cancel()
		ips, err := w.resolver.LookupHost(lookup, host)
		if err != nil {
			return found{err: err}
		}
		return race(ctx, ips, func(ctx context.Context, ip string) found {
			return try(ctx, net.JoinHostPort(ip, port), secret)
		})
	})
	return f.conn, f.proof, f.err
}

const (
	// searchTimeout limits the time of one search for rank 0, in which a name may be looked up for
	// handshakeTimeout, and its addresses be tried for as long.
	searchTimeout = 2 * handshakeTimeout
	// headStart is the time by which an address is tried before the next one.
	headStart = 20 * time.Millisecond
)

// race tries all of a list concurrently, each a little later than the one before it, and returns
// the first that is rank 0, or else the failure of the first of the list.
func race(ctx context.Context, list []string, try func(context.Context, string) found) found {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan found, len(list))
	for i, one := range list {
		go func() {
			f := found{}
			select {
			case <-time.After(time.Duration(i) * headStart):
				f = try(ctx, one)
			case <-ctx.Done():
				f.err = context.Cause(ctx)
			}
			f.index = i
			answers <- f
		}()
	}
	likely := found{err: errors.New("rank 0 has written no address"), index: len(list)}
	for i := range list {
		f := <-answers
		if f.err == nil {
			go func() { // the others end by themselves now
				for range len(list) - i - 1 {
					if f := <-answers; f.err == nil {
						f.conn.Close()
					}
				}
			}()
			return f
		}
		if f.index < likely.index {
			likely = f
		}
	}
	return likely
}

// try connects to an address and authenticates the other side.
func try(ctx context.Context, address, secret string) found {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	conn, err := (&net.Dialer{KeepAliveConfig: keepAlive, Control: awaitHost}).DialContext(ctx, "tcp", address)
	if err != nil {
		return found{err: err}
	}
	if end, ok := ctx.Deadline(); ok {
		conn.SetDeadline(end)
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	p, err := findRoot(conn, secret)
	if stop() && err == nil {
		return found{conn: conn, proof: p}
	}
	conn.Close()
	if err == nil {
		err = context.Cause(ctx)
	}
	return found{err: fmt.Errorf("%s: %w", address, err)}
}

// A notice holds the addresses and the secret of rank 0, in a file that the user alone can read.
type notice struct {
	Addresses []string `json:"addresses"`
	Secret    string   `json:"secret"`
}

// file is the name of the notice of this job.
func (w meetingPoint) file() string {
	sum := sha256.Sum256([]byte(w.Job))
	return filepath.Join(w.directory, hex.EncodeToString(sum[:8])+".meet")
}

// publish writes the notice atomically. remove deletes it.
func (w meetingPoint) publish(n notice) (remove func(), err error) {
	b, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(w.directory, 0o700); err != nil {
		return nil, &MeetError{fmt.Sprintf("rank 0 cannot make the directory %s: %v", w.directory, err)}
	}
	f, err := os.CreateTemp(w.directory, ".meet-") // of mode 0600
	if err == nil {
		_, err = f.Write(b)
		err = errors.Join(err, f.Close())
		if err == nil {
			err = os.Rename(f.Name(), w.file())
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}
	if err != nil {
		return nil, &MeetError{fmt.Sprintf("rank 0 cannot write its address into %s: %v", w.directory, err)}
	}
	return func() {
		if now, err := w.readNotice(); err == nil && now.Secret == n.Secret {
			os.Remove(w.file())
		}
	}, nil
}

// refresh has a client of NFS ask its server what is new in a directory and those above it. It asks
// whenever a directory is opened (close-to-open consistency); without that, it remembers for up to
// a minute (acdirmax) that a file does not exist.
func refresh(directory string) {
	if above := filepath.Dir(directory); above != directory {
		refresh(above)
	}
	if d, err := os.Open(directory); err == nil {
		d.Close()
	}
}

// maxNotice is the size in bytes of the longest notice.
const maxNotice = 1 << 20

// readNotice reads the notice, if it exists.
func (w meetingPoint) readNotice() (n notice, err error) {
	const mode = os.O_RDONLY | unix.O_NOFOLLOW
	f, err := os.OpenFile(w.file(), mode, 0)
	if errors.Is(err, os.ErrNotExist) {
		refresh(w.directory)
		f, err = os.OpenFile(w.file(), mode, 0)
	}
	if errors.Is(err, os.ErrNotExist) {
		remedy := ""
		if w.bridge {
			remedy = ", or put " + detect.BridgeName + " (make build-full) beside this program, which has the launcher carry what ranks exchange"
		}
		return n, fmt.Errorf("rank 0 has not written its address to %s; if no directory is shared by all hosts there, give all ranks the same %s=file:DIRECTORY, or %s=HOST:PORT of rank 0 and %s%s", w.file(), detect.EnvMeet, detect.EnvMeet, detect.EnvSecret, remedy)
	}
	var b []byte
	if err == nil {
		defer f.Close()
		var stat unix.Stat_t // of the file that is read, whatever its name denotes by now
		if err = unix.Fstat(int(f.Fd()), &stat); err == nil && int(stat.Uid) != os.Geteuid() {
			err = fmt.Errorf("another user (%d) has written it", stat.Uid)
		}
	}
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(f, maxNotice))
	}
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	if err != nil {
		return n, fmt.Errorf("%s cannot be read: %v", w.file(), strings.TrimSpace(err.Error()))
	}
	return n, nil
}
