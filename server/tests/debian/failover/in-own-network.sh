#!/bin/sh
# Runs a command in namespaces of its own: its addresses and ports are nobody else's, and all that it started ends with it.
# The shell stays, as process 1, to reap what loses its parent: Patroni takes a zombie for a running PostgreSQL.
exec unshare --net --mount --pid --fork --kill-child --mount-proc sh -c '
  ip link set lo up && mkdir -p /run/netns && mount -t tmpfs none /run/netns && "$@"
  exit $?' sh "$@"
