package devicetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// serveEnv makes Main call Serve with the address that it holds.
const serveEnv = "GOBENCH_DEVICETEST_SERVE"

// elsewhere is a rank that Serve has forked in another process, by its connection with that.
type elsewhere struct {
	link *link
	end  end
}

func (e *elsewhere) kill()     { e.link.write(frameKill, nil) }
func (e *elsewhere) wait() end { return e.end }

// ended notes the end that Serve reports.
func (e *elsewhere) ended(status []byte) {
	if len(status) == 4 {
		e.end = end{status: syscall.WaitStatus(binary.LittleEndian.Uint32(status))}
	}
}

// startElsewhere asks Serve at an address for a rank.
func startElsewhere(address string, orders []byte) (*forked, error) {
	conn, err := dial(address)
	if err != nil {
		return nil, err
	}
	l := newLink(conn)
	l.write(frameOrders, orders)
	return &forked{l, &elsewhere{l, end{err: errors.New("the connection with " + address + " ended before the process")}}}, nil
}

// dial connects with Serve, which may start at the same time.
func dial(address string) (conn net.Conn, err error) {
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		conn, err = net.DialTimeout(network(address), address, 10*time.Second)
		if err == nil || time.Now().After(until) {
			return conn, err
		}
	}
}

// network returns the network of an address: that of a path is a Unix socket, which other network
// namespaces reach too.
func network(address string) string {
	if strings.HasPrefix(address, "/") {
		return "unix"
	}
	return "tcp"
}

// Serve starts the ranks that tests ask for at an address, HOST:PORT or a path, as copies of this
// program, until listening fails. Tests reach it by Subject.Elsewhere. It does not authenticate
// who connects, so it is for networks of tests only.
func Serve(address string) error {
	os.Unsetenv(serveEnv) // the copies are ranks
	listener, err := net.Listen(network(address), address)
	if err != nil {
		return err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go serve(newLink(conn))
	}
}

// serve runs the rank of one connection. The rank is killed when the test asks for it or is gone.
func serve(test *link) {
	defer test.conn.Close()
	runtime.LockOSThread() // a rank dies with the thread that forked it
	defer runtime.UnlockOSThread()
	kind, orders, err := test.read()
	if err != nil || kind != frameOrders {
		return
	}
	rank, err := fork(orders, 0)
	if err != nil {
		test.write(frameResult, fmt.Appendf(nil, "cannot be started: %v", err))
		return
	}
	go func() {
		for {
			kind, data, err := test.read()
			if err != nil || kind == frameKill {
				rank.kill()
				return
			}
			rank.link.write(kind, data)
		}
	}()
	for {
		kind, data, err := rank.link.read()
		if err != nil {
			break
		}
		test.write(kind, data)
	}
	rank.link.conn.Close()
	status := rank.wait().status
	if c, ok := rank.process.(command); ok && syscall.Kill(-c.Process.Pid, syscall.SIGKILL) == nil {
		test.write(frameResult, []byte(errStillThere.Error()))
	}
	test.write(frameEnd, binary.LittleEndian.AppendUint32(nil, uint32(status)))
}
