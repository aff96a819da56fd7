import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ownPage, startConsole } from '../support/console.ts'
import {
  clock,
  closeConsole,
  connection,
  cookieFor,
  keyring,
  keysOf,
  newOrganization,
  openConsole,
  ours,
  pageOf,
} from '../support/own-console.ts'
import { enter } from '../support/own-people.ts'
import { watchWire } from '../support/wire.ts'

beforeAll(async () => {
  await openConsole()
  await newOrganization()
})
afterAll(closeConsole)

/** What a request may ask about who sends it; the process has other statements of its own in the background. */
const ofPrincipals =
  /^select .*\b(?:api_keys|console_sessions|console_access|memberships|persons|handles|issuer_sessions)\b/

// Proves console/19.
test('To know the person takes one statement a request, and one less than to know the key of a session', async () => {
  const wire = await watchWire(connection())
  onTestFinished(() => wire.stop())
  const watched = await startConsole({
    connection: { ...connection(), host: '127.0.0.1', port: Number(new URL(wire.url).port), url: wire.url },
    keyring,
    clock,
  })
  onTestFinished(() => watched.stop())
  const asked = async (headers: object) => {
    wire.sent()
    expect((await watched.send('GET', '/organizations/quota/current-tier', headers as never)).status).toBe(200)
    return wire.sent().filter((statement) => ofPrincipals.test(statement)).length
  }
  const byCookie = (cookie: string) => ({ ...ownPage, ...pageOf(cookie, '/'), cookie })
  const { cookie } = await enter(['reader', 'editor'])
  const key = await cookieFor(keysOf(ours))
  const ways = [{ 'service-orgid': ours.id, 'service-api-key': ours.apiKey }, byCookie(key), byCookie(cookie)]
  const counts: number[] = []
  for (const headers of ways) counts.push(await asked(headers))
  expect(counts).toEqual([1, 2, 1])
})
