package importer

import (
	"strconv"
	"strings"
)

// A ucxCommand holds the facts in a command line of ucx_perftest, or in the title that it prints
// before a test of a batch file.
type ucxCommand struct {
	test       string // as the server prints it: "tag match latency", "" if the line names none
	api        string // "uct", "" for the protocol layer
	size       int64  // -1 = not stated
	sent, held string // kinds of the sender's and the receiver's memory
}

var (
	ucxCommandLine = match(`^(?:.*\s)?` + shell + `ucx_perftest((?:\s.*)?)$`)
	ucxTitle       = match(`^=+ (\w+) =+$`)
	ucxTestAsked   = match(`\s-t\s*(\w+)`)
	ucxSizeAsked   = match(`\s-s\s*(\d+)(?:\s|$)`)
	ucxMemoryAsked = match(`\s-m\s*([\w-]+)(?:,([\w-]+))?`)
)

// ucxStems maps the names of operations in commands to those that the server prints.
var ucxStems = map[string]string{
	"tag": "tag match", "tag_sync": "tag sync match", "stream": "stream", "am": "active message", "put": "put", "get": "get",
	"add": "atomic add", "fadd": "atomic fetch-and-add", "swap": "atomic swap", "cswap": "atomic compare-and-swap",
}

// read evaluates a line.
func (c *ucxCommand) read(text string) {
	if m := ucxTitle.FindStringSubmatch(text); m != nil {
		c.named(m[1])
		return
	}
	if !strings.Contains(text, "ucx_perftest") {
		return
	}
	m := ucxCommandLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	test := ucxTestAsked.FindStringSubmatch(m[1])
	if test == nil || !c.named(test[1]) {
		return
	}
	if size := ucxSizeAsked.FindStringSubmatch(m[1]); size != nil {
		if n, err := strconv.ParseInt(size[1], 10, 64); err == nil {
			c.size = n
		}
	}
	if memory := ucxMemoryAsked.FindStringSubmatch(m[1]); memory != nil {
		if c.sent, c.held = memory[1], memory[2]; c.held == "" {
			c.held = c.sent
		}
	}
}

// named sets the test by its name in a command, "ucp_am_lat", and forgets what the command before
// stated. It returns false if no test has this name.
func (c *ucxCommand) named(name string) bool {
	layered, protocol := strings.CutPrefix(name, "ucp_")
	stem, kind := layered, ""
	for suffix, of := range map[string]string{"_lat": " latency", "_bw": " bandwidth", "_mr": " message rate"} {
		if before, found := strings.CutSuffix(layered, suffix); found {
			stem, kind = before, of
		}
	}
	operation, known := ucxStems[stem]
	if !known {
		return false
	}
	*c = ucxCommand{test: operation + kind, size: -1}
	if !protocol && !strings.HasPrefix(stem, "tag") && stem != "stream" {
		c.api = "uct"
	}
	return true
}
