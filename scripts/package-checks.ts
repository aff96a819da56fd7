// What holds for each package that is published. For its tests, and the rehearsal of a release.
import { globSync, readFileSync } from 'node:fs'
import { publint } from 'publint'

/** Of publint, to a .tgz. */
export async function objections(tarball: string) {
  const file = readFileSync(tarball)
  const data = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer
  return (await publint({ pack: { tarball: data }, strict: true })).messages
}

/** Sources, tests, and what a build leaves for itself. The receivers that the console shows are text, which nothing runs. */
export const strangersIn = (folder: string): string[] =>
  globSync('**/*', { cwd: folder }).filter(
    (file) =>
      (/(?<!\.d)\.tsx?$|\.test\.|(^|\/)tests?\/|\.built-from$|tsconfig/.test(file) || file.endsWith('.map')) &&
      !/^console\/dist\/assets\/receiver-[^/]*$/.test(file),
  )

export const deadLinksIn = (readme: string): string[] =>
  [...readFileSync(readme, 'utf8').matchAll(/\]\(([^)]+)\)/g)]
    .map(([, address]) => address ?? '')
    .filter((address) => !/^(https?:|#)/.test(address))

export const installedFromRegistry = (name: string) => new RegExp(`^npm install (--global )?${name}$`, 'm')
