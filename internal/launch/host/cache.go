package host

import (
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Cache describes one cache of the first core and the cores that share it.
type Cache struct {
	Level  int    `json:"level"`
	Type   string `json:"type,omitempty"` // Data, Instruction, Unified
	Size   *int64 `json:"size_B,omitempty"`
	Line   *int64 `json:"line_B,omitempty"`
	Shared string `json:"shared_by,omitempty"` // cores, such as 0-3
}

// LLC returns the size of the last-level cache in bytes, 0 if it is unknown.
func (f Facts) LLC() int64 {
	level, size := 0, int64(0)
	for _, c := range f.Caches {
		if c.Size != nil && c.Level > level && c.Type != "Instruction" {
			level, size = c.Level, *c.Size
		}
	}
	return size
}

// readCaches returns the caches of the first core that is online.
func readCaches(t tree) []Cache {
	online := t.cores("sys/devices/system/cpu/online")
	if len(online) == 0 {
		return nil
	}
	cpu := path.Join("sys/devices/system/cpu", "cpu"+strconv.Itoa(online[0]), "cache")
	var caches []Cache
	for _, index := range sorted(t.numbered(cpu, "index")) {
		level := t.number(index + "/level")
		if level == nil {
			continue
		}
		caches = append(caches, Cache{
			Level:  int(*level),
			Type:   t.text(index + "/type"),
			Size:   kernelSize(t.text(index + "/size")),
			Line:   t.number(index + "/coherency_line_size"),
			Shared: t.text(index + "/shared_cpu_list"),
		})
	}
	return caches
}

// kernelSize reads "32768K", "32M" or "1024 kB" as bytes; K is binary here.
func kernelSize(s string) *int64 {
	digits := strings.TrimRight(s, " kKMGB")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return nil
	}
	switch unit := strings.TrimSpace(s[len(digits):]); {
	case strings.HasPrefix(strings.ToUpper(unit), "K"):
		n <<= 10
	case strings.HasPrefix(unit, "M"):
		n <<= 20
	case strings.HasPrefix(unit, "G"):
		n <<= 30
	}
	return &n
}

// LastCache returns the size of the last-level cache of this machine in bytes, 0 if it is unknown.
func LastCache() int64 { return lastCache() }

var lastCache = sync.OnceValue(func() int64 { return Facts{Caches: readCaches(tree{os.DirFS("/")})}.LLC() })
