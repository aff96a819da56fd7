import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import type { Binaries } from './binaries.ts'

export type Owner = { uid: number; gid: number }

/** How a program of PostgreSQL is started, and to whom the files then belong. It refuses to run as root. */
export type RunAs = { owner: Owner; ids: Owner | undefined; prefix: string[] }

/**
 * As an ordinary user: as that user. As root: as the owner of the cluster that is there, else `postgres` or `nobody`,
 * in the first way in which that user reaches both the programs and the folder. Throws with one line when none does.
 */
export function chooseRunAs(binaries: Binaries, folder: string, data: string): RunAs {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  if (self.uid !== 0) return { owner: self, ids: undefined, prefix: [] }
  const way = waysOfRoot(self, ownerOf(data) ?? databaseUser()).find((way) => reaches(way, binaries, folder))
  if (way) return way
  throw new Error(
    `embedded PostgreSQL: it cannot run as root, and no other user reaches ${folder} and ${binaries.postgres}: ` +
      'move the project and its data to a folder that others may enter, start Signet as an ordinary user, or set DATABASE_URL',
  )
}

/**
 * 1. Only as the other user. 2. A parent folder is closed to it (a clone below /root): with the right to pass and to
 * read, which a root without it (Docker's default) replaces by 3. the right to override. 4. Root may become nobody
 * else: renamed in a user namespace, files stay root's.
 */
function waysOfRoot(root: Owner, owner: Owner | undefined): RunAs[] {
  const renamed = { owner: root, ids: undefined, prefix: ['unshare', '--user', '--map-user=65534', '--'] }
  if (!owner || owner.uid === root.uid) return [renamed]
  return [
    { owner, ids: owner, prefix: [] },
    { owner, ids: undefined, prefix: withCapability(owner, '+dac_read_search') },
    { owner, ids: undefined, prefix: withCapability(owner, '+dac_override') },
    renamed,
  ]
}

/** `no_setuid_fixup`: without it access(2), by which PostgreSQL looks for its own programs, ignores the capability. */
const withCapability = ({ uid, gid }: Owner, capability: string) => [
  ...['setpriv', '--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup'],
  ...['--inh-caps', capability, '--ambient-caps', capability, '--'],
]

function ownerOf(path: string): Owner | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { uid: found.uid, gid: found.gid }
}

function databaseUser(): Owner | undefined {
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = users.find((user) => user.startsWith('postgres:')) ?? users.find((user) => user.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

/** Found out by trying: modes alone do not tell (access lists, missing capabilities, namespaces). About 10 ms. */
function reaches(way: RunAs, { postgres, environment }: Binaries, folder: string): boolean {
  const script = 'cd "$1" && exec "$0" --version'
  const [program = '', ...args] = [...way.prefix, '/bin/sh', '-c', script, postgres, folder]
  return spawnSync(program, args, { ...way.ids, cwd: '/', env: environment, stdio: 'ignore' }).status === 0
}
