package export

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Replace writes a file that programs may read at any time: it is the earlier one, or is missing,
// until it is complete, and after an error. What a link names, devices and pipes are written in
// place, and so are files in directories where none can be created, and files that cannot be
// replaced, such as those that a container has mounted.
func Replace(path string, write func(io.Writer) error) error {
	earlier, err := os.Lstat(path)
	exists := err == nil
	if !exists || earlier.Mode().IsRegular() {
		if exists {
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			file.Close()
		}
		temporary := filepath.Join(filepath.Dir(path), ".gobench-"+rand.Text())
		file, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return replace(path, file, earlier, write)
		}
		if !exists || !errors.Is(err, fs.ErrPermission) {
			return &fs.PathError{Op: "open", Path: path, Err: Cause(err)}
		}
	}
	return create(path, write)
}

// replace writes a temporary file, and gives it the name, and the mode of the earlier one, which is
// nil if there is none.
func replace(path string, file *os.File, earlier fs.FileInfo, write func(io.Writer) error) error {
	defer os.Remove(file.Name()) // fails once it was renamed
	defer file.Close()
	err := write(file)
	if err == nil && earlier != nil {
		err = file.Chmod(earlier.Mode().Perm())
	}
	if err == nil {
		if err = os.Rename(file.Name(), path); err != nil && earlier != nil {
			return create(path, func(w io.Writer) error {
				_, err := io.Copy(w, io.NewSectionReader(file, 0, math.MaxInt64))
				return err
			})
		}
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok && p.Path == file.Name() {
		p.Path = path
	}
	return err
}

// create writes a file in place.
func create(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// Cause strips the names of files from an error.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
