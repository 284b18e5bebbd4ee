//go:build cgo && pmix

package pmi

// #include <stddef.h>
//
// struct table {
//	int (*Init)(int *spawned);
//	int (*Get_rank)(int *);
//	int (*Get_size)(int *);
//	int (*Allgather)(void *in, void *out, int length);
//	int (*Finalize)(void);
// };
// static const char *const names[] = { "PMI_Init", "PMI_Get_rank", "PMI_Get_size", "PMI_Allgather", "PMI_Finalize", NULL };
// static struct table pmi;
// static void *functions(void) { return &pmi; }
// static const void *function_names(void) { return names; }
//
// static int init(int *rank, int *size)
// {
//	int spawned = 0, rc = pmi.Init(&spawned);
//	if (!rc)
//		rc = pmi.Get_rank(rank);
//	return rc ? rc : pmi.Get_size(size);
// }
// static int allgather(void *in, void *out, int length) { return pmi.Allgather(in, out, length); }
// static int finalize(void) { return pmi.Finalize(); }
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"gobench/transports/native"
)

// A Client is a process of a job of aprun. There is one in a process, and one goroutine uses it.
type Client struct{ rank, size int }

// files are names of the library: that of the loader, and where Cray's modules keep it.
var files = []string{"libpmi.so.0", "/opt/cray/pe/pmi/default/lib/libpmi.so.0", "/opt/cray/pe/pmi/default/lib64/libpmi.so.0", "/opt/cray/pmi/default/lib64/libpmi.so.0"}

// Open opens libpmi and joins the job.
func Open() (*Client, error) {
	l, err := native.Open(native.Shared, files...)
	if err != nil {
		return nil, err
	}
	if err := l.Bind(C.functions(), native.Names(unsafe.Pointer(C.function_names()))); err != nil {
		return nil, err
	}
	var rank, size C.int
	if rc := C.init(&rank, &size); rc != 0 {
		return nil, fmt.Errorf("PMI_Init of libpmi failed (%d)", int(rc))
	}
	c := &Client{int(rank), int(size)}
	if c.size < 1 || c.rank < 0 || c.rank >= c.size {
		return nil, errors.New("libpmi gives no rank and number of ranks that fit each other")
	}
	return c, nil
}

func (c *Client) Rank() int { return c.rank }
func (c *Client) Size() int { return c.size }

// Allgather returns the blocks of all ranks, which are nonempty and of equal length, in no
// particular order.
func (c *Client) Allgather(mine []byte) ([]byte, error) {
	all := make([]byte, len(mine)*c.size)
	if rc := C.allgather(unsafe.Pointer(&mine[0]), unsafe.Pointer(&all[0]), C.int(len(mine))); rc != 0 {
		return nil, fmt.Errorf("PMI_Allgather of libpmi failed (%d)", int(rc))
	}
	return all, nil
}

// Close ends the participation of this process in the job.
func (c *Client) Close() error {
	if rc := C.finalize(); rc != 0 {
		return fmt.Errorf("PMI_Finalize of libpmi failed (%d)", int(rc))
	}
	return nil
}
