// Bills of materials (CycloneDX 1.5), of a package and of an image.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'

export type Component = {
  'bom-ref': string
  type: string
  name: string
  version: string
  purl?: string
  scope?: 'optional'
  hashes?: { alg: 'SHA-512'; content: string }[]
}
type Dependency = { ref: string; dependsOn?: string[] }
export type Bill = {
  bomFormat: 'CycloneDX'
  specVersion: string
  serialNumber?: string
  version: 1
  metadata: { timestamp?: string; component: Component }
  components: Component[]
  dependencies?: Dependency[]
}
/** What a bill is about. `epoch`: seconds, the time that it has. */
export type Subject = { name: string; version: string; epoch: number }

export const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** Made again of the same commit, it is the same: its time is that of the commit, and its number follows from its content. */
export function identified(bill: Bill, epoch: number): Bill {
  const timestamp = new Date(epoch * 1_000).toISOString()
  const { serialNumber: _, ...rest } = { ...bill, metadata: { ...bill.metadata, timestamp } }
  const hash = createHash('sha256').update(JSON.stringify(rest)).digest('hex')
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hash) ?? []
  return { ...rest, serialNumber: `urn:uuid:${a}-${b}-8${c}-8${d}-${e}` }
}

/** What is wrong with a bill, in one line each: a component without a name that scanners know, or a dependency on nothing. */
export function faultsOf(bill: Bill): string[] {
  const refs = new Set([bill.metadata.component, ...bill.components].map((each) => each['bom-ref']))
  const named = bill.dependencies?.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]) ?? []
  return [
    ...(bill.bomFormat === 'CycloneDX' && bill.specVersion ? [] : ['not CycloneDX']),
    ...(bill.components.length > 0 || bill.dependencies ? [] : ['no components']),
    ...bill.components
      .filter(({ version, purl }) => !version || !purl)
      .map(({ name }) => `${name}: no version or purl`),
    ...named.filter((ref) => !refs.has(ref)).map((ref) => `${ref}: not a component`),
    ...(refs.size === bill.components.length + 1 ? [] : ['a component twice']),
  ]
}

export const writeBill = (bill: Bill, file: string) => writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`)
