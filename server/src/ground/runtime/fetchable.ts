import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** A package that is large and not always needed. Bytes. */
export type Fetchable = { name: string; version: string; integrity: string; packed: number; unpacked: number }

/** Only the package @signet/server has this file: a clone has the packages themselves, and an image is not to fetch any. */
const list = join(import.meta.dirname, '../../../../fetched.json')

/** Undefined where it is not to be fetched, or would not run: what it has is built for the C library of GNU. */
export function findFetchable(name: string): Fetchable | undefined {
  if (!existsSync(list) || isOtherLibrary()) return undefined
  const fetchables: Fetchable[] = JSON.parse(readFileSync(list, 'utf8'))
  return fetchables.find((each) => each.name === name)
}

type Report = { header: { glibcVersionRuntime?: string } }

const isOtherLibrary = () =>
  process.platform === 'linux' && !(process.report.getReport() as Report).header.glibcVersionRuntime

/** In the user's cache, by XDG. */
export function cacheFolderOf(
  { name, version }: Pick<Fetchable, 'name' | 'version'>,
  environment = process.env,
): string {
  const { XDG_CACHE_HOME = '' } = environment
  const cache = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache')
  return join(cache, 'signet', `${name.replace('/', '+')}@${version}`)
}
