package importer

import "gobench/record"

// A Repeat is a log with launches that a file of records contains already.
type Repeat struct {
	Name         string // of the log
	Launches, Of int    // of its launches, in the file
	Before       string // name of the log from which the file has the last of them
}

// Fresh returns the launches of logs that are not in held yet, each once, and the logs with others:
// to import a log again is not to measure another launch.
func Fresh(logs []Log, held *record.File) (fresh []Imported, repeats []Repeat) {
	known := map[string]string{} // names of logs by the ID of the run
	for _, r := range held.Runs {
		if known[r.ID] = "records"; r.Source != nil {
			known[r.ID] = r.Source.Name
		}
	}
	for _, l := range logs {
		repeated := Repeat{Name: l.Name, Of: len(l.Launches)}
		for _, launch := range l.Launches {
			name, again := known[launch.Run.ID]
			if !again && launch.Run.Source != nil {
				name, again = known[formerID(launch.Run.Source.SHA256)]
			}
			if again {
				repeated.Launches, repeated.Before = repeated.Launches+1, name
				continue
			}
			known[launch.Run.ID] = l.Name
			fresh = append(fresh, launch)
		}
		if repeated.Launches > 0 {
			repeats = append(repeats, repeated)
		}
	}
	return fresh, repeats
}
