import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Life, repository, temporaryFolder } from '../../support/program.ts'

/** The last commit that has the schema of `server/tests/schema-dump/0.1.0.sql` and no later one. */
const commit = 'ce006efea81e61adcac7eeb790fcd28f31fe89d6'

export function hasOldRelease(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: repository, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The program of that release, with the packages of this one but its own contract of events. */
export function unpackOldRelease(life: Life): string {
  const folder = temporaryFolder(life)
  const archive = execFileSync('git', ['archive', '--format=tar', commit, 'server', 'proto', 'package.json'], {
    cwd: repository,
    maxBuffer: 100_000_000,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const [own, present] = [join(folder, 'node_modules'), join(repository, 'node_modules')]
  mkdirSync(join(own, '@signet'), { recursive: true })
  symlinkSync(join(folder, 'proto'), join(own, '@signet/proto'))
  for (const name of readdirSync(present).filter((each) => each !== '@signet' && !each.startsWith('.')))
    symlinkSync(join(present, name), join(own, name))
  return join(folder, 'server/src/main.ts')
}
