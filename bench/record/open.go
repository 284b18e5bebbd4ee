package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// OpenError says that a result file cannot be written to.
type OpenError struct {
	Path string
	Err  error
}

func (e *OpenError) Error() string {
	err := e.Err
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // the path is in the sentence already
	}
	return fmt.Sprintf("cannot write results to %s: %v; name another file with -o", e.Path, err)
}

func (e *OpenError) Unwrap() error { return e.Err }

// Open opens a result file for appending; it makes the file, and its folder,
// where there is none. What is in the file stays: Open refuses a file that
// holds anything but gobench results, with an *OpenError. One exception: the
// torn last line that a crash may leave is cut off, with a warning, because a
// row appended to it would be lost too.
func Open(path string) (*Writer, error) {
	w, err := open(path)
	if err != nil {
		return nil, &OpenError{Path: path, Err: err}
	}
	return w, nil
}

func open(path string) (*Writer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	mode := os.O_RDWR // to see what is in it
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		mode = os.O_WRONLY // pipes and devices
	}
	f, err := os.OpenFile(path, mode|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	a := &appendFile{f: f, path: path, regular: info.Mode().IsRegular()}
	w := &Writer{file: a}
	if a.regular {
		err = a.locked(func(size int64) error {
			cut, err := repair(f, size)
			if cut > 0 {
				w.warnings = append(w.warnings,
					fmt.Sprintf("the last line of %s was incomplete (%d bytes) and has been cut off", path, cut))
			}
			return err
		})
		if err != nil {
			f.Close()
			return nil, err
		}
	}
	return w, nil
}

// repair checks that f begins with a row of this schema, ends it with a
// newline, and cuts off a torn last line. It returns the bytes cut off.
func repair(f *os.File, size int64) (cut int64, err error) {
	if size == 0 {
		return 0, nil
	}
	head := make([]byte, min(size, 256))
	if _, err := f.ReadAt(head, 0); err != nil {
		return 0, err
	}
	// The writer puts the schema first in every row.
	if !bytes.HasPrefix(head, []byte(`{"schema":"`+Schema+`"`)) {
		if bytes.HasPrefix(head, []byte(`{"schema":"gobench/`)) {
			return 0, fmt.Errorf("it holds results of another schema than %s", Schema)
		}
		if !strings.HasPrefix(`{"schema":"`+Schema+`"`, string(head)) {
			return 0, errors.New("it holds something else than gobench results")
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
