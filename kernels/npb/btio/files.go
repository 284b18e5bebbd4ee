package btio

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"unsafe"

	"gobench/kernels/npb/flow"
)

// point is the number of bytes of a point in a file.
const point = 40

// raw returns the memory of a. Files have the byte order of the machine, like the official ones.
func raw(a []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), 8*len(a))
}

// offset returns the place of a point in a shared file of n points along each axis.
func offset(n, d int, p [3]int) int64 {
	return point * (((int64(d)*int64(n)+int64(p[2]))*int64(n)+int64(p[1]))*int64(n) + int64(p[0]))
}

// pack copies row (j, k) of a cell into out, with the five components of a point together. unpack
// is the inverse.
func pack(out []float64, c *flow.Cell, j, k int) {
	at := c.At(0, j, k)
	n := c.N[0]
	for m := range 5 {
		row := c.U[at+m*c.Comp:][:n]
		for i, v := range row {
			out[5*i+m] = v
		}
	}
}

func unpack(c *flow.Cell, j, k int, in []float64) {
	at := c.At(0, j, k)
	n := c.N[0]
	for m := range 5 {
		row := c.U[at+m*c.Comp:][:n]
		for i := range row {
			row[i] = in[5*i+m]
		}
	}
}

// rows is the store of the subtypes simple and fortran: every rank writes its rows, or its points,
// one by one to the shared file.
type rows struct {
	solver *flow.Solver
	name   string
	points bool
	file   *os.File
	buffer []float64
}

func newRows(s *flow.Solver, name string, points bool) *rows {
	longest := 0
	for _, c := range s.Cells {
		longest = max(longest, c.N[0])
	}
	return &rows{solver: s, name: name, points: points, buffer: make([]float64, 5*longest)}
}

func (r *rows) create() (err error) {
	r.file, err = os.OpenFile(r.name, os.O_RDWR|os.O_CREATE, 0o666)
	return err
}

func (r *rows) open() (err error) {
	r.file, err = os.Open(r.name)
	return err
}

// each calls f for each access to the file that row (j, k) of a cell needs, with the part of buffer
// and the offset in the file.
func (r *rows) each(d int, c *flow.Cell, j, k int, f func(b []byte, at int64) error) error {
	at := offset(r.solver.N[0], d, [3]int{c.Lo[0], c.Lo[1] + j, c.Lo[2] + k})
	row := raw(r.buffer[:5*c.N[0]])
	if !r.points {
		return f(row, at)
	}
	for ; len(row) > 0; row, at = row[point:], at+point {
		if err := f(row[:point], at); err != nil {
			return err
		}
	}
	return nil
}

func (r *rows) write(d int) error {
	store := func(b []byte, at int64) error {
		_, err := r.file.WriteAt(b, at)
		return err
	}
	return all(r.solver, func(c *flow.Cell, j, k int) error {
		pack(r.buffer, c, j, k)
		return r.each(d, c, j, k, store)
	})
}

func (r *rows) read(d int) error {
	load := func(b []byte, at int64) error { return readAt(r.file, b, at) }
	return all(r.solver, func(c *flow.Cell, j, k int) error {
		if err := r.each(d, c, j, k, load); err != nil {
			return err
		}
		unpack(c, j, k, r.buffer)
		return nil
	})
}

func (r *rows) close(sync bool) error { return closed(r.file, sync) }

// all calls f for each row of the cells of a rank.
func all(s *flow.Solver, f func(c *flow.Cell, j, k int) error) error {
	for _, c := range s.Cells {
		for k := range c.N[2] {
			for j := range c.N[1] {
				if err := f(c, j, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readAt fills b from the file. If the file is too short, the error names its length.
func readAt(f *os.File, b []byte, at int64) error {
	if n, err := f.ReadAt(b, at); n < len(b) {
		if err == io.EOF {
			return fmt.Errorf("%s ends after %d bytes", f.Name(), at+int64(n))
		}
		return err
	}
	return nil
}

// closed closes a file, after fsync if sync is set.
func closed(f *os.File, sync bool) error {
	if sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return f.Close()
}

// records is the store of epio: a file for each rank, with a record for each cell. As Fortran
// compilers write it, a record lies between two copies of its length.
type records struct {
	solver *flow.Solver
	name   string
	file   *os.File
	buffer []float64
	framed []byte // buffer with both lengths
}

func newRecords(s *flow.Solver, name string) *records {
	largest := 0
	for _, c := range s.Cells {
		largest = max(largest, 5*c.N[0]*c.N[1]*c.N[2])
	}
	// Each copy of the length takes 4 bytes, half of a number.
	whole := make([]float64, largest+2)
	return &records{solver: s, name: name, buffer: whole[1:], framed: raw(whole)[4:]}
}

func (r *records) create() (err error) {
	for _, c := range r.solver.Cells {
		if bytes := point * int64(c.N[0]) * int64(c.N[1]) * int64(c.N[2]); bytes > math.MaxInt32-8 {
			return fmt.Errorf("%s: a record of %d bytes is longer than Fortran's: use more ranks", r.name, bytes)
		}
	}
	r.file, err = os.Create(r.name)
	return err
}

func (r *records) open() (err error) {
	r.file, err = os.Open(r.name)
	return err
}

// record returns the memory of the record of a cell, and its length.
func (r *records) record(c *flow.Cell) ([]byte, uint32) {
	length := point * c.N[0] * c.N[1] * c.N[2]
	return r.framed[:length+8], uint32(length)
}

func (r *records) write(int) error {
	for _, c := range r.solver.Cells {
		b, length := r.record(c)
		binary.NativeEndian.PutUint32(b, length)
		binary.NativeEndian.PutUint32(b[len(b)-4:], length)
		at := 0
		for k := range c.N[2] {
			for j := range c.N[1] {
				pack(r.buffer[at:], c, j, k)
				at += 5 * c.N[0]
			}
		}
		if _, err := r.file.Write(b); err != nil {
			return err
		}
	}
	return nil
}

func (r *records) read(int) error {
	for _, c := range r.solver.Cells {
		b, length := r.record(c)
		if _, err := io.ReadFull(r.file, b); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		if binary.NativeEndian.Uint32(b) != length || binary.NativeEndian.Uint32(b[len(b)-4:]) != length {
			return fmt.Errorf("%s has a record of another length than %d bytes", r.name, length)
		}
		at := 0
		for k := range c.N[2] {
			for j := range c.N[1] {
				unpack(c, j, k, r.buffer[at:])
				at += 5 * c.N[0]
			}
		}
	}
	return nil
}

func (r *records) close(sync bool) error { return closed(r.file, sync) }
