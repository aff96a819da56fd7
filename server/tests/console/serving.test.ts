import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBuiltConsole } from '../../src/identity/console/built-console.ts'
import { type ConsoleService, startConsole } from '../support/console.ts'
import { testDatabase } from '../support/database.ts'
import { makeKeyring } from '../support/service.ts'

const script = `export const words = ${JSON.stringify('word '.repeat(400))}\n`
const head = '<!doctype html><html lang="en"><head><base href="./"><title>Console</title></head>'
const page = `${head}<p>{host}</p><!-- form --><!-- key -->key {organization_id}<!-- /key --><!-- operator -->operator<!-- /operator --><!-- switch -->switch<!-- /switch --><!-- /form --><!-- elsewhere -->elsewhere<!-- /elsewhere --></html>`
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'",
  "base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

const folder = mkdtempSync(join(tmpdir(), 'signet-console-'))
const clock = { now: () => Date.now() }
let database: Awaited<ReturnType<typeof testDatabase>>
let built: ConsoleService
let notBuilt: ConsoleService

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'assets/main-0a1b2c.js'), script)
  writeFileSync(join(folder, 'assets/main-0a1b2c.css'), 'body { margin: 0 }')
  writeFileSync(join(folder, 'secret'), 'outside of what is served')
  database = await testDatabase()
  const shared = { connection: database, keyring: makeKeyring(), clock }
  const env = { SIGNET_BASE_URL: 'https://www.example.com/identity', SIGNET_RATE_PUBLIC: '1000/1000' }
  built = await startConsole({ ...shared, env, consoleFolder: folder })
  notBuilt = await startConsole({ ...shared, consoleFolder: join(folder, 'nothing') })
})

afterAll(async () => {
  await Promise.all([built?.stop(), notBuilt?.stop()])
  await database?.drop()
  rmSync(folder, { recursive: true })
})

/** Where the browser takes the page's relative addresses to lie, below a prefix that a proxy removes. */
function resolvedBase(path: string, text: string) {
  const base = /<base href="([^"]*)">/.exec(text)?.[1] ?? ''
  return new URL(base, `https://www.example.com/identity${path}`).href
}

