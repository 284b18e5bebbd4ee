package schedule

import (
	"context"
	"errors"
	"sync"
	"testing"

	"gobench/comm/op"
	"gobench/device"
	"gobench/device/devicetest"
	"gobench/device/devicetest/memwire"
)

const testContext = 7

// run gives every rank of a job over a hostile wire an execution whose ranks number
// those of the device backwards, so that none is taken for the other.
func run(t *testing.T, ranks int, f func(dev device.Device, rank int, x *Execution)) {
	t.Helper()
	driver := &memwire.Driver{Hostility: memwire.Hostility{Seed: 3, Queue: 4, Packet: 256, EagerLimit: 600, NoRoom: 60, Withhold: 60}}
	options, err := device.ParseOptions(driver.Options(), map[string]string{"wait": "yield"})
	if err != nil {
		t.Fatal(err)
	}
	world := make([]int, ranks)
	for i := range world {
		world[i] = ranks - 1 - i
	}
	var group sync.WaitGroup
	for _, job := range devicetest.Jobs(ranks) {
		group.Go(func() {
			dev, err := driver.Open(context.Background(), job, options)
			if err != nil {
				t.Error(err)
				return
			}
			defer dev.Close()
			f(dev, ranks-1-dev.Rank(), NewExecution(dev, testContext, world))
		})
	}
	group.Wait()
}

// variants lists the methods that run a program to its end.
var variants = map[string]func(x *Execution) error{
	"run": (*Execution).Run,
	"advance": func(x *Execution) (err error) {
		for done := false; !done; {
			done, err = x.Advance(false)
		}
		return err
	},
	"advance, then run": func(x *Execution) error {
		for range 5 {
			if done, err := x.Advance(false); done {
				return err
			}
		}
		return x.Run()
	},
}

// everything uses all instructions: a sum in the order of the ranks, handed down a
// chain, told by rank 0 to all, and the neighbours' input beside it.
func everything(b *Builder) {
	sum, in := b.RecvBuf().At(0, b.Bytes), b.RecvBuf().At(b.Bytes, b.Bytes)
	next, before := (b.Rank+1)%b.Ranks, (b.Rank+b.Ranks-1)%b.Ranks
	b.Exchange(b.SendBuf(), next, in, before)
	b.Copy(sum, b.SendBuf())
	if b.Rank < b.Ranks-1 {
		right := b.Scratch(b.Bytes)
		b.Recv(right, b.Rank+1)
		b.Combine(sum, sum, right)
	}
	if b.Rank > 0 {
		b.Send(sum, b.Rank-1)
		b.Wait(b.Irecv(sum, 0))
		return
	}
	var slots []Slot
	for peer := 1; peer < b.Ranks; peer++ {
		slots = append(slots, b.Isend(sum, peer))
	}
	b.Wait(slots...)
}

// join writes its operands' bytes one behind the other: it is associative and not commutative.
var join = op.New("join", false, func(left, right uint64) uint64 {
	for shift := right; shift > 0; shift >>= 8 {
		left <<= 8
	}
	return left | right
})

func TestExecution(t *testing.T) {
	for name, finish := range variants {
		for _, ranks := range []int{2, 3, 5} {
			for _, elements := range []int{0, 1, 20, 500} {
				run(t, ranks, func(_ device.Device, rank int, x *Execution) {
					s := Shape{Kind: Allreduce, Ranks: ranks, Rank: rank, Bytes: 8 * elements, Elem: 8}
					p := Build(s, everything)
					send, recv := make([]byte, s.Bytes), make([]byte, 2*s.Bytes)
					for i := range elements {
						send[8*i] = byte(rank + 1)
					}
					for tag := range int32(3) {
						x.Start(p, send, recv, join, tag)
						if err := finish(x); err != nil {
							t.Errorf("%s, %d ranks, %d elements: %v", name, ranks, elements, err)
							return
						}
					}
					for i := range elements {
						for r := range ranks {
							if got := recv[8*i+ranks-1-r]; got != byte(r+1) {
								t.Errorf("%s, %d ranks: contribution of rank %d in element %d is %d", name, ranks, r, i, got)
								return
							}
						}
						if got := recv[s.Bytes+8*i]; got != byte((rank+ranks-1)%ranks+1) {
							t.Errorf("%s, %d ranks: the neighbour's element %d is %d", name, ranks, i, got)
							return
						}
					}
				})
			}
		}
	}
}

// A rank that expects another length says who sent what, ends what it has under way,
// and can go on.
func TestLengthError(t *testing.T) {
	for name, finish := range variants {
		for _, sent := range []int{0, 3, 5, 2000} {
			run(t, 3, func(dev device.Device, rank int, x *Execution) {
				buf := make([]byte, 2000)
				if rank != 0 {
					n := 4
					if rank == 2 {
						n = sent
					}
					if err := dev.Send(buf[:n], 2, 1, testContext); err != nil { // rank 0 is the device's 2
						t.Error(err)
					}
					return
				}
				p := Build(Shape{Ranks: 3}, func(b *Builder) {
					never := b.Irecv(Mem{RecvBuffer, 100, 4}, 1)
					b.Wait(b.Irecv(Mem{RecvBuffer, 0, 4}, 2))
					b.Wait(never)
				})
				x.Start(p, nil, buf, nil, 1)
				err := finish(x)
				var length *LengthError
				if !errors.As(err, &length) || *length != (LengthError{Peer: 2, Got: sent, Want: 4}) {
					t.Errorf("%s: %v, want 4 bytes, %d got from rank 2", name, err, sent)
				}
				if _, err := dev.Peek(); err != device.ErrRequest {
					t.Errorf("%s: a request is left over: %v", name, err)
				}
				if buf[4] != 0 {
					t.Errorf("%s: bytes past the memory were written", name)
				}
			})
		}
	}
}

// TestRefusedStart has the device refuse an instruction in the middle of a program.
func TestRefusedStart(t *testing.T) {
	for name, finish := range variants {
		run(t, 2, func(dev device.Device, rank int, x *Execution) {
			p := Build(Shape{Ranks: 2, Rank: rank}, func(b *Builder) {
				b.Irecv(Mem{RecvBuffer, 0, 4}, 1-rank)
				b.Send(Mem{RecvBuffer, 0, 4}, 1-rank)
			})
			x.Start(p, nil, make([]byte, 4), nil, -5)
			var argument *device.ArgumentError
			if err := finish(x); !errors.As(err, &argument) {
				t.Errorf("%s: %v, want an *ArgumentError", name, err)
			}
			if _, err := dev.Peek(); err != device.ErrRequest {
				t.Errorf("%s: a request is left over: %v", name, err)
			}
		})
	}
}
