import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const dist = join(import.meta.dirname, '../dist')
const limits = { all: 250, first: 90 }

const weigh = (names: readonly string[]) =>
  names
    .map((name) => ({ name, kib: gzipSync(readFileSync(join(dist, 'assets', name))).length / 1_024 }))
    .toSorted((one, other) => other.kib - one.kib)

/** Names the files, so that a failure says where the weight is. */
function expectBelow(limitKib: number, names: readonly string[]) {
  const files = weigh(names)
  const total = files.reduce((sum, { kib }) => sum + kib, 0)
  const words = files.map(({ name, kib }) => `${kib.toFixed(1)} KiB ${name}`).join('\n')
  expect(total, `${total.toFixed(1)} KiB of script, compressed:\n${words}\n`).toBeLessThan(limitKib)
}

test('All scripts of the console together are small', () => {
  expectBelow(
    limits.all,
    readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js')),
  )
})

test('Whoever signs in waits for few of them', () => {
  // The last part is that of whoever has a session.
  const [page = ''] = readFileSync(join(dist, 'index.html'), 'utf8').split('<!-- elsewhere -->')
  const names = [...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(1)
  expectBelow(limits.first, names)
})
