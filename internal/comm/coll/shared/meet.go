package shared

import "fmt"

// meet makes the same memory accessible to all ranks. Its messages use the largest tag, which no
// operation has, and every rank sends and receives all of them whatever fails, so that no rank
// waits for one that has given up, and a later arena of the same context finds no message of this
// one. Rank 0 allocates it and sends its name to the others, which map it, and all agree on whether
// every rank succeeded. If not, why is the reason, the same on all ranks.
func (a *Arena) meet(size int) (mem []byte, why string, err error) {
	var name []byte
	if a.rank == 0 {
		mem, name, why = a.allocate(size)
		for r := 1; r < a.ranks; r++ {
			if err := a.dev.Send(name, a.deviceRank(r), a.tag, a.context); err != nil {
				return nil, "", err
			}
		}
	} else {
		var b [maxName]byte
		status, err := a.dev.Recv(b[:], a.deviceRank(0), a.tag, a.context)
		if err != nil {
			return nil, "", err
		}
		mem, why = a.attach(b[:status.Size], size)
	}
	why, err = a.agree(why)
	return mem, why, err
}

// maxName bounds the length of names of exported memory and of reasons.
const maxName = 256

// allocate allocates the memory and exports it. The name is empty if that failed.
func (a *Arena) allocate(size int) (mem, name []byte, why string) {
	mem, err := a.dev.Alloc(size)
	if err != nil {
		return nil, nil, err.Error()
	}
	if name, err = a.sharer.Export(mem); err == nil && len(name) > maxName {
		err = fmt.Errorf("its name has %d bytes, more than %d", len(name), maxName)
	}
	if err != nil {
		_ = a.dev.Free(mem) // the first failure is reported
		return nil, nil, err.Error()
	}
	a.memory = mem
	return mem, name, ""
}

// attach maps the memory that rank 0 has exported.
func (a *Arena) attach(name []byte, size int) (mem []byte, why string) {
	if len(name) == 0 {
		return nil, "rank 0 could not allocate it"
	}
	mem, err := a.sharer.Import(a.deviceRank(0), name)
	switch {
	case err != nil:
		return nil, err.Error()
	case len(mem) != size:
		return nil, fmt.Sprintf("it has %d bytes, want %d", len(mem), size)
	}
	return mem, ""
}

// agree returns the first reason of any rank on all ranks, "" if none has one.
func (a *Arena) agree(why string) (string, error) {
	var b [maxName]byte
	if a.rank != 0 {
		out := []byte(why)
		if err := a.dev.Send(out[:min(len(out), maxName)], a.deviceRank(0), a.tag, a.context); err != nil {
			return "", err
		}
		status, err := a.dev.Recv(b[:], a.deviceRank(0), a.tag, a.context)
		if err != nil {
			return "", err
		}
		return string(b[:status.Size]), nil
	}
	for r := 1; r < a.ranks; r++ {
		status, err := a.dev.Recv(b[:], a.deviceRank(r), a.tag, a.context)
		if err != nil {
			return "", err
		}
		if why == "" && status.Size > 0 {
			why = fmt.Sprintf("rank %d: %s", r, b[:status.Size])
		}
	}
	out := []byte(why)
	for r := 1; r < a.ranks; r++ {
		if err := a.dev.Send(out[:min(len(out), maxName)], a.deviceRank(r), a.tag, a.context); err != nil {
			return "", err
		}
	}
	return why, nil
}
