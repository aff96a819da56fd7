import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dated, oncePublished } from '../scripts/once-published.ts'
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
  const git = (cwd: string, args: string[], env?: NodeJS.ProcessEnv) =>
    run(['git', ...args], { cwd, log, env: { ...process.env, ...env } })
  const changed = await git(root, ['status', '--porcelain'])
  if (changed) throw new Error(`commit or remove first, because a release is made of what is committed:\n${changed}`)
  const folder = join(place.folder('made-of'), 'signet')
  await git(root, ['clone', '--quiet', '--no-local', '--depth=1', root, folder])
  const epoch = Number(await git(folder, ['log', '-1', '--format=%ct']))
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const pages = (await git(folder, ['ls-files', '*.md'])).split('\n')
  publishTexts(folder, pages, new Date(epoch * 1_000).toISOString().slice(0, 10))
  const [name = '', email = ''] = (await git(folder, ['log', '-1', '--format=%an%n%ae'])).split('\n')
  const author = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
  const dates = { GIT_AUTHOR_DATE: `${epoch} +0000`, GIT_COMMITTER_DATE: `${epoch} +0000` }
  const unsigned = ['-c', 'commit.gpgSign=false', '-c', 'tag.gpgSign=false']
  const record = (args: string[]) => git(folder, [...unsigned, ...args], { ...author, ...dates })
  await record(['commit', '--quiet', '--no-verify', '--all', '--allow-empty', '--message', `Release ${version}`])
  await record(['tag', '--annotate', `v${version}`, '--message', `Signet ${version}`])
  return { folder, version, epoch }
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
