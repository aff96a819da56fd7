import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBuiltHelp } from '../../src/ground/help/index.ts'
import { type ConsoleService, startConsole } from '../support/console.ts'
import { testDatabase } from '../support/database.ts'
import { makeKeyring } from '../support/service.ts'

const files = {
  'index.html': '<!doctype html><title>Help</title><a href="use/hooks">Hooks</a>',
  '404.html':
    '<!doctype html><title>No such page</title><a href="{help}./">Help</a><a href="{help}use/hooks">Hooks</a>',
  'use/hooks.html': `<!doctype html><title>Hooks</title>${'word '.repeat(400)}<a href="../">Help</a>`,
  'use/hooks.md': '# Hooks – in short\n',
  'use/index.html': '<!doctype html><title>Use</title>',
  'llms.txt': '# Signet\n',
  'search.json': '[]',
  'search-code.json': '[]',
  'assets/help-0a1b2c3d.css': 'body { margin: 0 }',
  'assets/help-0a1b2c3d.js': 'export {}',
  '.built-from': 'a stamp',
}

const folder = mkdtempSync(join(tmpdir(), 'signet-help-'))
let database: Awaited<ReturnType<typeof testDatabase>>
let help: ConsoleService

const start = (options: { helpFolder: string; env?: Record<string, string> }) =>
  startConsole({ connection: database, keyring: makeKeyring(), clock: { now: () => Date.now() }, ...options })

beforeAll(async () => {
  for (const name of ['dist/use', 'dist/assets', 'dist-of-others']) mkdirSync(join(folder, name), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'dist', name), text)
  for (const name of ['secret.html', 'dist-of-others/secret.html'])
    writeFileSync(join(folder, name), 'outside of what is served')
  database = await testDatabase()
  help = await start({ helpFolder: join(folder, 'dist'), env: { SIGNET_RATE_PUBLIC: '1000/1000' } })
})

afterAll(async () => {
  await help?.stop()
  await database?.drop()
  rmSync(folder, { recursive: true })
})

/** Without what a URL does to dots and backslashes. */
async function askAsWritten(path: string) {
  const asking = request(help.baseUrl, { path, agent: false }).end()
  const [response] = await once(asking, 'response')
  return { status: response.statusCode, text: await text(response) }
}

const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'",
  "base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

