package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Slurm starts a controller of Slurm on the first host and a daemon on each, and returns the
// environment variables that its commands need. The test must have called Need with slurmctld and
// slurmd.
func Slurm(hosts []*Host) (env []string) {
	first := hosts[0]
	t, shared := first.lab.t, first.Shared()
	t.Helper()
	var conf strings.Builder
	fmt.Fprintf(&conf, `ClusterName=lab
SlurmctldHost=h1(%s)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmdSpoolDir=/run/slurmd
StateSaveLocation=/run/slurmctld
SlurmctldLogFile=%s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd-%%n.log
SlurmctldPort=6817
SlurmdPort=6818
SchedulerType=sched/builtin
SelectType=select/linear
`, first.Address, shared)
	for _, h := range hosts {
		fmt.Fprintf(&conf, "NodeName=%s NodeAddr=%s CPUs=2 RealMemory=100 State=UNKNOWN\n", h.Name, h.Address)
	}
	fmt.Fprintf(&conf, "PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES\n")
	file := filepath.Join(shared, "slurm.conf")
	for name, text := range map[string]string{file: conf.String(), filepath.Join(shared, "cgroup.conf"): "CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	variable := "SLURM_CONF=" + file
	for i, h := range hosts {
		h.Run("mkdir", "-p", "/run/slurmctld", "/run/slurmd")
		if i == 0 {
			h.Run("env", variable, "slurmctld")
		}
		h.Run("env", variable, "slurmd", "-N", h.Name)
	}
	const timeout = 60 * time.Second
	for until := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		out, _ := first.Command("env", variable, "sinfo", "-h", "-t", "idle", "-o", "%D").CombinedOutput()
		if strings.TrimSpace(string(out)) == fmt.Sprint(len(hosts)) {
			return []string{variable}
		}
		if time.Now().After(until) {
			t.Fatalf("Slurm is not up: %s", out)
		}
	}
}
