import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../program.ts'
import type { ErrorCodes } from './compare-error-codes.ts'
import type { Events } from './compare-events.ts'
import type { Metric } from './compare-metrics.ts'
import type { KeptSetting } from './compare-settings.ts'
import type { Document } from './document.ts'

export type Contract = {
  openapi: Document
  events: Events
  settings: Record<string, KeptSetting>
  metrics: Record<string, Metric>
  'error-codes': ErrorCodes
}

export const contractsFolder = join(root, 'docs/reference/contract')

/** The contracts that a version has to keep. */
export const keptFor = (version: string) =>
  readdirSync(contractsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && mustKeep(version, entry.name))
    .map(({ name }) => ({ version: name, contract: readContract(name) }))

/** Those of its major version; before 1.0 those of its minor version. */
export function mustKeep(version: string, kept: string): boolean {
  const [major, minor] = version.split('.')
  const [keptMajor, keptMinor] = kept.split('.')
  return major === keptMajor && (major !== '0' || minor === keptMinor)
}

function readContract(version: string): Contract {
  const read = (name: keyof Contract) =>
    JSON.parse(readFileSync(join(contractsFolder, version, `${name}.json`), 'utf8'))
  return {
    openapi: read('openapi'),
    events: read('events'),
    settings: read('settings'),
    metrics: read('metrics'),
    'error-codes': read('error-codes'),
  }
}
