package detect

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/launch/host"
	"gobench/internal/launch/hostlist"
	"gobench/internal/remedy"
)

// Allocation holds the hosts that a scheduler has allocated to the job in which this process runs.
type Allocation struct {
	Scheduler string // "slurm", "pbs", "lsf", "gridengine" or "mpi-operator"
	Job       string // its identifier there
	Evidence  string // the variable that told, as NAME=value
	Hosts     []hostlist.Host
}

// allocations lists the variables that contain the hosts of an allocation, or name a file of them.
var allocations = []struct {
	scheduler, sign, job string
	read                 func(env Lookup, value string) ([]hostlist.Host, error)
}{
	{"slurm", "SLURM_JOB_NODELIST", "SLURM_JOB_ID", slurmHosts},
	{"pbs", "PBS_NODEFILE", "PBS_JOBID", hostsOfFile},
	{"lsf", "LSB_DJOB_HOSTFILE", "LSB_JOBID", hostsOfFile},
	{"lsf", "LSB_MCPU_HOSTS", "LSB_JOBID", func(_ Lookup, value string) ([]hostlist.Host, error) { return hostThenSlots(value) }},
	{"gridengine", "PE_HOSTFILE", "JOB_ID", hostsOfFile},
	{"mpi-operator", "OMPI_MCA_orte_default_hostfile", "K_MPI_JOB_ROLE", hostsOfFile},
	{"mpi-operator", "HYDRA_HOST_FILE", "K_MPI_JOB_ROLE", hostsOfFile},
	{"mpi-operator", "I_MPI_HYDRA_HOST_FILE", "K_MPI_JOB_ROLE", hostsOfFile},
}

// NoAllocation returns the environment variables with which FindAllocation finds none.
func NoAllocation() []string {
	var env []string
	for _, kind := range allocations {
		env = append(env, kind.sign+"=")
	}
	return env
}

// FindAllocation returns the allocation of this process, nil if there is none or if a launcher has
// started this process in it, even as the only rank of a job: then the launcher has chosen the
// host. Variables or files that cannot be read are an *EnvError.
func FindAllocation() (*Allocation, error) { return findAllocation(os.LookupEnv) }

func findAllocation(env Lookup) (*Allocation, error) {
	if launcher, _ := FindBootstrap(env); launcher != nil {
		return nil, nil
	}
	for _, kind := range allocations {
		value := env.Get(kind.sign)
		if value == "" || kind.scheduler == "mpi-operator" && env.Get("K_MPI_JOB_ROLE") != "launcher" {
			continue
		}
		hosts, err := kind.read(env, value)
		if err == nil && len(hosts) == 0 {
			err = errors.New("has no hosts")
		}
		for _, h := range hosts {
			if err != nil {
				break
			}
			if err = hostlist.CheckHost(h.Name); err != nil {
				err = fmt.Errorf("has a host that cannot be used: %w", err)
			}
		}
		if err != nil {
			return nil, &EnvError{kind.sign, value, fmt.Sprintf("%v; name the hosts with %v", err, remedy.Set("hosts", "LIST"))}
		}
		return &Allocation{kind.scheduler, env.Get(kind.job), kind.sign + "=" + value, hostlist.Merged(hosts)}, nil
	}
	return nil, nil
}

// hostsOfFile reads the file that a variable names.
func hostsOfFile(_ Lookup, name string) ([]hostlist.Host, error) {
	hosts, _, err := hostlist.ReadFile(name)
	if err != nil {
		err = fmt.Errorf("names a list of hosts that cannot be used: %w", err)
	}
	return hosts, err
}

