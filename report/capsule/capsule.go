// Package capsule packs records with all that repeats them into an archive that can be published
// beside a paper, and unpacks such an archive safely. The archive is a tar file compressed by zstd
// (RFC 8878), which tar --zstd unpacks. It has
//
//	capsule/README.md       what was measured, on which machines, how long a repetition takes, claims
//	capsule/LICENSE         of the records
//	capsule/CITATION.cff    Citation File Format 1.2.0
//	capsule/SHA256SUMS      of all other files, as sha256sum writes and checks them
//	capsule/reproduce.sh    the commands, with their launchers
//	capsule/claims.csv      each cell with its interval and the tolerance of a repetition
//	capsule/hosts.json      facts of the machines
//	capsule/records/        the files of records
//	capsule/plan/           the plans of sweeps, and lists of hosts
//
// Equal records and options give equal bytes.
package capsule

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"gobench/compare"
	"gobench/internal/exit"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/record"
)

// Suffix ends the names of capsules.
const Suffix = ".tar.zst"

const (
	directory = "capsule"
	sums      = "SHA256SUMS"
	records   = "records"
)

// Options describe a capsule.
type Options struct {
	Title   string   // "" = a general one
	Authors []string // "Given Family"; none = they are not known
	License string   // file that becomes LICENSE; "" = CC-BY-4.0
	// Time dates the files and the release. Zero = of the last record.
	Time time.Time
}

// Create is Write to a file, which appears when it is complete.
func Create(name string, paths []string, o Options) (warnings []string, err error) {
	if !strings.HasSuffix(name, Suffix) {
		return nil, &exit.UsageError{Err: remedy.Errorf("%v is %q, want a name that ends in %s", remedy.Named("output"), name, Suffix)}
	}
	var b bytes.Buffer // errors about records are no errors about the archive
	if warnings, err = Write(&b, paths, o); err != nil {
		return warnings, err
	}
	return warnings, document.Create(name, func(w io.Writer) error { _, err := b.WriteTo(w); return err })
}

// Write writes a capsule of files of records. Warnings are about what to mend before it is
// published: parts of the records that do not count, and a missing author.
func Write(w io.Writer, paths []string, o Options) (warnings []string, err error) {
	set, err := cell.Load(paths, record.Selection{})
	if err != nil {
		return set.Warnings, err
	}
	if len(o.Authors) == 0 {
		set.Warnings = append(set.Warnings, fmt.Sprintf("CITATION.cff names no author: give %v before you publish", remedy.Named("author")))
	}
	if len(set.Points) == 0 {
		return set.Warnings, &document.EmptyError{What: "these files hold no results"}
	}
	if o.Time.IsZero() {
		for _, p := range set.Points {
			if p.Time.After(o.Time) {
				o.Time = p.Time
			}
		}
	}
	files, err := contents(set, o)
	if err != nil {
		return set.Warnings, err
	}
	return set.Warnings, pack(w, files, o.Time)
}

// pack writes files, by name, and their sums.
func pack(w io.Writer, files map[string][]byte, when time.Time) error {
	var list bytes.Buffer
	names := sorted(files)
	for _, name := range names {
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	files[sums] = list.Bytes()
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, name := range append(names, sums) {
		mode := int64(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: directory + "/" + name, Mode: mode, Size: int64(len(files[name])), ModTime: when.UTC().Truncate(time.Second)}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(files[name]); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// Limits of archives, because a small one can unpack to anything.
const (
	maxSize   = 4 << 30  // bytes of all files
	maxFiles  = 10000    // and directories
	maxWindow = 64 << 20 // bytes of memory of the decoder
)

// Open unpacks the capsule in the file name into a new directory, checks its sums, and returns its
// records. An archive that is damaged, or that has other than regular files below capsule, is a
// *record.FileError; the directory may then have a part of the files. The records have their names
// below the directory records, so that document.Repeat writes files of the same names.
func Open(name, directory string) ([]compare.Source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Mkdir(directory, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = unpack(f, root, maxSize)
	if p, ok := errors.AsType[*fs.PathError](err); ok && p.Op == "write" {
		return nil, remedy.Errorf("cannot unpack %s: %w; name another directory with %v", name, err, remedy.Named("output"))
	}
	if err != nil {
		return nil, &record.FileError{Path: name, Err: fmt.Errorf("not an intact capsule: %w", err)}
	}
	return load(filepath.Join(directory, records))
}

func unpack(r io.Reader, into *os.Root, size int64) error {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return err
	}
	defer z.Close()
	t := tar.NewReader(z)
	found := map[string]string{} // sums, by name
	var listed []byte
	for entries := 0; ; entries++ {
		header, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		name, below := strings.CutPrefix(strings.TrimSuffix(header.Name, "/"), directory+"/")
		inside := below && remains(name)
		switch {
		case header.Size > size || entries == maxFiles:
			return fmt.Errorf("it has more than %d files or %d bytes", maxFiles, int64(maxSize))
		case header.Typeflag == tar.TypeDir && (inside || name == directory):
			continue // tar adds them
		case header.Typeflag != tar.TypeReg || !inside:
			return fmt.Errorf("%q is no regular file below %s/", header.Name, directory)
		case found[name] != "":
			return fmt.Errorf("it has %q twice", name)
		}
		size -= header.Size
		sum, err := write(into, name, t)
		if err != nil {
			return err
		}
		if found[name] = sum; name == sums {
			if listed, err = into.ReadFile(name); err != nil {
				return err
			}
		}
	}
	return check(listed, found)
}

// remains reports whether a name is a clean path that stays below a directory.
func remains(name string) bool {
	return name != "" && !path.IsAbs(name) && path.Clean(name) == name && !slices.Contains(strings.Split(name, "/"), "..")
}

// write writes a new file and returns its sum.
func write(into *os.Root, name string, from io.Reader) (sum string, err error) {
	if err := into.MkdirAll(path.Dir(name), 0o777); err != nil {
		return "", err
	}
	f, err := into.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), from)
	return fmt.Sprintf("%x", h.Sum(nil)), errors.Join(err, f.Close())
}

// check compares the sums of files with those that the archive lists.
func check(listed []byte, found map[string]string) error {
	delete(found, sums)
	for line := range strings.Lines(string(listed)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if sum == "" || found[name] != sum {
			return fmt.Errorf("%q is missing or has another SHA-256 sum than %s states", name, sums)
		}
		delete(found, name)
	}
	if len(found) > 0 {
		return fmt.Errorf("%s does not list %q", sums, sorted(found)[0])
	}
	if len(listed) == 0 {
		return remedy.Errorf("it lacks %s", sums)
	}
	return nil
}

func load(directory string) (sources []compare.Source, err error) {
	names, err := record.Files(directory)
	if err != nil {
		return nil, err
	}
	var seen record.Repeats
	for _, name := range names {
		file, err := record.ReadResults(name)
		if err != nil {
			return nil, err
		}
		seen.Drop(file, name)
		below, err := filepath.Rel(directory, name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, compare.Source{Name: below, File: file})
	}
	return sources, nil
}
