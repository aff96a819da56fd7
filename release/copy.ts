import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dated, oncePublished } from '../scripts/packages/once-published.ts'
import { run } from './run.ts'
import type { Workplace } from './workplace.ts'

const root = resolve(import.meta.dirname, '..')

/** What the release is made of: the commit that is checked out, in a clone of its own, with the texts of a published version and its tag. */
export type Copy = {
  folder: string
  version: string
  /** Seconds: the time of the commit, which is that of all that is made of it. */
  epoch: number
}

/** Refuses while something is not committed. */
export async function makeCopy(place: Workplace): Promise<Copy> {
  const log = place.log('copy')
  const changed = await run(['git', 'status', '--porcelain'], { cwd: root, log })
  if (changed) throw new Error(`commit or remove first, because a release is made of what is committed:\n${changed}`)
  const folder = join(place.folder('made-of'), 'signet')
  await run(['git', 'clone', '--quiet', '--no-local', '--depth=1', root, folder], { cwd: root, log })
  const git = (args: string[], env?: NodeJS.ProcessEnv) =>
    run(['git', ...args], { cwd: folder, log, env: { ...process.env, ...env } })
  const epoch = Number(await git(['log', '-1', '--format=%ct']))
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const pages = (await git(['ls-files', '*.md'])).split('\n')
  publishTexts(folder, pages, new Date(epoch * 1_000).toISOString().slice(0, 10))
  await commitAndTag(git, version, epoch)
  return { folder, version, epoch }
}

type Git = (args: string[], env?: NodeJS.ProcessEnv) => Promise<string>

/** By the author of the commit before and at its time, so that the same commit gives the same one again. */
async function commitAndTag(git: Git, version: string, epoch: number) {
  const [name = '', email = ''] = (await git(['log', '-1', '--format=%an%n%ae'])).split('\n')
  const date = `${epoch} +0000`
  const by = (role: string) => ({
    [`GIT_${role}_NAME`]: name,
    [`GIT_${role}_EMAIL`]: email,
    [`GIT_${role}_DATE`]: date,
  })
  const unsigned = ['-c', 'commit.gpgSign=false', '-c', 'tag.gpgSign=false']
  const record = (args: string[]) => git([...unsigned, ...args], { ...by('AUTHOR'), ...by('COMMITTER') })
  await record(['commit', '--quiet', '--no-verify', '--all', '--allow-empty', '--message', `Release ${version}`])
  await record(['tag', '--annotate', `v${version}`, '--message', `Signet ${version}`])
}

function publishTexts(folder: string, pages: string[], day: string) {
  for (const page of pages) {
    const file = join(folder, page)
    const text = readFileSync(file, 'utf8')
    const published = oncePublished(page === 'CHANGELOG.md' ? dated(text, day) : text)
    if (published !== text) writeFileSync(file, published)
  }
}

/** The commit of the release with its tag, for whoever publishes it: `git fetch <file> v0.1.0`. */
export async function writeBundle({ folder, version }: Copy, file: string, place: Workplace) {
  const range = [`v${version}`, `^v${version}~1`]
  await run(['git', 'bundle', 'create', '--quiet', file, ...range], { cwd: folder, log: place.log('copy') })
}
