import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Life, repository, temporaryFolder } from '../../support/program.ts'

const migrations = 'server/migrations'

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: repository, maxBuffer: 100_000_000, stdio: ['ignore', 'pipe', 'ignore'] })

/** Older programs cannot run on what it makes. */
const isBreaking = (name: string) =>
  readFileSync(join(repository, migrations, name), 'utf8').startsWith('-- breaking\n')

/** The oldest commit whose program may run beside this one: the first with the last breaking migration. */
function findCommit(): string | undefined {
  const last = readdirSync(join(repository, migrations)).sort().findLast(isBreaking)
  const added = git('log', '--format=%H', '--diff-filter=A', '--', `${migrations}/${last}`)
  return `${added}`.trim().split('\n').at(-1) || undefined
}

/** In a shallow clone the oldest commit seems to have added everything. */
export function hasOldRelease(): boolean {
  try {
    return git('rev-parse', '--verify', '--quiet', `${findCommit()}^`).length > 0
  } catch {
    return false
  }
}

/** From which on a worker knows what another one has in flight without a row in the queue. */
const unqueuedDeliveries = join(migrations, '0029_unqueued_deliveries.sql')

/** The program of that release, with the packages of this one but its own workspaces. */
export function unpackOldRelease(life: Life): { program: string; seesUnqueued: boolean } {
  const folder = temporaryFolder(life)
  const archive = git('archive', '--format=tar', findCommit() ?? '', 'server', 'proto', 'cli', 'sdk', 'package.json')
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const [own, present] = [join(folder, 'node_modules'), join(repository, 'node_modules')]
  mkdirSync(join(own, '@signet'), { recursive: true })
  for (const [name, path] of Object.entries({ proto: 'proto', cli: 'cli', management: 'sdk/management' }))
    symlinkSync(join(folder, path), join(own, '@signet', name))
  for (const name of readdirSync(present).filter((each) => each !== '@signet' && !each.startsWith('.')))
    symlinkSync(join(present, name), join(own, name))
  return { program: join(folder, 'server/src/main.ts'), seesUnqueued: existsSync(join(folder, unqueuedDeliveries)) }
}
