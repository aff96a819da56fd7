import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import type { Keyring } from '../../src/ground/keys/index.ts'
import type { Clock } from '../../src/ground/runtime/clock.ts'
import { type ConsoleService, cookieOf, holderOf, ownPage, startConsole, suffixOf } from './console.ts'
import { testDatabase } from './database.ts'
import { refused } from './refused.ts'
import { makeKeyring } from './service.ts'
import type { Organization } from './signet.ts'

export const hourMs = 3_600_000
export const session = '/console/session'
export const ended = refused(401, 'Cookie: the session of the console has ended')
export const withoutKey = refused(401, 'Service-API-Key: is required')
export const withoutOperatorKey = refused(401, 'Service-Operator-Key: is required')
export const notOfConsole = refused(
  401,
  'Service-Console: must be 1, in a request that a page of this service itself sends',
)

/** The service listens on a loopback address, where every name of this machine is its own. */
const baseUrl = 'https://id.example.com/identity'

/** The tests share one address with the attempts of each other. */
const trusting = { SIGNET_TRUSTED_PROXIES: '127.0.0.1' }

export const clock: Clock & { aheadMs: number } = { aheadMs: 0, now: () => Date.now() + clock.aheadMs }

let database: Awaited<ReturnType<typeof testDatabase>>
export let inside: Database
export let keyring: Keyring
export let service: ConsoleService
export let secure: ConsoleService
export let ours: Organization
let lastAddress = 0

/** Of the database that the services share. */
export const connection = () => database

export const start = (env: Record<string, string> = {}) =>
  startConsole({ connection: database, keyring, clock, env: { ...trusting, ...env } })

export async function openConsole() {
  lastAddress = 0
  database = await testDatabase()
  inside = openDatabase(database)
  keyring = makeKeyring()
  service = await start()
  secure = await start({ SIGNET_BASE_URL: baseUrl })
}

export async function closeConsole() {
  await Promise.all([service?.stop(), secure?.stop(), inside?.close()])
  await database?.drop()
}

export async function newOrganization() {
  clock.aheadMs = 0
  ours = await service.organization({ name: 'Ours' })
}

export const newAddress = () => `192.0.2.${++lastAddress}`
export const keysOf = ({ id, apiKey }: Organization) => ({ organization_id: id, api_key: apiKey })

export const signIn = (body: unknown, headers = {}, at = service) =>
  at.send('POST', session, { ...ownPage, 'x-forwarded-for': newAddress(), ...headers }, body)

/** The ids of sessions, by cookie, and the newest by what the name of the cookie ends with. */
export const ids = new Map<string, string>()

export async function cookieFor(body: unknown) {
  const cookie = cookieOf(await signIn(body))
  const reply = await service.send('GET', session, { ...ownPage, ...holderOf(cookie), cookie })
  for (const name of [cookie, suffixOf(cookie)]) ids.set(name, reply.body.result.id)
  return cookie
}

/** As a page of the console sends it. */
export const ask = (cookie: string, method: string, path: string, headers = {}, body?: unknown) =>
  service.send(method, path, { ...ownPage, ...pageOf(cookie, path), cookie, ...headers }, body)

export const pageOf = (cookie: string, path: string) => ({
  ...holderOf(cookie),
  ...(path.startsWith(session) ? {} : { 'service-console': ids.get(cookie) ?? ids.get(suffixOf(cookie)) ?? 'none' }),
})
export const statusOf = async (cookie: string, headers = {}) => (await ask(cookie, 'GET', session, headers)).status

export async function newKey(fields: object): Promise<Organization & { keyId: string }> {
  const { body } = await service.as(ours, 'POST', '/organizations/api-keys', fields)
  return { id: ours.id, apiKey: body.result.api_key, keyId: body.result.id }
}
