import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version as versionOfCommandLine } from '../../../../cli/src/version.ts'
import { version } from './version.ts'

test('The version is that of the package', () => {
  const root = join(import.meta.dirname, '../../../..')
  for (const folder of ['.', 'server', 'cli'])
    expect(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).version).toBe(version)
  expect(versionOfCommandLine).toBe(version)
})
