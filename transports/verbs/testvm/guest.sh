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
#   rxe0          soft-RoCE on the first cable        10.5.0.N  fd00:5::N   packets of 1500 bytes on vm1, of 9000 on vm2
#   siw0          soft-iWARP on the second            10.5.1.N  fd00:5:1::N
#
# vm2 has one more address on the first cable, so that its GIDs have other indices.
# Its ranks, the higher ones, call those of vm1, which could not send packets of vm2's size.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
for word in $(</proc/cmdline); do
	case $word in
	vmdir=*) exchange=${word#*=} ;;
	rwdir=*) shared=${word#*=} ;;
	vmside=*) side=${word#*=} ;;
	esac
done
mount -t tmpfs tmpfs /run
mkdir -p /dev/shm /dev/pts /run/exchange
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
[ "$shared" = none ] || mkdir -p "$shared"
[ "$shared" = none ] || mount -t 9p -o trans=virtio,version=9p2000.L,msize=1048576 shared "$shared"
mount -t 9p -o trans=virtio,version=9p2000.L exchange /run/exchange
ulimit -l unlimited
ulimit -n 65536
# Each program that starts takes a tenth of a second in the emulator, so there are few: ip and rdma
# take their commands by the list, and the shell writes to /proc itself.
echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
# libibverbs loads the driver library of every file here, in each process: 0.4 s of the emulator,
# where these two take 0.1.
others=()
for driver in /etc/libibverbs.d/*.driver; do
	case ${driver##*/} in rxe.driver | siw.driver) ;; *) others+=("$driver") ;; esac
done
rm -f "${others[@]}"

# A device is there before its GIDs are: wait for the one of the IPv4 address.
wait_for() {
	local device file gid
	for device; do
		for _ in {1..100}; do
			for file in /sys/class/infiniband/$device/ports/1/gids/*; do
				{ read -r gid <$file; } 2>/dev/null && [[ $gid = 0000:0000:0000:0000:0000:ffff:* ]] && continue 3
			done
			sleep .05
		done
	done
}

# soft adds the devices of its lines, NAME KIND NETWORK, but soft-iWARP where it could not be built.
soft() {
	local name kind net
	while read -r name kind net; do
		[ "$kind" = siw ] && [ ! -d /sys/module/siw ] || echo "link add $name type $kind netdev $net"
	done | rdma --batch -
}

alone() {
	ip -batch - <<-'LINKS'
		link set lo up
		link add net0 type dummy
		link add net1 type dummy
		link add va type veth peer name vb
		addr add 10.8.0.1/24 dev net0
		addr add 10.8.1.1/24 dev net1
		addr add fd00:8::1/64 dev net0 nodad
		addr add fd00:8:1::1/64 dev net1 nodad
		addr add 10.6.0.1/24 dev va
		addr add 10.6.0.2/24 dev vb
		link set net0 mtu 9000 up
		link set net1 mtu 9000 up
		link set va mtu 9000 up
		link set vb mtu 9000 up
	LINKS
	local end
	for end in all va vb; do
		echo 1 >/proc/sys/net/ipv4/conf/$end/accept_local
		echo 0 >/proc/sys/net/ipv4/conf/$end/rp_filter
	done
	soft <<-'DEVICES'
		rxe0 rxe net0
		siw0 siw net1
		rxe_a rxe va
		rxe_b rxe vb
	DEVICES
	wait_for rxe0 rxe_a rxe_b
}

one_of_two() { # SIDE
	echo "vm$1" >/proc/sys/kernel/hostname
	{
		echo "link set lo up"
		if [ "$1" = 1 ]; then
			echo "link set eth0 mtu 1500"
		else
			echo "addr add 10.5.9.2/24 dev eth0"
			echo "addr add fd00:5:9::2/64 dev eth0 nodad"
		fi
		echo "addr add 10.5.0.$1/24 dev eth0"
		echo "addr add fd00:5::$1/64 dev eth0 nodad"
		echo "addr add 10.5.1.$1/24 dev eth1"
		echo "addr add fd00:5:1::$1/64 dev eth1 nodad"
		echo "link set eth0 up"
		echo "link set eth1 up"
	} | ip -batch -
	soft <<-'DEVICES'
		rxe0 rxe eth0
		siw0 siw eth1
	DEVICES
	wait_for rxe0
}

if [ -z "$side" ]; then alone; else one_of_two "$side"; fi

setsid -w bash /run/exchange/command </dev/null >/run/exchange/out 2>&1
echo $? >/run/exchange/code
dmesg | grep -E 'BUG|WARNING|Oops|Call Trace|rcu.*stall' >/run/exchange/complaints
sync
echo o >/proc/sysrq-trigger
sleep 60
