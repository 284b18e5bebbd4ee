#!/usr/bin/env bash
# Several hosts of one machine, for tests and experiments.
#
# usage: lab.sh N                   a shell on the head of a lab of N hosts
#        lab.sh N FOLDER [PATH...]  for tests: prints "up" and lives until standard input ends
#
# Each host has its own network, UTS, mount, PID, IPC and time namespace: its own interfaces,
# name, processes, shared memory, boot id, machine id, /tmp, /run and home folder. Everything
# else of the file system is the machine's. PATHs, and FOLDER as the file system that all hosts
# share, are visible on each host under their own names wherever they lie. Where the machine has
# a core for each host, hosts have cores of their own, so that ranks that are pinned on two hosts
# do not share one. Hosts h1 to hN (10.77.0.1 and up) are connected to a bridge of the head
# (10.77.0.254), which is a network namespace, too, so that the machine shows nothing of a lab and
# any number of labs run at once.
#
# Only processes hold these namespaces, and all of them live below the head, the first process
# of its PID namespace: when it ends, the kernel ends them and frees the rest. FOLDER is removed.
set -euo pipefail

subnet=10.77.0
self=$(realpath "${BASH_SOURCE[0]}")

main() {
	case ${1:-} in
	make_head | make_host | slow | mtu | narrow | loss | uplink | part | shut | cut | flap | mend | named | on) "$@" ;;
	[1-9]*) up "$@" ;;
	*)
		echo "usage: $0 N [FOLDER [PATH...]]" >&2
		return 2
		;;
	esac
}

# up N [FOLDER [PATH...]]: runs the head of a lab and removes what it leaves.
up() {
	local n=$1 folder=${2:-} code=0
	local mode=test
	if [ -z "$folder" ]; then
		mode=shell
		folder=$(mktemp -d "${TMPDIR:-/tmp}/gobench-lab-XXXXXX")
	fi
	unshare --net --uts --ipc --mount --pid --fork --kill-child --propagation private \
		bash "$self" make_head $mode "$n" "$folder" "${@:3}" || code=$?
	rm -rf "$folder"
	return $code
}

# make_head MODE N FOLDER [PATH...]: makes the hosts and waits.
make_head() {
	local mode=$1 n=$2 i h
	export LAB=$3
	unset XDG_CACHE_HOME # each host has a cache folder in a home of its own
	shift 3
	mount -t proc proc /proc
	hostname head
	[ "$self" = "$LAB/lab.sh" ] || cp "$self" "$LAB/lab.sh"
	{
		echo 127.0.0.1 localhost
		echo $subnet.254 head
		for i in $(seq "$n"); do echo "$subnet.$i h$i"; done
	} >"$LAB/hosts"
	mount --bind "$LAB/hosts" /etc/hosts
	keys
	ip -batch - <<-END
		link set lo up
		link add br0 type bridge
		addr add $subnet.254/24 dev br0
		link set br0 up
	END
	mkfifo "$LAB/ready"
	exec 7<>"$LAB/ready"
	for i in $(seq "$n"); do
		# Process 1 is the head, where the other end of the cable goes.
		taskset -c "$(share "$i" "$n")" unshare --net bash -ec "
			ip link add eth0 type veth peer name v$i netns 1
			exec unshare --uts --ipc --mount --pid --time --monotonic=${i}000 --boottime=${i}000 \
				--fork --kill-child --propagation private bash '$self' make_host h$i $subnet.$i \"\$@\"" \
			- "$@" </dev/null &
		echo $! >"$LAB/h$i.pid"
	done
	for i in $(seq "$n"); do
		read -r -t 120 -u 7 h || { echo "a host of the lab did not come up" >&2; return 1; }
		[ "$h" != failed ] || return 1
		echo "link set v${h#h} master br0 up"
	done | ip -batch -
	if [ $mode = test ]; then
		echo up
		read -r _ || true
	else
		echo "hosts h1 to h$n are up, and this is the head. ssh h1, or lab on h1 COMMAND; lab slow h1 1gbit;"
		echo "lab loss h1 2 (percent); lab mtu h1 1400; lab cut h1; lab part h1 h2; lab shut h1 drop|reject; lab mend h1."
		echo "Folder $LAB is shared; exit takes everything down."
		[ "$n" -le "$(nproc)" ] || echo "$n hosts share $(nproc) cores: times between them are those of the scheduler, too"
		# one function: others would hide commands, such as cut
		bash --rcfile <(echo "[ ! -e ~/.bashrc ] || . ~/.bashrc; lab() { bash '$LAB/lab.sh' \"\$@\"; }; PS1='lab:\w# '") -i || true
	fi
}

