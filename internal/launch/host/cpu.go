package host

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// CPU describes the processors of a host.
type CPU struct {
	Model     string `json:"model,omitempty"`
	Vendor    string `json:"vendor,omitempty"`
	Signature string `json:"signature,omitempty"` // family, model and stepping: virtual machines hide them in the name
	Microcode string `json:"microcode,omitempty"`
	Packages  *int   `json:"packages,omitempty"`
	Cores     *int   `json:"cores,omitempty"`   // physical
	Threads   *int   `json:"threads,omitempty"` // logical, online: a CPU of the kernel
	SMT       *bool  `json:"smt,omitempty"`     // whether physical cores run more than one thread now
	Governor  string `json:"governor,omitempty"`
	Boost     *bool  `json:"boost,omitempty"` // whether the clock may rise above the nominal one
	MaxHz     *int64 `json:"max_Hz,omitempty"`
	TSCHz     *int64 `json:"tsc_Hz,omitempty"` // rate of the time stamp counter (x86), to 10 MHz
	// InvariantTSC: the time stamp counter runs at one speed and never stops
	// (x86), so that it is a clock.
	InvariantTSC *bool `json:"invariant_tsc,omitempty"`
}

func readCPU(t tree, top Topology) CPU {
	var c CPU
	first := firstCPU(t)
	c.Model = cmp.Or(first["model name"], first["cpu model"], t.text("sys/firmware/devicetree/base/model"))
	c.Vendor = cmp.Or(first["vendor_id"], first["CPU implementer"]) // the second on arm64, where it is a number
	c.Microcode, c.Signature = first["microcode"], signature(first)
	if n := len(top.Cores); n > 0 {
		c.Threads = &n
		packages, physical := top.count()
		c.Cores = &physical
		if packages > 0 {
			c.Packages = &packages
		}
		smt := physical < n
		c.SMT = &smt
	}
	if flags := readFlags(t); flags != nil {
		invariant := slices.Contains(flags, "constant_tsc") && slices.Contains(flags, "nonstop_tsc")
		c.InvariantTSC = &invariant
	}
	c.TSCHz = readTSC(t)
	c.Governor = readGovernor(t)
	c.Boost = readBoost(t)
	if kHz := t.number("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"); kHz != nil {
		hz := *kHz * 1000
		c.MaxHz = &hz
	}
	return c
}

// readTSC returns the rate of the time stamp counter, nil if unknown. The kernel of x86 calibrates
// its delay loop by that counter, at two steps a turn, so that bogomips is twice its rate in MHz.
func readTSC(t tree) *int64 {
	mips, err := strconv.ParseFloat(firstCPU(t)["bogomips"], 64)
	if err != nil || mips <= 0 {
		return nil
	}
	hz := int64(math.Round(mips/20)) * 1e7
	return &hz
}

// firstCPU returns the properties of the first processor by name.
func firstCPU(t tree) map[string]string {
	found := map[string]string{}
	for key, value := range fields(t.text("proc/cpuinfo")) {
		found[key] = cmp.Or(found[key], value)
	}
	return found
}

// signature returns the numbers of a processor, as /proc/cpuinfo names them on x86 and on arm64.
func signature(found map[string]string) string {
	var list []string
	for _, key := range []string{"cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU variant", "CPU revision"} {
		if found[key] != "" {
			list = append(list, key+" "+found[key])
		}
	}
	return strings.Join(list, ", ")
}

// readFlags returns the feature flags of the first x86 processor, nil on other architectures.
func readFlags(t tree) []string {
	flags, found := firstCPU(t)["flags"]
	if !found {
		return nil
	}
	return strings.Fields(flags)
}

// readGovernor returns the name of the governor, or "mixed" and all names if the cores differ.
func readGovernor(t tree) string {
	var names []string
	for _, dir := range sorted(t.numbered("sys/devices/system/cpu", "cpu")) {
		name := t.text(path.Join(dir, "cpufreq/scaling_governor"))
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		return "mixed: " + strings.Join(names, ", ")
	}
	return strings.Join(names, "")
}

func readBoost(t tree) *bool {
	on := true
	if n := t.number("sys/devices/system/cpu/cpufreq/boost"); n != nil {
		on = *n != 0
	} else if n := t.number("sys/devices/system/cpu/intel_pstate/no_turbo"); n != nil {
		on = *n == 0
	} else {
		return nil
	}
	return &on
}

// hypervisors maps the clock source of a guest to the name of the hypervisor.
var hypervisors = map[string]string{"kvm-clock": "kvm", "xen": "xen", "hyperv_clocksource_tsc_page": "hyperv", "vmware": "vmware"}

// readHypervisor returns the name of the hypervisor, "unknown" if it is not a known one, "none"
// on an x86 machine without one, and "" if nothing is known.
func readHypervisor(t tree) string {
	name := t.text("sys/hypervisor/type")
	for clock := range strings.FieldsSeq(t.text("sys/devices/system/clocksource/clocksource0/available_clocksource")) {
		name = cmp.Or(name, hypervisors[clock])
	}
	flags := readFlags(t)
	guest := slices.Contains(flags, "hypervisor") || t.text("sys/hypervisor/type") != ""
	switch {
	case flags != nil && !guest:
		return "none"
	case name == "" && !guest:
		return ""
	case name == "":
		name = "unknown"
	}
	machine := strings.TrimSpace(t.text("sys/class/dmi/id/sys_vendor") + " " + t.text("sys/class/dmi/id/product_name"))
	if machine != "" {
		name += " (" + machine + ")"
	}
	return name
}

// readVirtualization returns how the hypervisor runs this machine, "" if it is not known. Xen
// states it (Documentation/ABI/stable/sysfs-hypervisor-xen of Linux); other known hypervisors of
// x86 have hardware virtualization only.
func readVirtualization(t tree) string {
	hypervisor, _, _ := strings.Cut(readHypervisor(t), " ")
	switch {
	case hypervisor == "none":
		return "native"
	case hypervisor == "xen":
		kind := strings.ToLower(t.text("sys/hypervisor/guest_type"))
		if kind == "xen" { // on arm, which has one type
			kind = "hvm"
		}
		return kind
	case hypervisor == "" || hypervisor == "unknown":
		return ""
	}
	return "hvm"
}
