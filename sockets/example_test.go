package sockets_test

import (
	"fmt"
	"io"

	"gobench/sockets"
)

// A server and a client have the calls and types of package net. Inside a host their bytes go
// through shared memory.
func Example() {
	l, err := sockets.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return // l is closed
		}
		defer c.Close()
		io.Copy(c, c)
	}()
	c, err := sockets.Dial("tcp", l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	if _, err := c.Write([]byte("eight by")); err != nil {
		fmt.Println(err)
		return
	}
	echo := make([]byte, 8)
	if _, err := io.ReadFull(c, echo); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, the channel is known: %v\n", echo, sockets.Channel(c) != "")
	// Output: eight by, the channel is known: true
}
