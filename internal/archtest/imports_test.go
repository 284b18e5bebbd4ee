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
	"reflect"
	"slices"
	"strings"
	"testing"
)

// mayImport lists, for every package, the packages of gobench that its code (not its
// tests) may import. A name ending in /... stands for a whole tree; the longest
// name that fits a package is its rule. Everybody may import nearest and internal/...,
// which import nothing of gobench.
var mayImport = map[string][]string{
	// Packages without dependencies, and the transports.
	"internal/...":            {},
	"internal/netif":          {"internal/remedy"},
	"internal/cli":            {"internal/collect", "internal/exit", "internal/lazyregexp", "internal/terminal", "nearest"},
	"nearest":                 {},
	"internal/simd":           {"internal/simd/kernel", "internal/simd/lanes/..."},
	"internal/simd/lanes/...": {"internal/simd/kernel", "internal/simd/lanes/x1"},
	"device":                  {"device/profile"},
	"stats":                   {},
	"bench/clock":             {},
	"bench/team":              {},
	"device/profile":          {},
	"launch/outcome":          {},
	"launch/host":             {"launch/hostlist"},
	"launch/pair":             {"device"},
	"launch/bridge":           {"transports/native/..."},
	"transports/...":          {"device", "device/contact", "device/protocol", "transports/native/..."},
	"transports/smem":         {"device", "device/profile", "device/protocol", "launch/host"},
	"sockets":                 {},
	"transports/sockets":      {"device", "device/contact", "sockets"},
	"transports/all":          {"transports/..."}, // the only list of them

	// The launcher.
	"launch/signals":    {},
	"launch/kubernetes": {},
	"launch/hostlist":   {},
	"launch/child":      {"launch/signals"},
	"launch/detect":     {"launch/host", "launch/hostlist"},
	"launch/exchange":   {"device", "launch/host", "launch/signals"},
	"launch/rendezvous": {"device", "launch/detect", "launch/exchange", "launch/host", "launch/signals"},
	"launch/fork":       {"launch/detect", "launch/exchange", "launch/host", "launch/outcome", "launch/signals"},
	"launch/watch":      {"launch/exchange", "launch/outcome", "launch/signals"},
	"launch":            {"device", "launch/detect", "launch/exchange", "launch/fork", "launch/host", "launch/outcome", "launch/signals", "launch/watch"},
	"launch/remote":     {"device", "launch", "launch/detect", "launch/exchange", "launch/fork", "launch/host", "launch/hostlist", "launch/outcome", "launch/signals", "launch/watch"},
	"launch/launchtest": {"device", "launch", "launch/..."},

	// Layer 1.
	"device/contact":        {"device"},
	"device/protocol":       {"device"},
	"device/decorator":      {"device"},
	"device/devicetest/...": {"device", "device/...", "launch"},

	// Layer 2.
	"comm/op":           {},
	"comm/schedule":     {"device", "comm/op"},
	"comm/schedule/...": {"comm/op", "comm/schedule"},
	"comm/coll/shared":  {"device", "comm/schedule"},
	"comm/coll":         {"device", "device/profile", "comm/schedule", "comm/coll/shared"},
	"comm/...":          {"device", "comm/..."},

	// Layer 3.
	"record":           {"stats", "launch/host"},
	"compare":          {"record", "record/series", "bench/state", "stats", "launch/hostlist"},
	"experiment/sweep": {"compare", "importer", "bench", "bench/pace", "record", "launch/child", "launch/host", "report", "report/comparison", "stats"},
	"report/price":     {"record"},
	"pairs":            {"nearest", "stats"},
	"bench/pace":       {},
	"bench/state":      {"bench/pace", "record"},
	"record/series":    {"record", "bench/state", "stats"},
	"importer":         {"record", "stats"},
	"bench/...":        {"bench", "bench/...", "device", "device/...", "record"}, // what its tests need
	"bench":            {"device", "bench/...", "record", "stats", "launch/host"},

	// Layer 4.
	"micro/collective": {"bench", "comm", "comm/..."},
	"experiment/tune":  {"record", "record/series", "bench/state", "stats", "comm/coll", "comm/op", "comm/schedule", "device/profile", "launch/host", "micro/collective"},
	"micro":            {"bench", "bench/...", "comm", "comm/op", "device"},
	"kernels/...":      {"bench", "bench/...", "comm", "comm/...", "kernels/...", "launch/host", "record", "stats"},
	// for tests
	"kernels/kerneltest": {"bench/team", "comm", "device", "device/decorator", "device/devicetest/...", "kernels/application", "kernels/npb", "launch", "transports/smem"},
	"report/...":         {"record", "record/series", "bench/state", "stats", "compare", "report/price", "report/..."},
	// whether numbers are usual is part of the first screen
	"report":            {"launch/hostlist", "record", "record/series", "bench/state", "stats", "report/export", "report/host", "report/markdown", "report/normal"},
	"report/comparison": {"launch/hostlist", "report", "report/export", "report/markdown", "compare", "record", "stats"},
	"report/document":   {"bench/state", "compare", "launch/detect", "record", "report/...", "stats"},
	"report/pairwise":   {"pairs", "launch/hostlist", "nearest", "report/document", "report/export", "report/figure", "report/style", "stats"},

	// Layer 5.
	"experiment": {"bench", "bench/...", "device", "device/decorator", "device/profile", "launch", "launch/child", "launch/detect", "launch/host",
		"launch/hostlist", "launch/outcome", "launch/pair", "launch/remote", "launch/rendezvous", "launch/signals", "micro", "micro/...", "comm", "comm/...",
		"kernels/application", "report", "compare", "experiment/tune", "record", "record/series", "stats"},
	"experiment/example":  {"experiment", "report", "transports/smem"},
	"experiment/rerun":    {"launch/child", "launch/detect", "record", "report/capsule", "report/cell", "report/document"},
	"experiment/pairwise": {"bench", "comm", "comm/...", "device", "launch/host", "launch/hostlist", "launch/remote", "nearest", "pairs", "record", "report/normal", "stats"},
	"experiment/survey":   {"bench/clock", "comm/coll", "device", "device/profile", "experiment/tune", "launch/detect", "launch/host", "record", "report/normal"},
	"experiment/trial":    {"comm", "comm/coll", "bench/team", "comm/schedule", "device", "device/profile", "experiment", "kernels/...", "launch", "launch/detect", "launch/host", "launch/rendezvous"},
	"experiment/tuner":    {"comm/coll", "device", "experiment", "experiment/tune", "launch/child", "launch/detect", "launch/host", "record"},

	// Programs: they import everything but the transports by name, and nothing imports them.
	"cmd/gobench": {"cmd/gobench/...", "configs", "experiment", "experiment/...", "compare", "importer", "record", "record/...", "bench", "bench/...", "device", "launch/bridge", "launch/child", "launch/detect",
		"launch/host", "launch/hostlist", "launch/kubernetes", "launch/remote", "launch/rendezvous", "launch/signals", "kernels/...", "pairs", "report", "report/...", "transports/all"},
	"cmd/gobench/...": {"record", "bench", "bench/...", "device", "micro", "micro/...", "comm/...", "kernels/...", "report/normal"},
	"configs":         {},                                                             // the sweeps, for an installed program
	"docs/...":        {},                                                             // its tests hold the pages
	"peers/...":       {"compare", "record", "record/series", "bench/state", "stats"}, // the targets of this project
	"scripts/...":     {"record", "record/series", "bench/state", "report", "stats"},
}

