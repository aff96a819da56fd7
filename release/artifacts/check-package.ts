import { readFileSync } from 'node:fs'
import { checkPackage as checkTypes, createPackageFromTarballData } from '@arethetypeswrong/core'
import { filterProblems } from '@arethetypeswrong/core/problems'
import { objections } from '../../scripts/package-checks.ts'

/** Throws with what publint and arethetypeswrong have against a package. */
export async function checkPackage(file: string) {
  const ofPublint = (await objections(file)).map(({ code, path }) => `publint: ${code} at ${path.join('.')}`)
  const problems = await problemsOfTypes(readFileSync(file))
  if (ofPublint.length + problems.length > 0) throw new Error([...ofPublint, ...problems].join(', '))
}

/** Of the ways that resolve ES modules, the only ones that the packages have. */
async function problemsOfTypes(tarball: Uint8Array): Promise<string[]> {
  const analysis = await checkTypes(createPackageFromTarballData(tarball))
  if (!analysis.types) return []
  const ways = ['node16-esm', 'bundler'] as const
  return ways.flatMap((resolutionKind) =>
    filterProblems(analysis, { resolutionKind }).map(({ kind }) => `arethetypeswrong: ${kind} (${resolutionKind})`),
  )
}
