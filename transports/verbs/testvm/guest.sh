#!/bin/bash
# The first process of the guest: makes the soft devices, runs the command that exec.sh left, and
# switches the machine off.
#
#   rxe0          soft-RoCE on a dummy network        10.8.0.1  fd00:8::1
#   siw0          soft-iWARP on a dummy network       10.8.1.1  fd00:8:1::1
#   rxe_a, rxe_b  soft-RoCE at the ends of a cable    10.6.0.1  10.6.0.2
#
# or, on machine N of two, vm1 and vm2:
#
#   rxe0          soft-RoCE on the first cable        10.5.0.N  fd00:5::N   packets of 9000 bytes on vm1, of 1500 on vm2
#   siw0          soft-iWARP on the second            10.5.1.N  fd00:5:1::N
#
# vm2 has one more address on the first cable, so that its GIDs have other indices.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
exchange=$(sed -n 's/.*vmdir=\([^ ]*\).*/\1/p' /proc/cmdline)
shared=$(sed -n 's/.*rwdir=\([^ ]*\).*/\1/p' /proc/cmdline)
mount -t tmpfs tmpfs /run
mkdir -p /dev/shm /dev/pts /run/exchange
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
[ "$shared" = none ] || mkdir -p "$shared"
[ "$shared" = none ] || mount -t 9p -o trans=virtio,version=9p2000.L,msize=1048576 shared "$shared"
mount -t 9p -o trans=virtio,version=9p2000.L exchange /run/exchange
ulimit -l unlimited
ulimit -n 65536
sysctl -qw net.ipv6.conf.default.accept_dad=0 net.ipv4.tcp_timestamps=1
ip link set lo up
# libibverbs loads the driver library of every file here, in each process: 0.4 s of the emulator, where these two take 0.1.
for driver in /etc/libibverbs.d/*.driver; do
	case ${driver##*/} in rxe.driver | siw.driver) ;; *) rm -f "$driver" ;; esac
done

# address DEVICE IPV4 IPV6
address() {
	ip addr add "$2/24" dev "$1"
	ip -6 addr add "$3/64" dev "$1" nodad
}

# A device is there before its GIDs are: wait for the one of the IPv4 address.
wait_for() {
	local device
	for device; do
		for _ in $(seq 100); do
			cat /sys/class/infiniband/$device/ports/1/gids/* 2>/dev/null | grep -q '0000:0000:0000:0000:0000:ffff:' && break
			sleep .05
		done
	done
}

alone() {
	local n=0 kind end
	for kind in rxe siw; do
		ip link add net$n type dummy
		address net$n 10.8.$n.1 "$([ $n = 0 ] && echo fd00:8::1 || echo fd00:8:1::1)"
		ip link set net$n mtu 9000 up # packets of 4096 bytes: fewer for the emulator to carry
		rdma link add ${kind}0 type $kind netdev net$n 2>/dev/null
		n=$((n + 1))
	done
	ip link add va type veth peer name vb
	ip addr add 10.6.0.1/24 dev va
	ip addr add 10.6.0.2/24 dev vb
	for end in va vb; do
		ip link set $end mtu 9000 up
		sysctl -qw net.ipv4.conf.$end.accept_local=1 net.ipv4.conf.$end.rp_filter=0
	done
	sysctl -qw net.ipv4.conf.all.accept_local=1 net.ipv4.conf.all.rp_filter=0
	rdma link add rxe_a type rxe netdev va
	rdma link add rxe_b type rxe netdev vb
	wait_for rxe0 rxe_a rxe_b
}

one_of_two() { # SIDE
	hostname "vm$1"
	if [ "$1" = 2 ]; then
		ip link set eth0 mtu 1500
		address eth0 10.5.9.2 fd00:5:9::2
	fi
	address eth0 "10.5.0.$1" "fd00:5::$1"
	address eth1 "10.5.1.$1" "fd00:5:1::$1"
	ip link set eth0 up
	ip link set eth1 up
	rdma link add rxe0 type rxe netdev eth0
	rdma link add siw0 type siw netdev eth1 2>/dev/null
	wait_for rxe0
}

side=$(sed -n 's/.*vmside=\([12]\).*/\1/p' /proc/cmdline)
if [ -z "$side" ]; then alone; else one_of_two "$side"; fi

setsid -w bash /run/exchange/command </dev/null >/run/exchange/out 2>&1
echo $? >/run/exchange/code
dmesg | grep -E 'BUG|WARNING|Oops|Call Trace|rcu.*stall' >/run/exchange/complaints
sync
echo o >/proc/sysrq-trigger
sleep 60
