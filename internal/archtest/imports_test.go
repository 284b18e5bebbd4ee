package archtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport lists, for every package, the packages of gobench that its code (not its
// tests) may import. A name ending in /... stands for a whole tree; the longest
// name that fits a package is its rule. Everybody may import internal/...,
// whose packages import nothing of gobench.
var mayImport = map[string][]string{
	// Packages without dependencies, and the transports.
	"internal/...":            {},
	"internal/simd":           {"internal/simd/kernel", "internal/simd/lanes/..."},
	"internal/simd/lanes/...": {"internal/simd/kernel", "internal/simd/lanes/x1"},
	"device":                  {},
	"bench/stats":             {},
	"bench/clock":             {},
	"launch/host":             {"bench/clock"},
	"launch":                  {"device", "launch/host"},
	"launch/pair":             {"device"},
	"launch/child":            {"launch"},
	"launch/bridge":           {"transports/native/..."},
	"transports/...":          {"device", "device/contact", "device/protocol", "device/tagged", "transports/native/..."},
	"sockets":                 {},
	"transports/sockets":      {"device", "device/contact", "sockets"},
	"transports/all":          {"transports/..."}, // the only list of them

	// Layer 1.
	"device/contact":        {"device"},
	"device/protocol":       {"device"},
	"device/protocol/...":   {"device", "device/protocol"},
	"device/decorator":      {"device", "device/protocol"}, // it counts packets, too
	"device/devicetest/...": {"device", "device/...", "launch"},

	// Layer 2.
	"comm/op":           {},
	"comm/schedule":     {"device", "comm/op"},
	"comm/schedule/...": {"comm/op", "comm/schedule"},
	"comm/coll/shared":  {"device", "comm/op", "comm/schedule"},
	"comm/coll":         {"device", "comm/op", "comm/schedule", "comm/coll/shared"},
	"comm/...":          {"device", "comm/..."},

	// Layer 3.
	"bench/record":   {"bench/stats", "launch/host"},
	"bench/compare":  {"bench/record", "bench/series", "bench/state", "bench/stats"},
	"bench/sweep":    {"bench/compare", "bench/importer", "bench/pace", "bench/record", "launch/child", "launch/host"},
	"bench/price":    {"bench/record"},
	"bench/pace":     {},
	"bench/state":    {"bench/pace", "bench/record"},
	"bench/series":   {"bench/record", "bench/state", "bench/stats"},
	"bench/importer": {"bench/record", "bench/stats"},
	"bench/...":      {"bench", "bench/...", "device", "device/..."}, // what its tests need
	"bench":          {"device", "comm", "bench/...", "launch/host"},

	// Layer 4.
	"micro/collective": {"bench", "device", "comm", "comm/..."},
	"micro/tune":       {"bench/record", "bench/series", "bench/state", "bench/stats", "comm/coll", "comm/op", "comm/schedule", "launch/host", "micro/collective"},
	"micro":            {"bench", "bench/...", "device", "comm", "comm/..."},
	"kernels/...":      {"bench", "bench/...", "comm", "comm/...", "kernels/...", "launch/host"},
	// for tests
	"kernels/kerneltest": {"comm", "device", "device/decorator", "device/devicetest/...", "kernels/application", "kernels/npb", "launch", "transports/smem"},
	"report/...":         {"bench/record", "bench/series", "bench/state", "bench/stats", "bench/compare", "bench/price", "report/..."},
	"report":             {"bench/record", "bench/series", "bench/state", "bench/stats", "report/host", "report/markdown"},
	"report/comparison":  {"report", "report/markdown", "bench/compare", "bench/record", "bench/stats"},

	// Programs: they import everything but the transports by name, and nothing imports them.
	"peers": {"internal/lab"},
	"cmd/gobench": {"cmd/gobench/...", "bench", "bench/...", "device", "device/decorator", "launch", "launch/bridge", "launch/child", "launch/host",
		"micro", "micro/...", "comm", "comm/...", "kernels/...", "report", "report/...", "transports/all"},
	"cmd/gobench/...": {"cmd/gobench/...", "bench", "bench/...", "device", "device/decorator", "launch", "launch/child", "launch/host", "launch/pair",
		"micro", "micro/...", "comm", "comm/...", "kernels/...", "report", "report/..."},
	"peers/...":   {}, // its benchmark between hosts
	"docs/...":    {}, // its tests hold the pages
	"scripts/...": {"bench/record", "bench/series", "bench/state", "report"},
}

// cgoMayLiveIn lists the trees where C is allowed: drivers of vendor libraries.
var cgoMayLiveIn = []string{"transports/native", "transports/verbs", "transports/gni", "transports/mxm", "transports/mpi", "transports/ucx", "transports/ofi"}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	CgoFiles   []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps,CgoFiles", "gobench/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []pkg
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// ours returns the path inside gobench, and false for a package of others.
func ours(path string) (string, bool) { return strings.CutPrefix(path, "gobench/") }

func fits(pattern, path string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == tree || strings.HasPrefix(path, tree+"/")
	}
	return pattern == path
}