// cgoMayLiveIn lists the trees where C is allowed: drivers of vendor libraries.
var cgoMayLiveIn = []string{"transports/native", "transports/verbs", "transports/gni", "transports/mxm", "transports/mpi", "transports/ucx", "transports/ofi"}

type pkg struct {
	ImportPath string
	Name       string
	GoFiles    []string
	Imports    []string
	Deps       []string
	CgoFiles   []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags=verbs,mpi,gni,mxm,ucx,ofi,pmix", "-json=ImportPath,Name,GoFiles,Imports,Deps,CgoFiles", module+"...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOEXPERIMENT=simd") // lists all files, and compiles none
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

// module is the path of the module with a slash, which begins the path of each package.
var module = strings.TrimSuffix(reflect.TypeFor[pkg]().PkgPath(), "internal/archtest")

// ours returns the name of a package in mayImport, and false for a package of others: its path
// inside gobench, without internal/ if the rest has a rule.
func ours(path string) (string, bool) {
	name, ok := strings.CutPrefix(path, module)
	if rest, within := strings.CutPrefix(name, "internal/"); within {
		if _, found := ruleFor(rest); found {
			return rest, true
		}
	}
	return name, ok
}

func fits(pattern, path string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == tree || strings.HasPrefix(path, tree+"/")
	}
	return pattern == path
}

// rule returns what path may import: the rule of the longest pattern that fits.
func rule(path string) (allowed []string, found bool) {
	name, found := ruleFor(path)
	return mayImport[name], found
}

// ruleFor returns the pattern of the rule of path.
func ruleFor(path string) (name string, found bool) {
	longest := -1
	for pattern := range mayImport {
		exact := 0
		if pattern == path {
			exact = 1 << 10 // before any tree
		}
		if fits(pattern, path) && len(pattern)+exact > longest {
			longest, name, found = len(pattern)+exact, pattern, true
		}
	}
	return name, found
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
		fine := (fits("internal/...", target) || target == "nearest") && !fits("internal/...", path)
		if parts := strings.SplitN(path, "/", 3); parts[0] == "transports" && len(parts) > 1 {
			fine = fine || fits("transports/"+parts[1]+"/...", target) // its own packages
		}
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

// A rule allows nothing that nobody imports, and is the rule of some package.
func TestRulesAreUsed(t *testing.T) {
	used := map[string]map[string]bool{}
	for _, p := range packages(t) {
		path, _ := ours(p.ImportPath)
		name, _ := ruleFor(path)
		if used[name] == nil {
			used[name] = map[string]bool{}
		}
		for _, i := range p.Imports {
			target, ok := ours(i)
			for _, pattern := range mayImport[name] {
				if ok && fits(pattern, target) {
					used[name][pattern] = true
				}
			}
		}
	}
	for name, allowed := range mayImport {
		if used[name] == nil {
			t.Errorf("no package has the rule of %s", name)
			continue
		}
		for _, pattern := range allowed {
			if !used[name][pattern] {
				t.Errorf("%s may import %s, and does not", name, pattern)
			}
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
	for _, forbidden := range [][2]string{
		{"device", "launch"},
		{"transports/tcp", "launch"},
		{"transports/tcp", "transports/smem"},
		{"launch", "transports/all"},
		{"launch/exchange", "launch"},
		{"launch/rendezvous", "launch/remote"},
		{"cmd/gobench", "transports/smem"},
		{"report", "bench"},
		{"internal/human", "internal/terminal"},
		{"somewhere/else", "device"},
	} {
		if len(violations(pkg{ImportPath: module + forbidden[0], Imports: []string{module + forbidden[1]}})) == 0 {
			t.Errorf("%s importing %s is found to be fine", forbidden[0], forbidden[1])
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
				t.Errorf("%s: a directory is named for its idea", path)
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
