package devicetest

import (
	"slices"
	"testing"

	"gobench/device"
)

// rule is one test of the contract.
type rule struct {
	name  string
	ranks []int // job sizes to try
	run   func(r *rank)
	// together takes the place of run where ranks are goroutines: one of them runs all ranks.
	together func(all []*rank)

	options map[string]string                // set where the driver declares them
	dies    func(hosts []int, rank int) bool // which ranks die in it; nil = none
	alone   bool                             // ranks may end it at different times, or have closed their devices
	memory  int64                            // bytes that must be available
	long    bool                             // for ranks as processes only; left out by -short
}

// shares reports whether the rule runs on a device that other rules have used, and leaves it usable
// for the next ones: starting processes and opening their devices takes most of the time of many
// rules. Where the subject chooses when ranks connect, each rule finds them as they are at first.
func (u rule) shares(s Subject) bool {
	return s.Ranks == Processes && s.Threads == 0 && s.Options["connect"] == "" && u.dies == nil && !u.alone && u.options == nil
}

// named returns the rule of a name.
func named(name string) (rule, bool) {
	all := rules()
	i := slices.IndexFunc(all, func(u rule) bool { return u.name == name })
	if i < 0 {
		return rule{}, false
	}
	return all[i], true
}

// rules returns all rules, the simple ones first.
func rules() []rule {
	return slices.Concat(orderRules(), sizeRules(), truncationRules(), selfRules(), ssendRules(), probeRules(),
		requestRules(), batchRules(), argumentRules(), cancelRules(), memoryRules(), sharingRules(), regionRules(), allocRules(), crowdRules(), randomRules(),
		closeRules(), interruptRules(), deathRules(), bindingRules(), progressRules())
}

// leftOut returns the reason why the rule is not run for s, empty if it is.
func (u rule) leftOut(s Subject) string {
	switch {
	case s.Without[u.name] != "":
		return s.Without[u.name]
	case u.dies != nil && s.Ranks == Goroutines && s.Kill == nil:
		return "a goroutine cannot be killed"
	case u.dies != nil && s.Threads > 0:
		return "the ranks of a process die together, and processes of one rank hold it"
	case u.long && (s.Ranks == Goroutines || s.Threads > 0):
		return "it takes long, and ranks that are processes hold it"
	case u.long && testing.Short():
		return "-SHORT IS SET: MESSAGES OVER 2 GiB ARE NOT TESTED"
	case u.memory > availableMemory():
		return "THIS MACHINE HAS TOO LITTLE FREE MEMORY FOR IT"
	}
	return ""
}

// parse merges the rule's options, those that the driver has with that value, with the
// subject's, which win.
func (u rule) parse(s Subject) (device.Options, error) {
	set := map[string]string{}
	for _, o := range s.Driver.Options() {
		if v, ok := u.options[o.Name]; ok && (len(o.Values) == 0 || slices.Contains(o.Values, v)) {
			set[o.Name] = v
		}
	}
	for k, v := range s.Options {
		set[k] = v
	}
	return device.ParseOptions(s.Driver.Options(), set)
}