# allowed PID: the cores that a process may use, as the kernel writes them: 0-3,8.
allowed() { sed -n 's/^Cpus_allowed_list:\s*//p' "/proc/$1/status"; }

# share I N: the cores of host I of N: neighbours, as many as other hosts have or one more; all
# cores where there are fewer than hosts.
share() {
	local cores=() part first last
	for part in $(allowed $$ | tr , ' '); do
		first=${part%-*} last=${part#*-}
		while [ "$first" -le "$last" ]; do
			cores+=("$first")
			first=$((first + 1))
		done
	done
	if [ ${#cores[@]} -ge "$2" ]; then
		first=$((${#cores[@]} * ($1 - 1) / $2)) last=$((${#cores[@]} * $1 / $2))
		cores=("${cores[@]:first:last - first}")
	fi
	(IFS=, && echo "${cores[*]}")
}

# make_host NAME ADDRESS [PATH...]: makes a host of the namespaces that this process is the first
# in.
make_host() {
	local name=$1 address=$2 path id
	trap 'echo failed >&7' EXIT
	shift 2
	mount -t proc proc /proc
	hostname "$name"
	# Paths are held below /run while others are mounted over them.
	mount -t tmpfs -o mode=755 tmpfs /run
	mkdir -p /run/sshd /run/lock /run/lab
	id=0
	for path in "$LAB" "$@"; do
		id=$((id + 1))
		if [ -d "$path" ]; then mkdir /run/lab/$id; else : >/run/lab/$id; fi
		mount --bind "$path" /run/lab/$id
	done
	mount -t tmpfs -o mode=1777 tmpfs /tmp
	mount -t tmpfs -o mode=700 tmpfs ~
	mount -t tmpfs -o mode=1777 tmpfs /dev/shm
	id=0
	for path in "$LAB" "$@"; do
		id=$((id + 1))
		if [ -d /run/lab/$id ]; then
			mkdir -p "$path"
		elif [ ! -e "$path" ]; then
			mkdir -p "${path%/*}"
			: >"$path"
		fi
		mount --bind /run/lab/$id "$path"
	done
	mount -t sysfs sysfs /sys
	mount -t cgroup2 cgroup /sys/fs/cgroup 2>/dev/null || true
	cat /proc/sys/kernel/random/uuid >/run/lab/boot_id
	mount --bind /run/lab/boot_id /proc/sys/kernel/random/boot_id
	if [ -e /etc/machine-id ]; then
		tr -d - </proc/sys/kernel/random/uuid >/run/lab/machine-id
		mount --bind /run/lab/machine-id /etc/machine-id
	fi
	ip -batch - <<-END
		link set lo up
		addr add $address/24 dev eth0
		link set eth0 up
	END
	if [ -e "$LAB/sshd_config" ]; then
		/usr/sbin/sshd -f "$LAB/sshd_config" -E /run/sshd.log
	fi
	trap - EXIT
	echo "$name" >&7
	# It reaps what others leave behind, and ends with the head.
	mkfifo /run/lab/never
	read -r _ <>/run/lab/never
}

# keys enables ssh between all hosts, with a key and a configuration of this lab. sshd ends a
# connection that is cut during the login after half a minute, not after its default of two.
keys() {
	[ -x /usr/sbin/sshd ] && [ -e /etc/ssh/ssh_config ] || return 0
	ssh-keygen -q -t ed25519 -N '' -C lab -f "$LAB/key"
	(umask 77 && cp "$LAB/key" "$LAB/host_key")
	echo "* $(cat "$LAB/key.pub")" >"$LAB/known_hosts"
	cat >"$LAB/sshd_config" <<-END
		HostKey $LAB/host_key
		AuthorizedKeysFile $LAB/key.pub
		PidFile none
		StrictModes no
		UsePAM no
		MaxStartups 1000
		LoginGraceTime 30
		MaxSessions 1000
	END
	cat >"$LAB/ssh_config" <<-END
		Host *
			IdentityFile $LAB/key
			IdentitiesOnly yes
			UserKnownHostsFile $LAB/known_hosts
			StrictHostKeyChecking yes
	END
	mount --bind "$LAB/ssh_config" /etc/ssh/ssh_config
}

# The head runs the following commands while the lab is up.

# on HOST COMMAND...: runs a command on the host.
on() {
	local pid at
	pid=$(cat "$LAB/$1.pid")
	at=/proc/$pid/ns
	taskset -c "$(allowed "$pid")" nsenter --net="$at/net" --uts="$at/uts" --ipc="$at/ipc" --mount="$at/mnt" \
		--pid="$at/pid_for_children" --time="$at/time_for_children" -W /tmp -- "${@:2}"
}

# slow HOST RATE: limits both directions of its cable to RATE (1gbit, 10mbit).
slow() {
	tc qdisc replace dev "v${1#h}" root tbf rate "$2" burst 256k latency 50ms
	on "$1" tc qdisc replace dev eth0 root tbf rate "$2" burst 256k latency 50ms
}

# uplink RATE HOST...: moves hosts to a switch of their own, whose link to the others has RATE.
uplink() {
	local h d rate=$1
	ip link del up0 2>/dev/null || true
	ip link del br1 2>/dev/null || true
	ip link add br1 type bridge
	ip link add up0 type veth peer name up1
	ip link set up0 master br0
	ip link set up1 master br1
	for d in br1 up0 up1; do ip link set $d up; done
	for d in up0 up1; do tc qdisc replace dev $d root tbf rate "$rate" burst 256k latency 50ms; done
	for h in "${@:2}"; do ip link set "v${h#h}" master br1; done
}

# mtu HOST BYTES: sets the longest packet of its cable.
mtu() {
	ip link set "v${1#h}" mtu "$2"
	on "$1" ip link set eth0 mtu "$2"
}

# rule HOST TEXT: sets a rule of nftables for packets that the bridge forwards from or to HOST.
rule() {
	local table="table bridge ${1}"
	nft -f - <<-END
		$table
		$table {
			chain forward {
				type filter hook forward priority 0
				$2
			}
		}
	END
}

# loss HOST PERCENT: drops this share of the packets from and to it.
loss() {
	local drop
	drop=$(awk -v p="$2" 'BEGIN { if (p < 100) printf "numgen random mod 100000 < %d ", p * 1000; print "drop" }')
	nft delete table bridge "$1" 2>/dev/null || true
	rule "$1" "iifname v${1#h} $drop
		oifname v${1#h} $drop"
}

# narrow HOST BYTES: drops packets from and to it that are longer, and tells nobody. Its interfaces
# send such with an mtu above BYTES.
narrow() {
	nft delete table bridge "$1" 2>/dev/null || true
	rule "$1" "iifname v${1#h} meta length > $2 drop
		oifname v${1#h} meta length > $2 drop"
}

# part HOST HOST...: drops all packets between the first and the others.
part() {
	local other rules=
	for other in "${@:2}"; do
		rules+="iifname v${1#h} oifname v${other#h} drop
		oifname v${1#h} iifname v${other#h} drop
		"
	done
	nft delete table bridge "$1" 2>/dev/null || true
	rule "$1" "$rules"
}

# shut HOST drop|reject: a firewall of the host lets no new TCP connections in over the cable but
# those of ssh: it drops their packets, or refuses them.
shut() {
	local verdict=drop
	[ "$2" = drop ] || verdict="reject with tcp reset"
	on "$1" nft -f - <<-END
		table inet shut
		delete table inet shut
		table inet shut {
			chain input {
				type filter hook input priority 0
				iifname eth0 tcp dport != 22 ct state new $verdict
			}
		}
	END
}

# cut HOST: disconnects its cable.
cut() { ip link set "v${1#h}" down; }

# flap HOST: disconnects its cable for 20 ms, twice in a second, until SIGTERM. The interface of the
# host stays up meanwhile. One process of ip does it, and no other is started: on a busy machine
# that takes as long as the pause, and retransmissions of 10 s may all fall into moments without a
# cable.
flap() {
	local never batch ip
	exec {never}<> <(:) {batch}> >(exec ip -batch -)
	ip=$!
	trap 'exec {batch}>&-; wait "$ip"; exit' TERM
	while true; do
		read -rt 0.5 -u "$never" || true # a sleep without a process
		echo "link set v${1#h} down" >&"$batch"
		read -rt 0.02 -u "$never" || true
		echo "link set v${1#h} up" >&"$batch"
	done
}

# mend HOST: undoes slow, uplink, mtu, narrow, loss, part, shut and cut.
mend() {
	ip link set "v${1#h}" master br0 up
	ip link set up0 type bridge_slave fdb_flush 2>/dev/null || true
	mtu "$1" 1500
	tc qdisc del dev "v${1#h}" root 2>/dev/null || true
	on "$1" tc qdisc del dev eth0 root 2>/dev/null || true
	nft delete table bridge "$1" 2>/dev/null || true
	on "$1" nft delete table inet shut 2>/dev/null || true
}

# named HOST NAME: adds NAME as a name of HOST.
named() { echo "$subnet.${1#h} $2" >>"$LAB/hosts"; }

main "$@"
