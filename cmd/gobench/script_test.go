package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestMain(m *testing.M) {
	if os.Getenv("GOBENCH_PROFILE") == "" {
		os.Setenv("GOBENCH_PROFILE", "none") // a profile takes seconds, and each test binary needs its own
	}
	// A verb: gobench was started by another gobench, under the name of this file or of a copy.
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
	}
	testscript.Main(m, map[string]func(){"gobench": main})
}

// TestScripts runs the transcripts of testdata/script. They show the command lines and the output.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:         scripts(t),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			configs, err := filepath.Abs(filepath.Join("..", "..", "configs"))
			env.Setenv("CONFIGS", configs)
			env.Setenv("GOBENCH_PROFILE", "none")                              // a profile takes seconds
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache")) // distances of cores are learned there
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await":  await,
			"exits":  exits,
			"listen": listen,
			"alone":  alone,
			"valid":  valid,
		},
	})
}

// scripts returns the transcripts to run: all, or with -short, as under the race detector, one for
// each kind of concurrency in gobench. Kernels are ten times as slow under the race detector, and
// their packages have their own tests.
func scripts(t *testing.T) []string {
	names := []string{"*"}
	if testing.Short() {
		names = []string{"threads", "interrupt", "killed", "compare"}
	}
	var files []string
	for _, name := range names {
		found, err := filepath.Glob(filepath.Join("testdata", "script", name+".txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no transcript %s: %v", name, err)
		}
		files = append(files, found...)
	}
	return files
}

// await FILE PATTERN waits until the file has a match of the pattern.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	for range 12000 {
		if b, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && pattern.Match(b) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s has no match of %s after 2 min", args[0], args[1])
}

// exits CODE ARGS... runs gobench, which must end with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	err := ts.Exec("gobench", args[1:]...)
	code := 0
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("gobench ended with exit code %d, want %s", code, args[0])
	}
}

// listen NAME takes a free port of this machine until the end of the script
// and puts its number into an environment variable.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listen NAME")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// alone fails if a process of this script still exists, or a segment in /dev/shm that such a
// process could have left.
func alone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: alone")
	}
	mark := []byte("WORK=" + ts.Getenv("WORK") + "\x00")
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	ts.Check(err)
	for _, path := range environs {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, mark) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			ts.Fatalf("%s is still running: %s", filepath.Dir(path), bytes.ReplaceAll(command, []byte{0}, []byte{' '}))
		}
	}
	segments, err := filepath.Glob("/dev/shm/gobench*")
	ts.Check(err)
	for _, path := range segments {
		ts.Fatalf("%s is left", path)
	}
}

// valid FILE checks every row of a file against the JSON Schema of records.
func valid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: valid FILE")
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	schema, err := c.Compile(filepath.Join("..", "..", "record", "schema.json"))
	ts.Check(err)
	for row := range strings.Lines(ts.ReadFile(args[0])) {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(row))
		ts.Check(err)
		if err := schema.Validate(value); err != nil {
			ts.Fatalf("%s%v", row, err)
		}
	}
}
