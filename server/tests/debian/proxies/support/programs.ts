import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Of Debian 12: the programs, and the package that brings each of them. */
const packages = {
  nginx: 'nginx',
  haproxy: 'haproxy',
  caddy: 'caddy',
  pgbouncer: 'pgbouncer',
  initdb: 'postgresql-15',
  postgres: 'postgresql-15',
  pg_basebackup: 'postgresql-15',
  psql: 'postgresql-client-15',
  etcd: 'etcd-server',
  patroni: 'patroni',
  ip: 'iproute2',
  setpriv: 'util-linux',
  unshare: 'util-linux',
}

export type ProgramName = keyof typeof packages

/** Debian's folders of servers, which are not in everybody's path. */
const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/lib/postgresql/15/bin']

function find(name: ProgramName): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function pathOf(name: ProgramName): string {
  const path = find(name)
  if (!path) throw new Error(howToInstall(name))
  return path
}

const howToInstall = (name: ProgramName) =>
  `${name} is missing: apt-get install --no-install-recommends ${packages[name]}`
