package export

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file that programs may read at any time: it is the earlier one, or is missing,
// until it is complete, and after an error. What a link names, devices and pipes are written in
// place, and so are files in directories where none can be created.
func Replace(path string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o644)
	earlier, err := os.Lstat(path)
	exists := err == nil
	if exists {
		mode = earlier.Mode().Perm()
	}
	if !exists || earlier.Mode().IsRegular() {
		file, err := os.CreateTemp(filepath.Dir(path), ".gobench-*")
		if err == nil {
			return replace(path, file, mode, write)
		}
		if !exists || !errors.Is(err, fs.ErrPermission) {
			return &fs.PathError{Op: "open", Path: path, Err: Cause(err)}
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// replace writes a temporary file and gives it the name and mode.
func replace(path string, file *os.File, mode fs.FileMode, write func(io.Writer) error) error {
	defer os.Remove(file.Name()) // fails once it was renamed
	err := write(file)
	if err == nil {
		err = file.Chmod(mode)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok && p.Path == file.Name() {
		p.Path = path
	}
	return err
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
