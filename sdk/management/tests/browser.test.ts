import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRealBrowser } from '../../../server/tests/support/real-browser.ts'
import { cut, refused, streamed } from './scripted-feed.ts'

let browser: Browser
let page: Page
let open = 0
const seen: { path: string | undefined; key: unknown }[] = []
const server = createServer(serve)

/** A page with the client, and the interface, in one origin: Signet gives its management interface to no other. */
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bundle = await rolldown({ input: join(import.meta.dirname, '../src/index.ts') })
  const { output } = await bundle.generate({ format: 'iife', name: 'Management' })
  await bundle.close()
  browser = await startRealBrowser()
  page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.addScriptTag({ content: output[0].code })
  await page.addScriptTag({
    content: `const signet = new Management.Signet({ baseUrl: location.origin, organizationId: 'a', apiKey: 'secret' })
const failureOf = (work) => work.then(() => 'it succeeded', ({ name, status, message }) => ({ name, status, message }))`,
  })
})

afterAll(async () => {
  await browser?.close()
  server.closeAllConnections()
  server.close()
})

const fates = [cut(3, 500), streamed(3)]

function serve(request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://page')
  if (pathname === '/')
    return response.setHeader('content-type', 'text/html').end('<!doctype html><link rel="icon" href="data:">')
  seen.push({ path: pathname, key: request.headers['service-api-key'] })
  if (pathname === '/persons') return response.writeHead(307, { location: '/groups' }).end()
  if (pathname !== '/events') return refused(404, 'group: not found')(response, 0)
  open++
  response.on('close', () => open--)
  return fates.shift()?.(response, Number(searchParams.get('after')))
}

test('A browser sends the key, reads refusals, and follows no redirect', async () => {
  const missing = await page.evaluate(`failureOf(signet.getGroup({ path: { group_name: 'staff' } }))`)
  expect(missing).toEqual({ name: 'SignetError', status: 404, message: 'group: not found' })
  expect(await page.evaluate('failureOf(signet.listPersons())')).toMatchObject({
    name: 'SignetError',
    status: undefined,
    message: expect.stringContaining('redirect'),
  })
  expect(seen).toEqual(['/groups/staff', '/persons'].map((path) => ({ path, key: 'secret' })))
})

test('A browser follows the feed over a connection that is cut, and closes it when it breaks off', async () => {
  const found = await page.evaluate(`(async () => {
    const found = []
    for await (const { cursor } of signet.followEvents()) if (found.push(cursor) === 3) break
    return found
  })()`)
  expect(found).toEqual(['1', '2', '3'])
  await expect.poll(() => open).toBe(0)
})
