package pairwise

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/netif"
	"gobench/pairs"
)

// joinTimeout is the time-out of the connections of all ranks to rank 0.
const joinTimeout = 15 * time.Second

// A greeting is what the ranks of a job tell each other before they are connected.
type greeting struct {
	Host      string   `json:"host"`
	Addresses []string `json:"addresses,omitempty"` // of rank 0, and the rest, too
	Secret    []byte   `json:"secret,omitempty"`
}

// A member proves to rank 0 that it is a rank of the job.
type member struct {
	Rank  int    `json:"rank"`
	Proof string `json:"proof"` // of the nonce that rank 0 has sent
}

func proof(secret []byte, nonce string) string {
	h := hmac.New(sha256.New, secret)
	io.WriteString(h, nonce)
	return hex.EncodeToString(h.Sum(nil))
}

// first reports whether a rank is the first of its host, which measures for all of them.
func first(job device.Job, rank int) bool {
	hosts := job.Hosts()
	return slices.Index(hosts, hosts[rank]) == rank
}

// Serve carries out the orders of rank 0 in a rank of a job that another launcher has started,
// until rank 0 ends. Only the first rank of each host measures; the others sleep.
func Serve(ctx context.Context, job device.Job) error {
	name, _ := os.Hostname()
	all, err := device.Exchange(ctx, job, greeting{Host: name})
	if err != nil {
		return err
	}
	conn, err := dialRoot(ctx, all[0], job.Rank())
	if err != nil {
		return err
	}
	defer conn.Close()
	if !first(job, job.Rank()) {
		io.Copy(io.Discard, conn)
		return nil
	}
	return Work(ctx, conn)
}

// dialRoot connects to the first address of rank 0 at which that proves to be it by going on.
func dialRoot(ctx context.Context, root greeting, rank int) (net.Conn, error) {
	var errs []error
	for _, address := range root.Addresses {
		c, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", address)
		if err == nil {
			if err = introduce(c, root.Secret, rank); err == nil {
				return c, nil
			}
			c.Close()
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("rank 0 on %s cannot be reached: %w", root.Host, errors.Join(errs...))
}

func introduce(c net.Conn, secret []byte, rank int) error {
	c.SetDeadline(time.Now().Add(dialTimeout))
	defer c.SetDeadline(time.Time{})
	// Rank 0 sends nothing more before it has an answer. Right behind its last byte orders may
	// follow, which are not for this reader.
	nonce, err := bufio.NewReaderSize(c, 64).ReadString('\n')
	if err != nil {
		return err
	}
	if err := json.NewEncoder(c).Encode(member{rank, proof(secret, nonce)}); err != nil {
		return err
	}
	_, err = io.ReadFull(c, make([]byte, 1))
	return err
}

// gather is Start for the ranks of a job: it connects all ranks with rank 0, which calls it.
func (c *Command) gather(ctx context.Context, job device.Job) (*cluster, error) {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	own, _, err := netif.Own(netif.Selection{}, "auto")
	if err != nil {
		return nil, err
	}
	mine := greeting{Secret: make([]byte, sha256.Size)}
	mine.Host, _ = os.Hostname()
	rand.Read(mine.Secret)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, a := range own {
		mine.Addresses = append(mine.Addresses, net.JoinHostPort(a.Addr.String(), port))
	}
	mine.Addresses = append(mine.Addresses, net.JoinHostPort("127.0.0.1", port))
	all, err := device.Exchange(ctx, job, mine)
	if err != nil {
		return nil, err
	}
	k := &cluster{missing: map[string]string{}, workers: newWorkers(c.Measure)}
	here, there := net.Pipe()
	go Work(ctx, there)
	streams := map[int]io.ReadWriteCloser{0: here}
	accepted := accept(ctx, l, mine.Secret, job.Size()-1)
	for rank, conn := range accepted {
		if first(job, rank) {
			streams[rank] = conn
		} else {
			k.idle = append(k.idle, conn)
		}
	}
	for rank, g := range all {
		if !first(job, rank) {
			continue
		}
		name := g.Host
		if slices.Contains(k.names, name) {
			name = fmt.Sprintf("%s-%d", name, rank) // containers may share a name
		}
		k.names = append(k.names, name)
		if s := streams[rank]; s != nil {
			k.workers.join(ctx, name, s)
		} else {
			k.missing[name] = fmt.Sprintf("rank %d there has not connected to rank 0 on %s within %v", rank, mine.Host, joinTimeout)
		}
	}
	return k, nil
}

// accept returns the connections of count ranks, or of those that come in time.
func accept(ctx context.Context, l net.Listener, secret []byte, count int) map[int]net.Conn {
	ctx, stop := context.WithTimeout(ctx, joinTimeout)
	defer stop()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var mu sync.Mutex
	accepted := map[int]net.Conn{}
	done := make(chan struct{}, count)
	var handshakes sync.WaitGroup
	go func() {
		for range count {
			select {
			case <-done:
			case <-ctx.Done():
			}
		}
		l.Close()
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			handshakes.Wait()
			return accepted
		}
		handshakes.Go(func() {
			rank, err := greet(c, secret)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || accepted[rank] != nil {
				c.Close()
				return
			}
			accepted[rank] = c
			done <- struct{}{}
		})
	}
}

// greet returns the rank at the other end of a connection.
func greet(c net.Conn, secret []byte) (int, error) {
	c.SetDeadline(time.Now().Add(dialTimeout))
	defer c.SetDeadline(time.Time{})
	nonce := rand.Text() + "\n"
	if _, err := io.WriteString(c, nonce); err != nil {
		return 0, err
	}
	line, err := bufio.NewReaderSize(io.LimitReader(c, 256), 256).ReadBytes('\n')
	if err != nil {
		return 0, err
	}
	var m member
	if err := json.Unmarshal(line, &m); err != nil {
		return 0, err
	}
	if !hmac.Equal([]byte(m.Proof), []byte(proof(secret, nonce))) {
		return 0, errors.New("it does not know the secret of the job")
	}
	_, err = c.Write([]byte{1})
	return m.Rank, err
}

// hostsOf returns the names as hosts of a study.
func (c *Command) hostsOf(names []string) (hosts []pairs.Host) {
	return collect.Each(names, func(name string) pairs.Host { return pairs.Host{Name: name, Location: c.Locations[name]} })
}
