// What holds for each package that is published. For its tests, and the rehearsal of a release.
import { globSync, readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { filterProblems } from '@arethetypeswrong/core/problems'
import { publint } from 'publint'

/** What publint has against a packed package, in one line each. */
export async function faultsByPublint(packed: string): Promise<string[]> {
  const file = readFileSync(packed)
  const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer
  const { messages } = await publint({ pack: { tarball }, strict: true })
  return messages.map(({ code, path }) => `publint: ${code} at ${path.join('.')}`)
}

/** What arethetypeswrong has against it, by the only ways that resolve ES modules, which all packages are. */
export async function faultsOfTypes(packed: string): Promise<string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(packed)))
  if (!analysis.types) return []
  const ways = ['node16-esm', 'bundler'] as const
  return ways.flatMap((resolutionKind) =>
    filterProblems(analysis, { resolutionKind }).map(({ kind }) => `arethetypeswrong: ${kind} (${resolutionKind})`),
  )
}

/** Sources, tests, and what a build leaves for itself. The receivers that the console shows are text, which nothing runs. */
export const unwantedFilesIn = (folder: string): string[] =>
  globSync('**/*', { cwd: folder }).filter(
    (file) =>
      (/(?<!\.d)\.tsx?$|\.test\.|(^|\/)tests?\/|\.built-from$|tsconfig/.test(file) || file.endsWith('.map')) &&
      !/^console\/dist\/assets\/receiver-[^/]*$/.test(file),
  )

export const deadLinksIn = (readme: string): string[] =>
  [...readFileSync(readme, 'utf8').matchAll(/\]\(([^)]+)\)/g)]
    .map(([, address]) => address ?? '')
    .filter((address) => !/^(https?:|#)/.test(address))

export const installsFromRegistry = (name: string) => new RegExp(`^npm install (--global )?${name}$`, 'm')
