package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/remedy"
)

// An OpenError reports a result file that cannot be opened for writing.
type OpenError struct {
	Path string
	Err  error
}

func (e *OpenError) Error() string {
	err := e.Err
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // without the path, which the message contains
	}
	return fmt.Sprintf("cannot write results to %s: %v; name another file with %v", e.Path, err, remedy.Named("output"))
}

func (e *OpenError) Unwrap() error { return e.Err }

// Open opens a result file for appending. It creates the file and its directory if necessary.
// Existing rows are kept. A file that contains anything else than gobench results is an *OpenError.
// An incomplete last line, which a crash may leave, is removed with a warning, because a row
// appended to it would be lost too.
//
// The Writer locks a regular file until it is closed or the process ends. Other processes that open
// it get a *BusyError, unless the holder started them with Writer.Permission.
//
// The content of pipes and devices is not checked. Open waits until a pipe has a reader.
func Open(path string) (*Writer, error) { return OpenContext(context.Background(), path) }

// OpenContext is Open, but stops waiting for the reader of a pipe when ctx ends.
func OpenContext(ctx context.Context, path string) (*Writer, error) {
	w, err := open(ctx, path)
	if busy, ok := errors.AsType[*BusyError](err); ok {
		return nil, busy
	}
	if err != nil {
		return nil, &OpenError{Path: path, Err: err}
	}
	return w, nil
}

func open(ctx context.Context, path string) (*Writer, error) {
	f, created, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	a := &appendFile{f: f, path: path, info: info, regular: info.Mode().IsRegular(), created: created}
	w := &Writer{file: a}
	if !a.regular {
		return w, nil
	}
	if err := a.lock(); err != nil {
		f.Close()
		return nil, err
	}
	if a.gone() { // the previous writer has removed the file before it released the lock
		f.Close()
		return open(ctx, path)
	}
	cut, err := a.repair()
	if err != nil {
		f.Close()
		return nil, err
	}
	if cut > 0 {
		w.warnings = append(w.warnings, fmt.Sprintf("the last line of %s was incomplete (%d bytes) and has been removed", path, cut))
	}
	return w, nil
}

// special reports whether a file is a pipe, a device or a socket.
func special(info fs.FileInfo) bool { return !info.Mode().IsRegular() && !info.IsDir() }

// openFile opens or creates a file, and reports whether it created it. It does not follow a
// symbolic link to a file that does not exist, because another user may have created the link.
func openFile(ctx context.Context, path string) (f *os.File, created bool, err error) {
	switch info, err := os.Stat(path); {
	case err != nil || !special(info):
	case info.Mode()&fs.ModeNamedPipe != 0:
		f, err = openPipe(ctx, path)
		return f, false, err
	default:
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		return f, false, err
	}
	f, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0) // readable, to check its content
	if !errors.Is(err, fs.ErrNotExist) {
		return f, false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, false, err
	}
	f, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o666)
	if !errors.Is(err, fs.ErrExist) {
		return f, err == nil, err
	}
	f, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0) // another process has just created it
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("it is a symbolic link to a file that does not exist")
	}
	return f, false, err
}

// readerInterval is the time between checks whether a pipe has a reader.
const readerInterval = 20 * time.Millisecond

// openPipe opens a pipe for writing without blocking. A blocking open could not be interrupted.
func openPipe(ctx context.Context, path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.ENXIO) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no reader has opened the pipe: %w", ctx.Err())
		case <-time.After(readerInterval):
		}
	}
}

// repair checks that the file begins with a row of this schema, adds a missing last newline, and
// removes a torn last line. It returns the number of bytes removed.
func (a *appendFile) repair() (cut int64, err error) {
	f := a.f
	info, err := f.Stat() // under the lock
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	size := info.Size()
	head := make([]byte, min(size, 256))
	if _, err := f.ReadAt(head, 0); err != nil {
		return 0, err
	}
	// The writer puts the schema first in every row.
	if !bytes.HasPrefix(head, []byte(`{"schema":"`+Schema+`"`)) {
		if bytes.HasPrefix(head, []byte(`{"schema":"gobench/`)) {
			return 0, fmt.Errorf("it contains results of a schema other than %s", Schema)
		}
		if !strings.HasPrefix(`{"schema":"`+Schema+`"`, string(head)) {
			return 0, errors.New("it contains data other than gobench results")
		}
	}
	tail, err := lastLine(f, size)
	if err != nil || len(tail) == 0 {
		return 0, err
	}
	if json.Valid(tail) {
		_, err = f.Write([]byte("\n"))
		return 0, err
	}
	return int64(len(tail)), f.Truncate(size - int64(len(tail)))
}

// lastLine returns what follows the last newline of f.
func lastLine(f io.ReaderAt, size int64) ([]byte, error) {
	for length := int64(4096); ; length *= 4 {
		length = min(length, size)
		b := make([]byte, length)
		if _, err := f.ReadAt(b, size-length); err != nil {
			return nil, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return b[i+1:], nil
		}
		if length == size {
			return b, nil
		}
	}
}
