// Plain JavaScript that Node 20 understands, for the pinned Node is among what is installed.

/** What npm is asked for. */
export const commands = {
  /** What the service, the examples and `npm run dev` need. */
  production: ['ci', '--omit=dev'],
  all: ['ci'],
  /** Leaves the packages that are there in place: a service may be running on them. */
  completion: ['install', '--no-save'],
}

/**
 * Which of `commands` is needed, or undefined where nothing is. `lock` is the content of package-lock.json; `installed` that
 * of node_modules/.package-lock.json, which npm writes when all is there, and is undefined where it is missing.
 * A full installation is never reduced: it stays full, also after the lockfile has changed.
 */
export function whatToInstall({ lock, installed, isCurrent, needsTools }) {
  const present = installed?.packages ?? {}
  const hasTools = Object.values(present).some(({ dev }) => dev)
  const all = needsTools || hasTools
  if (!installed || !isCurrent) return all ? 'all' : 'production'
  return all && toolsOf(lock).some((path) => !present[path]) ? 'completion' : undefined
}

/** Packages for development that every machine gets: npm leaves out optional ones of another platform. */
const toolsOf = ({ packages }) =>
  Object.entries(packages).flatMap(([path, { dev, optional, peer }]) => (dev && !optional && !peer ? [path] : []))