describe('The pages of the help', () => {
  test.each([
    ['/help/', 'index.html', 'text/html'],
    ['/help/?from=console', 'index.html', 'text/html'],
    ['/help/use/hooks', 'use/hooks.html', 'text/html'],
    ['/help/use/hooks.md', 'use/hooks.md', 'text/markdown'],
    ['/help/use/', 'use/index.html', 'text/html'],
    ['/help/llms.txt', 'llms.txt', 'text/plain'],
    ['/help/search.json', 'search.json', 'application/json'],
  ] as const)(
    'Anybody reads %s under the policy of the console, and asks whether it is still the same',
    async (path, name, type) => {
      const { status, headers, text } = await help.send('GET', path)
      expect({ status, text }).toEqual({ status: 200, text: files[name] })
      expect(headers).toMatchObject({
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
      expect(headers['set-cookie']).toBeUndefined()
      const again = await help.send('GET', path, { 'if-none-match': headers.etag })
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
      const head = await help.send('HEAD', path)
      expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-type': headers['content-type'] } })
    },
  )

  test.each(['css', 'js'])('What is named by its content is kept for a year: .%s', async (ending) => {
    const { status, headers } = await help.send('GET', `/help/assets/help-0a1b2c3d.${ending}`)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': `text/${ending === 'js' ? 'javascript' : 'css'}; charset=utf-8`,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': policy,
    })
  })

  test('A page is compressed for whoever takes it so', async () => {
    const reply = await fetch(`${help.baseUrl}/help/use/hooks`, { headers: { 'accept-encoding': 'gzip' } })
    expect([reply.headers.get('content-encoding'), reply.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
    expect(Number(reply.headers.get('content-length'))).toBeLessThan(200)
    expect(await reply.text()).toBe(files['use/hooks.html'])
  })

  test.each([
    ['/help', 'help/', '/identity/help/'],
    ['/help?a=b', 'help/', '/identity/help/'],
    ['/help/use', 'use/', '/identity/help/use/'],
    ['/help/use/hooks/', '../hooks', '/identity/help/use/hooks'],
  ])(
    '%s leads to its page by a relative address, so that links are right below a path that a proxy removes',
    async (path, location, resolved) => {
      const { status, headers } = await help.send('GET', path)
      expect({ status, location: headers.location }).toEqual({ status: 301, location })
      expect(new URL(location, `https://www.example.com/identity${path}`).pathname).toBe(resolved)
    },
  )
})

describe('What is not there', () => {
  test.each([
    ['/help/nothing', ''],
    ['/help/use/nothing', '../'],
    ['/help/a/b/c/', '../../../'],
    ['/help/nothing?a=b/c', ''],
  ])('%s is a page that finds its files from there', async (path, way) => {
    const { status, headers, text } = await help.send('GET', path)
    expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' })
    expect(text).toBe(files['404.html'].replaceAll('{help}', way))
    expect(new URL(`${way}./`, `https://www.example.com/identity${path}`).pathname).toBe('/identity/help/')
    expect(headers['content-security-policy']).toBe(policy)
    expect((await help.send('HEAD', path)).status).toBe(404)
    expect((await help.send('GET', path, { 'if-none-match': headers.etag })).status).toBe(404)
  })

  test('Its page is made once for each way, so that no request costs more than that of a page', async () => {
    const { missing } = createBuiltHelp(join(folder, 'dist'))
    expect(await missing('../')).toBe(await missing('../'))
    expect((await missing('')).body).not.toEqual((await missing('../')).body)
  })

  test('An address of many slashes makes no large page', async () => {
    const { status, text } = await help.send('GET', `/help/${'a/'.repeat(4_000)}`)
    expect(status).toBe(404)
    expect(text.length).toBeLessThan(300)
  })

  test.each([
    '../secret',
    '..%2fsecret',
    '%2e%2e/secret',
    '%2e%2e%2fsecret.html',
    '..\\secret',
    '../dist-of-others/secret',
    '/../secret',
    'use/../../secret',
    '.built-from',
    '__proto__',
    'constructor',
    '404',
    '404.html',
    'index.html',
    'use/hooks%2ehtml',
    'use/hooks%00.md',
    'assets',
    'assets/',
    'assets/../../secret.html',
    '<script>alert(1)</script>',
    '"><script>alert(1)</script>',
  ])('Nothing but the pages is served: %j', async (address) => {
    const { status, text } = await askAsWritten(`/help/${address}`)
    expect([400, 404]).toContain(status)
    expect(text).not.toMatch(/outside|a stamp|<script>/)
  })

  test('Nothing is written there, and a wrong method is no operation', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const path of ['/help', '/help/', '/help/use/hooks'])
        expect((await help.send(method, path, {}, {})).status).toBe(404)
  })

  test('Where it has not been built, a page says how that is done, and the service is as it was', async () => {
    const notBuilt = await start({ helpFolder: join(folder, 'nothing') })
    try {
      for (const path of ['/help', '/help/', '/help/use/hooks', '/help/assets/x.css', '/help/search.json']) {
        const { status, text } = await notBuilt.send('GET', path)
        expect(status).toBe(404)
        expect(text).toContain('npm run build')
      }
      expect((await notBuilt.send('GET', '/livez')).status).toBe(200)
    } finally {
      await notBuilt.stop()
    }
  })
})

test('Pages count towards the rate of clients without a key, and the files of a page do not', async () => {
  const limited = await start({ helpFolder: join(folder, 'dist'), env: { SIGNET_RATE_PUBLIC: '3/3' } })
  const statuses: number[] = []
  try {
    const asked = ['', '/', '/use/hooks.md', '/', '/nothing']
    for (const path of [...asked, ...Array(5).fill('/assets/help-0a1b2c3d.js'), '/search.json', '/search-code.json'])
      statuses.push((await limited.send('GET', `/help${path}`)).status)
  } finally {
    await limited.stop()
  }
  expect(statuses).toEqual([301, 200, 200, 429, 429, ...Array(7).fill(200)])
})
