#!/bin/sh
# Runs systemd as the manager of one user, and a journal for it, apart from the rest of the machine: it has mount and process
# namespaces of its own, with its own /run. The caller makes them.
#
#   user-manager.sh USER PROGRAM UNIT CGROUP
#
# USER is a user's number, PROGRAM is mcpproxy, UNIT the unit of a package. It exits with 77 where this machine gives it neither
# mounts nor control groups.
set -u
user=$1 program=$2 unit=$3 group=$4
refused() {
	echo "this machine refuses: $1" >&2
	exit 77
}

[ "$$" = 1 ] || refused 'a process namespace'
mount --make-rprivate / || refused 'private mounts'
mount -t proc proc /proc || refused '/proc'
mount -t tmpfs -o mode=755 tmpfs /run || refused 'a file system in memory'
# The journal reads the name of a user's unit from the path of its group below that of the first process.
below="user.slice/user-$user.slice/user@$user.service"
groups=
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
	[ -e "$hierarchy/cgroup.procs" ] || continue
	mkdir -p "$hierarchy/$group/$below" 2>/dev/null && echo 1 >"$hierarchy/$group/cgroup.procs" &&
		chown -R "$user:$user" "$hierarchy/$group/$below" && groups="$groups $hierarchy/$group/$below/cgroup.procs"
done
[ "$groups" ] || refused 'a control group'

set -e
mkdir -p /run/systemd/system /run/systemd/journald.conf.d /run/systemd/journal "/run/user/$user" /run/home /run/bin /run/units
chown "$user:$user" "/run/user/$user" /run/home
chmod 700 "/run/user/$user" /run/home
touch /run/bin/mcpproxy
mount --bind "$program" /run/bin/mcpproxy
cp -a /usr/lib/systemd/user/. /run/units
cp "$unit" /run/units/mcpproxy.service
mount --bind /run/units /usr/lib/systemd/user
# Only a journal on the disk has a file for each user, which the user may read.
mount -t tmpfs -o mode=755 tmpfs /var/log
mkdir /var/log/journal
touch /run/systemd/journal/flushed
printf '[Journal]\nStorage=persistent\nReadKMsg=no\nAudit=no\nForwardToSyslog=no\nForwardToWall=no\n' \
	>/run/systemd/journald.conf.d/test.conf
/usr/lib/systemd/systemd-journald &
while ! [ -e /run/systemd/journal/stdout ]; do sleep 0.05; done
(
	for procs in $groups; do echo 0 >"$procs"; done
	exec setpriv --reuid "$user" --regid "$user" --clear-groups env -i PATH="$PATH" HOME=/run/home \
		XDG_RUNTIME_DIR="/run/user/$user" /usr/lib/systemd/systemd --user
)