// slurmHosts reads the nodes of a job or, if it is heterogeneous, those of all of its components.
func slurmHosts(env Lookup, list string) (hosts []hostlist.Host, err error) {
	size := env.Get("SLURM_HET_SIZE")
	if size == "" {
		return slurmNodes(env, list, "")
	}
	components, err := strconv.Atoi(size)
	if err != nil || components < 1 {
		return nil, fmt.Errorf("goes with %q in SLURM_HET_SIZE, which is no number of components", size)
	}
	for i := range components {
		suffix := fmt.Sprintf("_HET_GROUP_%d", i)
		list, ok := env("SLURM_JOB_NODELIST" + suffix)
		if !ok {
			return nil, fmt.Errorf("is that of one of %d components, and SLURM_JOB_NODELIST%s is missing", components, suffix)
		}
		more, err := slurmNodes(env, list, suffix)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, more...)
	}
	return hosts, nil
}

// slurmNodes reads a list of nodes, and how many tasks, or else processors, each has: "2(x3),1".
// The variables of a component end in suffix.
func slurmNodes(env Lookup, list, suffix string) ([]hostlist.Host, error) {
	names, err := hostlist.ExpandNodes(list)
	if err != nil {
		return nil, err
	}
	counts := cmp.Or(env.Get("SLURM_TASKS_PER_NODE"+suffix), env.Get("SLURM_JOB_CPUS_PER_NODE"+suffix))
	var slots []int
	for part := range strings.SplitSeq(counts, ",") {
		if part == "" {
			continue
		}
		number, times, repeated := strings.Cut(strings.TrimSuffix(part, ")"), "(x")
		n, err := strconv.Atoi(number)
		k := 1
		if repeated && err == nil {
			k, err = strconv.Atoi(times)
		}
		if err != nil || n < 1 || k < 1 || k > len(names) {
			return nil, fmt.Errorf("goes with %q, which is no list of numbers for each host", counts)
		}
		for range k {
			slots = append(slots, n)
		}
	}
	hosts := make([]hostlist.Host, len(names))
	for i, name := range names {
		hosts[i] = hostlist.Host{Name: name, Slots: 1}
		if i < len(slots) {
			hosts[i].Slots = slots[i]
		}
	}
	return hosts, nil
}

// hostThenSlots reads LSF's "h1 16 h2 16".
func hostThenSlots(text string) ([]hostlist.Host, error) {
	words := strings.Fields(text)
	var hosts []hostlist.Host
	for i := 0; i+1 < len(words); i += 2 {
		n, err := strconv.Atoi(words[i+1])
		if err != nil || n < 1 {
			return nil, fmt.Errorf("has %q where the number of slots of %s belongs", words[i+1], words[i])
		}
		hosts = append(hosts, hostlist.Host{Name: words[i], Slots: n})
	}
	if len(words)%2 != 0 {
		return nil, errors.New("ends with a host without a number of slots")
	}
	return hosts, nil
}

// HostRanks lists the ranks on one host.
type HostRanks struct {
	Name  string // as it was asked for
	Ranks []int  // in ascending order
}

// FormatHosts encodes the ranks of each host for the environment of a rank: "h1=0-3 h2=4,5".
func FormatHosts(list []HostRanks) string {
	var parts []string
	for _, h := range list {
		parts = append(parts, h.Name+"="+host.FormatCores(h.Ranks))
	}
	return strings.Join(parts, " ")
}

// ParseHosts returns the number of each rank's host, and the names of the hosts.
func ParseHosts(text string, size int) (on []int, names []string, err error) {
	on = slices.Repeat([]int{-1}, size)
	for i, part := range strings.Fields(text) {
		name, list, _ := strings.Cut(part, "=")
		ranks, err := host.ParseCores(list)
		if err != nil {
			return nil, nil, err
		}
		names = append(names, name)
		for _, rank := range ranks {
			if rank < 0 || rank >= size || on[rank] >= 0 {
				return nil, nil, fmt.Errorf("rank %d of %d is there twice, or is none", rank, size)
			}
			on[rank] = i
		}
	}
	if missing := slices.Index(on, -1); missing >= 0 {
		return nil, nil, fmt.Errorf("rank %d is on no host", missing)
	}
	return on, names, nil
}
