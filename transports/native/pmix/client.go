//go:build cgo && pmix

package pmix

// #include <stdbool.h>
// #include <stddef.h>
// #include <stdint.h>
// #include <stdlib.h>
// #include <string.h>
//
// typedef struct { char space[256]; uint32_t rank; } proc;
// typedef struct {
//	uint16_t type;
//	union { bool flag; char *string; uint32_t u32; void *largest[3]; } data;
// } value;
// typedef struct { char key[512]; uint32_t flags; value v; } info;
//
// enum { BOOL = 1, STRING = 3, UINT32 = 14, GLOBAL = 3 };
// static const uint32_t everybody = UINT32_MAX - 1; // PMIX_RANK_WILDCARD
//
// struct table {
//	int (*Init)(proc *, info *, size_t);
//	int (*Get)(const proc *, const char *, const info *, size_t, value **);
//	int (*Put)(uint8_t, const char *, value *);
//	int (*Commit)(void);
//	int (*Fence)(const proc *, size_t, const info *, size_t);
//	int (*Finalize)(const info *, size_t);
//	const char *(*Error_string)(int);
// };
// static const char *const names[] = { "PMIx_Init", "PMIx_Get", "PMIx_Put", "PMIx_Commit", "PMIx_Fence",
//	"PMIx_Finalize", "PMIx_Error_string", NULL };
//
// static struct table pmix;
// static proc self;
//
// static void *functions(void) { return &pmix; }
// static const void *function_names(void) { return names; }
// static uint32_t rank(void) { return self.rank; }
//
// // Keys are arrays of 512 bytes for some versions.
// static void set_key(char to[512], const char *key) { strncpy(to, key, 511); }
//
// static int init(void) { return pmix.Init(&self, NULL, 0); }
//
// static int size(uint32_t *n)
// {
//	proc all = self;
//	value *v = NULL;
//	char key[512] = {0};
//	all.rank = everybody;
//	set_key(key, "pmix.job.size");
//	int rc = pmix.Get(&all, key, NULL, 0, &v);
//	if (rc)
//		return rc;
//	*n = v->type == UINT32 ? v->data.u32 : 0;
//	free(v);
//	return 0;
// }
//
// static int put(const char *name, char *text)
// {
//	value v = { .type = STRING, .data = { .string = text } };
//	char key[512] = {0};
//	set_key(key, name);
//	return pmix.Put(GLOBAL, key, &v);
// }
//
// static int fence(void)
// {
//	proc all = self;
//	info collect;
//	memset(&collect, 0, sizeof collect);
//	set_key(collect.key, "pmix.collect"); // else each Get would ask the peer's server
//	collect.v.type = BOOL;
//	collect.v.data.flag = true;
//	all.rank = everybody;
//	int rc = pmix.Commit();
//	return rc ? rc : pmix.Fence(&all, 1, &collect, 1);
// }
//
// // get returns a string that the caller frees.
// static int get(uint32_t rank, const char *name, char **text)
// {
//	proc peer = self;
//	value *v = NULL;
//	char key[512] = {0};
//	set_key(key, name);
//	peer.rank = rank;
//	int rc = pmix.Get(&peer, key, NULL, 0, &v);
//	if (rc)
//		return rc;
//	*text = v->type == STRING ? v->data.string : NULL;
//	free(v);
//	return 0;
// }
//
// static int finalize(void) { return pmix.Finalize(NULL, 0); }
// static const char *words(int rc) { return pmix.Error_string(rc); }
import "C"

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"unsafe"

	"gobench/transports/native"
)

// Built reports whether this program has the client.
const Built = true

// A Client is a process of a job with a PMIx server. There is one in a process, and one goroutine
// uses it.
type Client struct{ rank, size int }

// files are names of the library: that of the loader, and where Open MPI keeps one of its own.
func files() []string {
	const name = "libpmix.so.2"
	list := []string{name}
	for _, variable := range []string{"PMIX_INSTALL_PREFIX", "OPAL_PREFIX"} {
		if dir := os.Getenv(variable); dir != "" {
			list = append(list, filepath.Join(dir, "lib", name))
		}
	}
	if mpirun, err := exec.LookPath("mpirun"); err == nil {
		if real, err := filepath.EvalSymlinks(mpirun); err == nil {
			list = append(list, filepath.Join(filepath.Dir(real), "..", "lib", name))
		}
	}
	return append(list, "/opt/amazon/pmix/lib/"+name)
}

// Open opens libpmix and connects to the server that the environment names.
func Open() (*Client, error) {
	// Plugins of the library look up its functions.
	l, err := native.Open(native.Shared, files()...)
	if err != nil {
		return nil, err
	}
	if err := l.Bind(C.functions(), native.Names(unsafe.Pointer(C.function_names()))); err != nil {
		return nil, err
	}
	if err := check("PMIx_Init", C.init()); err != nil {
		return nil, err
	}
	var size C.uint32_t
	if err := check("PMIx_Get of the number of ranks", C.size(&size)); err != nil {
		return nil, err
	}
	c := &Client{int(C.rank()), int(size)}
	if c.size < 1 || c.rank >= c.size {
		return nil, errors.New("libpmix gives no rank and number of ranks that fit each other")
	}
	return c, nil
}

func check(call string, rc C.int) error {
	if rc == 0 {
		return nil
	}
	return &Error{call, int(rc), C.GoString(C.words(rc))}
}

func (c *Client) Rank() int { return c.rank }
func (c *Client) Size() int { return c.size }

// Put stores a value under a key of this rank. The other ranks can get it after the next Fence.
func (c *Client) Put(key, value string) error {
	k, v := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	return check("PMIx_Put", C.put(k, v))
}

// Fence returns when all ranks have called it, and publishes their values.
func (c *Client) Fence() error { return check("PMIx_Fence", C.fence()) }

// Get returns the value of a key of a rank.
func (c *Client) Get(rank int, key string) (string, error) {
	k := C.CString(key)
	defer C.free(unsafe.Pointer(k))
	var text *C.char
	if err := check("PMIx_Get", C.get(C.uint32_t(rank), k, &text)); err != nil {
		return "", err
	}
	if text == nil {
		return "", errors.New("libpmix has another value for " + key + " than a string")
	}
	defer C.free(unsafe.Pointer(text))
	return C.GoString(text), nil
}

// Close ends the participation of this process in the job.
func (c *Client) Close() error { return check("PMIx_Finalize", C.finalize()) }
