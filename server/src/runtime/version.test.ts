import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version } from './version.ts'

test('The version is that of the package', () => {
  const root = join(import.meta.dirname, '../../..')
  for (const folder of ['.', 'server'])
    expect(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).version).toBe(version)
})
