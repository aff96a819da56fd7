import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDataDir } from './stored-secrets.ts'

const own = process.getuid?.() === 0 ? 0o711 : 0o700

test.each([
  ['that everybody may write', 0o777, own],
  ['that a group may write', 0o770, 0o770 & own],
  ['that everybody may read', 0o755, own],
  ['that nobody else may enter', 0o700, 0o700],
  ['that is shared, such as /tmp,', 0o1777, 0o1777],
])('A folder %s becomes a data folder whose mode lets nobody else in', (_name, before, after) => {
  const folder = join(mkdtempSync(join(tmpdir(), 'signet-mode-')), 'data')
  makeDataDir(folder)
  expect(statSync(folder).mode & 0o7777).toBe(own)
  chmodSync(folder, before)
  makeDataDir(folder)
  expect(statSync(folder).mode & 0o7777).toBe(after)
  rmSync(join(folder, '..'), { recursive: true })
})
