// Replicate reads records and prints them again and again, as those of other commands an hour
// later, until there are as many points as asked for. The speed of commands that read many records
// is measured with them.
package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"gobench/record"
)

func main() {
	if err := replicate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func replicate() error {
	if len(os.Args) != 3 {
		return fmt.Errorf("usage: replicate FILE POINTS >OUTPUT")
	}
	left, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	file, err := record.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	points := map[string][]record.Point{} // by run
	for _, p := range file.Points {
		points[p.Run] = append(points[p.Run], p)
	}
	buffer := bufio.NewWriter(os.Stdout)
	out := record.NewWriter(buffer)
	random := rand.New(rand.NewPCG(1, 1))
	for copied := 0; left > 0; copied++ {
		for _, run := range file.Runs {
			mark := fmt.Sprintf("-%d", copied)
			id := run.ID
			run.ID += mark
			if run.Series != "" {
				run.Series += mark
			}
			run.Time = run.Time.Add(time.Duration(copied) * time.Hour)
			if err := out.WriteRun(&run); err != nil {
				return err
			}
			launch := 0.01 * random.NormFloat64()
			for _, p := range points[id][:min(left, len(points[id]))] {
				p.Run, p.Time = run.ID, p.Time.Add(time.Duration(copied)*time.Hour)
				p.Metrics = scaled(p.Metrics, math.Exp(launch+0.01*random.NormFloat64()))
				if err := out.WritePoint(&p); err != nil {
					return err
				}
				left--
			}
		}
	}
	return buffer.Flush()
}

// scaled returns metrics of events that take f times as long.
func scaled(metrics record.Values, f float64) (all record.Values) {
	for key, v := range metrics.All() {
		by := f
		switch m, _ := record.Lookup(key); {
		case m.Share():
			by = 1
		case strings.HasSuffix(m.Unit, "/s"):
			by = 1 / f
		}
		for _, x := range []*float64{&v.Median, &v.Mean, &v.Lo, &v.Hi, &v.Min, &v.P50, &v.P90, &v.P99, &v.P999, &v.Max} {
			*x *= by
		}
		all.Set(key, v)
	}
	return all
}
