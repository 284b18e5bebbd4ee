package importer

import ()

// osuSide matches how many threads or processes of one side osu_latency_mt and osu_latency_mp use.
var osuSide = match(`(?i)^# Number of (?:forked processes in )?(sender|receiver)(?: threads)?: *(\d+)`)

// osuSides maps the titles of the latency tests of several threads or processes of a rank to
// benchmarks, which are a ping-pong between them.
var osuSides = map[string]string{
	"multi-threaded latency": "pingpong_mt", "multi-process latency": "pingpong_mp",
}
