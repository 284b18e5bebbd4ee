package shared

import "fmt"

// meet gets all ranks the same memory: the first of them allocates it and tells the
// others its name; they map it; and all hear whether everybody could. why is
// what went wrong, the same on all ranks.
func (a *Arena) meet(size int) (mem []byte, why string, err error) {
	var name []byte
	if a.rank == 0 {
		mem, name, why = a.allocate(size)
		for r := 1; r < a.ranks; r++ {
			if err := a.dev.Send(name, a.on(r), openTag, a.context); err != nil {
				return nil, "", err
			}
		}
	} else {
		var b [mostName]byte
		status, err := a.dev.Recv(b[:], a.on(0), openTag, a.context)
		if err != nil {
			return nil, "", err
		}
		mem, why = a.attach(b[:status.Size], size)
	}
	why, err = a.verdict(why)
	return mem, why, err
}

// mostName bounds names of exported memory, and what is said about failures.
const mostName = 256

// allocate makes the memory. It has no name where that failed.
func (a *Arena) allocate(size int) (mem, name []byte, why string) {
	mem, err := a.dev.Alloc(size)
	if err != nil {
		return nil, nil, err.Error()
	}
	if name, err = a.sharer.Export(mem); err == nil && len(name) > mostName {
		err = fmt.Errorf("its name has %d bytes, more than %d", len(name), mostName)
	}
	if err != nil {
		_ = a.dev.Free(mem) // what failed first is told
		return nil, nil, err.Error()
	}
	a.memory = mem
	return mem, name, ""
}

func (a *Arena) attach(name []byte, size int) (mem []byte, why string) {
	if len(name) == 0 {
		return nil, "rank 0 could not allocate it"
	}
	mem, err := a.sharer.Import(a.on(0), name)
	switch {
	case err != nil:
		return nil, err.Error()
	case len(mem) != size:
		return nil, fmt.Sprintf("it has %d bytes, want %d", len(mem), size)
	}
	return mem, ""
}

// verdict makes the first reason of any rank that of all.
func (a *Arena) verdict(why string) (string, error) {
	var b [mostName]byte
	if a.rank != 0 {
		out := []byte(why)
		if err := a.dev.Send(out[:min(len(out), mostName)], a.on(0), openTag, a.context); err != nil {
			return "", err
		}
		status, err := a.dev.Recv(b[:], a.on(0), openTag, a.context)
		return string(b[:status.Size]), err
	}
	for r := 1; r < a.ranks; r++ {
		status, err := a.dev.Recv(b[:], a.on(r), openTag, a.context)
		if err != nil {
			return "", err
		}
		if why == "" && status.Size > 0 {
			why = fmt.Sprintf("rank %d: %s", r, b[:status.Size])
		}
	}
	out := []byte(why)
	for r := 1; r < a.ranks; r++ {
		if err := a.dev.Send(out[:min(len(out), mostName)], a.on(r), openTag, a.context); err != nil {
			return "", err
		}
	}
	return why, nil
}
