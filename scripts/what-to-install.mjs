// Plain JavaScript that Node 20 understands, because the pinned Node itself is installed by it.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The arguments of npm. */
export const commands = {
  /** For the service, the examples and `npm run dev`. */
  production: ['ci', '--omit=dev'],
  all: ['ci'],
  /** Leaves installed packages in place: a service may be running on them. */
  completion: ['install', '--no-save'],
}

/**
 * Which of `commands` is needed, or undefined. `lock` is the content of package-lock.json, `installed` that of
 * node_modules/.package-lock.json, which npm writes at the end of an installation (undefined if missing). An installation with
 * development tools keeps them when the lockfile changes.
 */
export function whatToInstall({ lock, installed, isCurrent, needsTools }) {
  const present = installed?.packages ?? {}
  const hasTools = Object.values(present).some(({ dev }) => dev)
  const all = needsTools || hasTools
  if (!installed || !isCurrent) return all ? 'all' : 'production'
  return all && toolsOf(lock).some((path) => !present[path]) ? 'completion' : undefined
}

/** The same for the clone in that folder, as it is now. */
export function whatToInstallIn(folder, { needsTools }) {
  const path = join(folder, 'package-lock.json')
  const hiddenPath = join(folder, 'node_modules/.package-lock.json')
  const isThere = existsSync(hiddenPath)
  return whatToInstall({
    lock: read(path),
    installed: isThere ? read(hiddenPath) : undefined,
    isCurrent: isThere && statSync(hiddenPath).mtimeMs >= statSync(path).mtimeMs,
    needsTools,
  })
}

const read = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** The development packages that npm installs on every machine: it omits optional ones of other platforms. */
const toolsOf = ({ packages }) =>
  Object.entries(packages).flatMap(([path, { dev, optional, peer }]) => (dev && !optional && !peer ? [path] : []))
