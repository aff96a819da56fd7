import { faultsByPublint, faultsOfTypes } from '../../scripts/packages/package-checks.ts'

/** Throws with what publint and arethetypeswrong have against a package. */
export async function checkPackage(file: string) {
  const faults = [...(await faultsByPublint(file)), ...(await faultsOfTypes(file))]
  if (faults.length > 0) throw new Error(faults.join(', '))
}