describe('The pages of the console', () => {
  // Proves console/7.
  test.each([
    '/console',
    '/console/',
    '/console?filter=a/b',
    '/console/webhooks',
    '/console/webhooks/',
    '/console/webhooks/0199a3f2-5c00-7000-8000-0242ac120002?status=dropped',
    '/console/a/b/c/d/e',
    '/console/groups/a%2Fb',
    '/console/index.html',
    '/console/secret',
    '/console/assets',
  ])('Every path is the page, whose addresses lie below the console of any prefix: %s', async (path) => {
    const { status, headers, text } = await built.send('GET', path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag: expect.any(String),
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(resolvedBase(path, text)).toBe('https://www.example.com/identity/console/')
    expect(text.replace(/<base href="[^"]*">/, '<base href="./">')).toContain(`${head}<p>www.example.com</p>`)
  })

  const ours = '0199a3f2-5c00-7000-8000-0242ac120002'
  const cookie = (suffix: string, digits: string) => `__Host-signet-console-${suffix}=${digits}${'0'.repeat(32)}`
  const ofOurs = cookie(ours, ours.replaceAll('-', ''))
  const ofOperator = cookie('operator', '0'.repeat(32))

  test.each([
    ['/console', {}, 'key switch'],
    ['/console/', { cookie: ofOurs }, 'key switch'],
    [`/console/o/${ours}`, {}, `key ${ours}`],
    [`/console/o/${ours.toUpperCase()}/webhooks/x`, { cookie: ofOperator }, `key ${ours}`],
    [`/console/o/${ours}/webhooks`, { cookie: ofOurs }, 'elsewhere'],
    [`/console/o/${ours}/`, { 'sec-fetch-site': 'cross-site' }, 'elsewhere'],
    ['/console/operator', {}, 'operator'],
    ['/console/operator/organizations', { cookie: ofOurs }, 'operator'],
    ['/console/operator/organizations', { cookie: ofOperator }, 'elsewhere'],
    ['/console/link', {}, 'elsewhere'],
    ['/console/o/%3Cscript%3E/', {}, 'elsewhere'],
  ])(
    'The page has the form that it will show, unless the browser may have a session: %s with %j',
    async (path, headers, shown) => {
      const reply = await built.send('GET', path, headers)
      const words = reply.text.replace(/^.*<p>www.example.com<\/p>/s, '').replace(/<[^>]*>/g, ' ')
      expect(words.trim().split(/\s+/).join(' ')).toBe(shown)
      expect(reply.headers.vary).toBe('Accept-Encoding, Cookie, Sec-Fetch-Site')
    },
  )

  test('A page that the browser has is not sent again; a page of another depth is another one', async () => {
    const { etag = '' } = (await built.send('GET', '/console/webhooks')).headers
    const again = (path: string) => built.send('GET', path, { 'if-none-match': etag })
    expect(await again('/console/groups')).toMatchObject({ status: 304, text: '' })
    expect((await again('/console/webhooks/x')).status).toBe(200)
    expect((await built.send('HEAD', '/console')).status).toBe(200)
  })

  test('The page of a depth is made once, and at most sixty-four are kept', async () => {
    const served = createBuiltConsole(folder)
    const pageOf = (base: string) => served.page({ base, host: 'www.example.com', form: { of: 'none' } })
    const first = await pageOf('./')
    expect(await pageOf('./')).toBe(first)
    for (const depth of Array(64).keys()) await pageOf('../'.repeat(depth + 1))
    expect(await pageOf('./')).not.toBe(first)
  })

  test('Assets are compressed, and kept for a year', async () => {
    const path = '/console/assets/main-0a1b2c.js'
    const { status, headers, text } = await built.send('GET', path)
    expect({ status, text }).toEqual({ status: 200, text: script })
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
      'content-security-policy': policy,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const reply = await fetch(built.baseUrl + path, { headers: { 'accept-encoding': 'gzip' } })
    expect(reply.headers.get('content-encoding')).toBe('gzip')
    expect(Number(reply.headers.get('content-length'))).toBeLessThan(200)
    expect(await reply.text()).toBe(script)
    expect((await built.send('GET', '/console/assets/main-0a1b2c.css')).headers['content-type']).toContain('text/css')
  })

  // Proves console/17.
  test.each(['other.js', '', '..%2Fsecret', '%2e%2e/secret', '__proto__', 'main-0a1b2c.js/', '\0'])(
    'Nothing but the files of the folder is an asset: %j',
    async (name) => {
      const { status, headers, text } = await built.send('GET', `/console/assets/${encodeURI(name)}`)
      expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' })
      expect(text).not.toContain('outside')
    },
  )

  test('Nothing is written here but the session', async () => {
    for (const path of ['/console', '/console/webhooks', '/console/assets/main-0a1b2c.js'])
      expect((await built.send('POST', path, {}, {})).status).toBe(404)
    const headers = { 'service-console': '1', 'sec-fetch-site': 'same-origin' }
    const { status, headers: given } = await built.send('PUT', '/console/session', headers)
    expect({ status, allow: given.allow }).toEqual({ status: 405, allow: 'DELETE, GET, POST' })
  })
})

describe('The way to the console', () => {
  const wayFrom = async (service: ConsoleService) => {
    const { status, headers } = await service.send('GET', '/')
    return { status, location: headers.location }
  }

  test('Where it was built, the address of the service leads to it', async () => {
    expect(await wayFrom(built)).toEqual({ status: 303, location: '/identity/console' })
  })

  test('Where it was not, that leads to the reference, and its own address says how to build it', async () => {
    expect(await wayFrom(notBuilt)).toEqual({ status: 303, location: '/docs' })
    for (const path of ['/console', '/console/webhooks', '/console/assets/x.js']) {
      const { status, text } = await notBuilt.send('GET', path)
      expect(status).toBe(404)
      expect(text).toContain('npm run build')
    }
  })

  test('Its pages count towards the rate of clients without a key, and their files do not; a person is told so by a page', async () => {
    const limited = await startConsole({
      connection: database,
      keyring: makeKeyring(),
      clock,
      consoleFolder: folder,
      env: { SIGNET_RATE_PUBLIC: '2/2' },
    })
    const statuses: number[] = []
    const ways: Awaited<ReturnType<typeof limited.send>>[] = []
    try {
      for (const path of ['/console', '/console/x', '/console', ...Array(20).fill('/console/assets/main-0a1b2c.js')])
        statuses.push((await limited.send('GET', path)).status)
      for (const path of ['/console/sign-in', '/console/callback', '/console/sign-in/options'])
        ways.push(await limited.send('GET', path))
    } finally {
      await limited.stop()
    }
    expect(statuses).toEqual([200, 200, 429, ...Array(20).fill(200)])
    expect(ways.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
      [429, 'text/html; charset=utf-8'],
      [429, 'text/html; charset=utf-8'],
      [429, 'application/json; charset=utf-8'],
    ])
  })
})
