#!/usr/bin/env bash
# Plants faults in a lab of hosts on this machine, runs gobench pairs for each several times, and
# prints in how many runs the hosts that it named were the right ones and no others, with the right
# kind among those that it found. Needs root, jq and nftables.
# usage: scripts/pairs-faults.sh [-s SECONDS] [RUNS [HOSTS [FAULT...]]]
# FAULTs are those of the list below. No run begins after SECONDS; the table has their number.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
limit=1000000
if [ "${1:-}" = -s ]; then
	limit=$2
	shift 2
fi
runs=${1:-100} hosts=${2:-16}
shift $(($# < 2 ? $# : 2))
faults=${*:-none slow send receive delay lossy pair group cpu clock mtu hole port stop two}
folder=$(mktemp -d)
trap 'rm -rf "$folder"; rmdir /sys/fs/cgroup/cpu/gobench-lab-* 2>/dev/null || true' EXIT
export CGO_ENABLED=0
go build -o "$folder/" ./cmd/gobench ./internal/lab/relay
case " $faults " in *" clock "*)
	# The hosts of a lab share a clock: this program reports another where /run/late is.
	sed 's/time\.Now()\.UnixNano()}/time.Now().UnixNano() - late()}/; s/^import (/import ("os"/' internal/experiment/pairwise/worker.go >"$folder/worker.go"
	echo 'func late() int64 { if _, err := os.Stat("/run/late"); err == nil { return 2e9 }; return 0 }' >>"$folder/worker.go"
	echo "{\"Replace\":{\"$PWD/internal/experiment/pairwise/worker.go\":\"$folder/worker.go\"}}" >"$folder/overlay"
	go build -overlay "$folder/overlay" -o "$folder/late" ./cmd/gobench
	;;
esac

cat >"$folder/trial.sh" <<END
unset XDG_CACHE_HOME
runs=$runs hosts=$hosts limit=$limit folder=$folder faults=" $faults "
END
cat >>"$folder/trial.sh" <<'END'
cp $folder/gobench $folder/relay $LAB
[ ! -e $folder/late ] || cp $folder/late $LAB
# trial FAULT TEXT WANTED [FLAG...]: plant_FAULT makes it and mend_FAULT ends it. WANTED has the
# hosts of each finding and a kind of theirs.
trial() {
	local right=0 run done=0 begun=$SECONDS found
	[[ $faults == *" $1 "* ]] || return 0
	for run in $(seq $runs); do
		[ $SECONDS -lt $limit ] || break
		done=$run
		plant_$1
		$LAB/${program:-gobench} ${verb:-pairs --at-once=1 --deadline=2s --small-time=10ms --large-time=10ms} --hosts=h[1-$hosts] --copy=never --json "${@:4}" >$folder/verdict 2>$folder/said || true
		mend_$1
		found=$(jq -r '[.findings[] | {h: (.hosts | sort | join("-")), k: .kind}] | group_by(.h)[] | .[0].h + ": " + (map(.k) | unique | join(", "))' $folder/verdict | paste -sd ';')
		if jq -e --arg wanted "$3" '
			[$wanted | split("; ")[] | split(": ") | {h: .[0], k: .[1]}] as $w |
			[.findings[] | {h: (.hosts | sort | join("-")), k: .kind}] as $f |
			([$f[].h] | unique) == ([$w[].h] | sort) and ($w - $f == [])' $folder/verdict >/dev/null; then
			right=$((right + 1))
		else
			echo "# $2, run $run: ${found:-nothing}" >&9
		fi
	done
	echo "| $2 | ${3:-nothing} | $right of $done | $(((SECONDS - begun) / (done > 0 ? done : 1))) s |" >&9
}
for f in slow send receive lossy pair mtu port; do eval "mend_$f() { lab mend h3; }"; done

plant_none() { :; }
mend_none() { :; }
trial none "no fault" ""
plant_slow() { lab slow h3 100mbit; }
trial slow "h3 with 100 Mbit/s" "h3: low bandwidth"
plant_send() { lab on h3 tc qdisc replace dev eth0 root tbf rate 100mbit burst 256k latency 50ms; }
trial send "h3 sends with 100 Mbit/s" "h3: low bandwidth sending"
plant_receive() { tc qdisc replace dev v3 root tbf rate 100mbit burst 256k latency 50ms; }
trial receive "h3 receives with 100 Mbit/s" "h3: low bandwidth receiving"
# The cable of h3 leads through a relay.
plant_delay() {
	ip link add d0 type veth peer name d1
	ip link set d0 master br0 up
	ip link set d1 up
	ip link set v3 nomaster
	echo 1 >/proc/sys/net/ipv4/conf/v3/arp_ignore # v3 must not answer for the head
	$LAB/relay v3 d1 1ms &
	relay=$!
}
mend_delay() {
	kill $relay
	ip link del d0
	lab mend h3
}
trial delay "h3 sends and receives 1 ms later" "h3: delay"
plant_lossy() { lab loss h3 2; }
trial lossy "h3 loses 2 % of packets" "h3: lost packets"
plant_pair() {
	nft -f - <<-RULES
		table bridge h3
		table bridge h3 {
			chain forward {
				type filter hook forward priority 0
				iifname v3 oifname v5 numgen random mod 100 < 5 drop
				iifname v5 oifname v3 numgen random mod 100 < 5 drop
			}
		}
	RULES
}
trial pair "5 % of packets between h3 and h5 are lost" "h3-h5: lost packets" --all # so that they meet
plant_group() { lab uplink 100mbit h3 h4 h5 h6; }
mend_group() { for i in 3 4 5 6; do lab mend h$i; done; }
trial group "h3 to h6 behind an uplink of 100 Mbit/s" "h3-h4-h5-h6: low bandwidth"
cgroup=/sys/fs/cgroup/cpu/gobench-lab-$$
plant_cpu() {
	local p own=$(readlink /proc/$(cat $LAB/h3.pid)/ns/pid_for_children)
	mkdir -p $cgroup
	echo 10000 >$cgroup/cpu.cfs_quota_us
	# A host of a lab shows control groups of version 2 alone.
	lab on h3 sh -c 'mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/cpu && mount -t cgroup -o cpu none /sys/fs/cgroup/cpu'
	for p in /proc/[0-9]*; do
		[ "$(readlink $p/ns/pid)" != "$own" ] || echo ${p#/proc/} >$cgroup/cgroup.procs
	done
}
mend_cpu() {
	local p
	lab on h3 umount -R /sys/fs/cgroup
	for p in $(cat $cgroup/cgroup.procs); do echo $p >/sys/fs/cgroup/cpu/cgroup.procs; done
}
trial cpu "h3 has a tenth of a core" "h3: CPU quota"
plant_clock() { lab on h3 touch /run/late; }
mend_clock() { lab on h3 rm /run/late; }
program=late trial clock "h3 reports a clock that is 2 s late" "h3: clock"
plant_mtu() { lab mtu h3 1400; }
trial mtu "h3 has an MTU of 1400, the others of 1500" "h3: MTU"
plant_hole() {
	local i
	for i in $(seq $hosts); do lab mtu h$i 9000; done
	lab narrow h3 4000
}
mend_hole() {
	local i
	for i in $(seq $hosts); do lab mend h$i; done
}
trial hole "packets of more than 4,000 bytes to and from h3 are lost" "h3: long packets are lost"
plant_port() { lab shut h3 drop; }
verb=probe trial port "gobench probe: a firewall of h3 drops new connections" "h3: no connection"
plant_stop() {
	(sleep 3; lab on h3 sh -c 'kill -STOP -1') &
	stopper=$!
}
mend_stop() {
	wait $stopper
	lab on h3 sh -c 'kill -CONT -1'
}
trial stop "the processes of h3 stop after 3 s" "h3: no answer"
plant_two() { lab slow h3 100mbit; lab mtu h5 1400; }
mend_two() { lab mend h3; lab mend h5; }
trial two "h3 with 100 Mbit/s, h5 with another MTU" "h3: low bandwidth; h5: MTU"
END
echo "| fault | wanted | found | time of a run |"
echo "|---|---|---|---|"
# the shell of the lab completes words at tabs, so it reads them from the file
echo "source $folder/trial.sh; exit" | bash internal/lab/lab.sh "$hosts" 9>&1 >"$folder/log" 2>&1
