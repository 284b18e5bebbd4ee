package sockets

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/rpc"
	"os"
	"strconv"
	"strings"
	"testing"
)

// families are the sockets that are compared: how they listen, and how they dial.
var families = map[string]struct {
	address string
	listen  func(network, address string) (net.Listener, error)
	dial    func(network, address string) (net.Conn, error)
}{
	"fast": {"127.0.0.1:0", Listen, Dial},
	"tcp":  {"127.0.0.1:0", net.Listen, net.Dial},
	"unix": {"@gobench-bench-" + strconv.Itoa(os.Getpid()), net.Listen, net.Dial},
}

// network returns the network of an address of net.
func network(address string) string {
	if strings.HasPrefix(address, "@") {
		return "unix"
	}
	return "tcp"
}

func init() {
	roles["http"] = func(family string) error {
		f := families[family]
		l, err := f.listen(network(f.address), f.address)
		if err != nil {
			return err
		}
		fmt.Println(l.Addr())
		return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("size"))
			w.Header().Set("Content-Length", strconv.Itoa(n))
			w.Write(make([]byte, n))
		}))
	}
	roles["rpc"] = func(family string) error {
		f := families[family]
		l, err := f.listen(network(f.address), f.address)
		if err != nil {
			return err
		}
		fmt.Println(l.Addr())
		server := rpc.NewServer()
		server.Register(Reverser{})
		server.Accept(l)
		return nil
	}
}

// BenchmarkHTTP gets answers from a server in another process over one connection that is kept.
func BenchmarkHTTP(b *testing.B) {
	for _, family := range []string{"fast", "unix", "tcp"} {
		for _, size := range []int{100, 64 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", family, size), func(b *testing.B) {
				address := play(b, program(family), "http")
				client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					return families[family].dial(network(address), address)
				}}}
				defer client.CloseIdleConnections()
				url := fmt.Sprintf("http://server/?size=%d", size)
				var body bytes.Buffer
				b.SetBytes(int64(size))
				for b.Loop() {
					answer, err := client.Get(url)
					if err != nil {
						b.Fatal(err)
					}
					body.Reset()
					body.Grow(size + bytes.MinRead)
					n, err := io.Copy(&body, answer.Body)
					answer.Body.Close()
					if err != nil || n != int64(size) {
						b.Fatal(n, err)
					}
				}
			})
		}
	}
}

// BenchmarkRPC calls a procedure of another process.
func BenchmarkRPC(b *testing.B) {
	for _, family := range []string{"fast", "unix", "tcp"} {
		for _, size := range []int{8, 64 << 10} {
			b.Run(fmt.Sprintf("%s/%d", family, size), func(b *testing.B) {
				address := play(b, program(family), "rpc")
				c, err := families[family].dial(network(address), address)
				if err != nil {
					b.Fatal(err)
				}
				client := rpc.NewClient(c)
				defer client.Close()
				text := strings.Repeat("x", size)
				var answer string
				for b.Loop() {
					if err := client.Call("Reverser.Reverse", text, &answer); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkDial connects and closes.
func BenchmarkDial(b *testing.B) {
	for _, family := range []string{"fast", "unix", "tcp"} {
		b.Run(family, func(b *testing.B) {
			f := families[family]
			l, err := f.listen(network(f.address), f.address)
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			for b.Loop() {
				c, err := f.dial(network(f.address), l.Addr().String())
				if err != nil {
					b.Fatal(err)
				}
				d, err := l.Accept()
				if err != nil {
					b.Fatal(err)
				}
				c.Close()
				d.Close()
			}
		})
	}
}