// rule returns what path may import: the rule of the longest pattern that fits.
func rule(path string) (allowed []string, found bool) {
	longest := -1
	for pattern, list := range mayImport {
		exact := 0
		if pattern == path {
			exact = 1 << 10 // before any tree
		}
		if fits(pattern, path) && len(pattern)+exact > longest {
			longest, allowed, found = len(pattern)+exact, list, true
		}
	}
	return allowed, found
}

func violations(p pkg) []string {
	path, _ := ours(p.ImportPath)
	allowed, found := rule(path)
	if !found {
		return []string{path + " has no rule: give it a line in mayImport"}
	}
	var broken []string
	for _, i := range p.Imports {
		target, ok := ours(i)
		if !ok {
			continue
		}
		fine := fits("internal/...", target) && !fits("internal/...", path)
		for _, pattern := range allowed {
			fine = fine || fits(pattern, target)
		}
		if !fine {
			broken = append(broken, path+" may not import "+target)
		}
	}
	return broken
}

func TestImportsGoDown(t *testing.T) {
	for _, p := range packages(t) {
		for _, v := range violations(p) {
			t.Error(v)
		}
	}
}

// A report is drawn from records alone, on any laptop: nothing that measures
// may come in by a detour.
func TestReportDependsOnNothingThatMeasures(t *testing.T) {
	for _, p := range packages(t) {
		if path, _ := ours(p.ImportPath); !fits("report/...", path) {
			continue
		}
		for _, d := range p.Deps {
			if target, ok := ours(d); ok && (fits("device/...", target) || fits("transports/...", target) || target == "bench" || target == "launch") {
				t.Errorf("%s depends on %s", p.ImportPath, target)
			}
		}
	}
}

func TestCgoLivesWithVendorLibrariesOnly(t *testing.T) {
	for _, p := range packages(t) {
		path, _ := ours(p.ImportPath)
		if len(p.CgoFiles) > 0 && !slices.ContainsFunc(cgoMayLiveIn, func(tree string) bool { return fits(tree+"/...", path) }) {
			t.Errorf("%s uses cgo in %v", path, p.CgoFiles)
		}
	}
}

func TestTheRulesCanFail(t *testing.T) {
	for _, p := range []pkg{
		{ImportPath: "gobench/device", Imports: []string{"gobench/launch"}},
		{ImportPath: "gobench/transports/tcp", Imports: []string{"gobench/launch"}},
		{ImportPath: "gobench/transports/tcp", Imports: []string{"gobench/transports/smem"}},
		{ImportPath: "gobench/launch", Imports: []string{"gobench/transports/all"}},
		{ImportPath: "gobench/cmd/gobench", Imports: []string{"gobench/transports/smem"}},
		{ImportPath: "gobench/report", Imports: []string{"gobench/bench"}},
		{ImportPath: "gobench/internal/nearest", Imports: []string{"gobench/internal/terminal"}},
		{ImportPath: "gobench/somewhere/else"},
	} {
		if len(violations(p)) == 0 {
			t.Errorf("%s importing %v is found to be fine", p.ImportPath, p.Imports)
		}
	}
}

// A file is read in a sitting, and is named for what is in it.
func TestFilesStaySmallAndNamed(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "misc"}, name) {
				t.Errorf("%s: a folder is named for its idea", path)
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".c", ".h", ".sh"}, filepath.Ext(name)) {
			return nil
		}
		if lines := countLines(t, path); lines > 500 {
			t.Errorf("%s has %d lines, more than 500", path, lines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func countLines(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		lines++
	}
	return lines
}
