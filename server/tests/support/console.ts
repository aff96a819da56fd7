import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Keyring } from '../../src/ground/keys/index.ts'
import type { Clock } from '../../src/ground/runtime/clock.ts'
import { readConfig } from '../../src/start/config.ts'
import { buildService } from '../../src/start/service.ts'
import type { Connection } from './database.ts'
import { type Client, createClient, type Organization } from './signet.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer, field by field
export type Reply = { status: number; headers: IncomingHttpHeaders; body: any; text: string }

/** A service, and what a browser sends to it: unlike `fetch`, every header as the test gives it. */
export type ConsoleService = Client & {
  /** `host:port`, as it listens. */
  host: string
  send(method: string, path: string, headers?: OutgoingHttpHeaders, body?: unknown): Promise<Reply>
  stop(): Promise<void>
}

/** What a page of the console sends while it is being opened, by a browser that tells where it comes from. */
export const ownPage = { 'service-console': '1', 'sec-fetch-site': 'same-origin' }

type Options = {
  connection: Connection
  keyring: Keyring
  clock: Clock
  env?: Record<string, string>
  consoleFolder?: string
  helpFolder?: string
}

export async function startConsole({ connection, keyring, clock, env, ...folders }: Options): Promise<ConsoleService> {
  const operatorKey = env?.SIGNET_OPERATOR_KEY ?? 'operator-key-for-tests-0123456789'
  const config = readConfig({
    SIGNET_LOG_LEVEL: 'silent',
    SIGNET_ROLES: 'api',
    ...env,
    SIGNET_OPERATOR_KEY: operatorKey,
  })
  const service = await buildService({ config: { ...config, port: 0 }, connection, keyring, clock, ...folders })
  const address = await service.listen()
  const { host } = new URL(address)
  return {
    ...createClient(address, operatorKey),
    host,
    send: (method, path, headers = {}, body) => send(`${address}${path}`, { method, headers }, body),
    stop: service.stop,
  }
}

async function send(url: string, options: { method: string; headers: OutgoingHttpHeaders }, body: unknown) {
  const content = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const type = content === undefined ? {} : { 'content-type': 'application/json' }
  const asking = request(url, { ...options, agent: false, headers: given({ ...type, ...options.headers }) })
  asking.end(content)
  return new Promise<Reply>((resolve, reject) => {
    asking.on('error', reject).on('response', async (response) => {
      const written = await text(response)
      const isJson = response.headers['content-type']?.startsWith('application/json')
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, body: isJson && written ? JSON.parse(written) : undefined, text: written })
    })
  })
}

/** A header that is undefined is none. */
const given = (headers: OutgoingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))

/** Signs in with the key of the organization; gives the id of the session. */
export async function beginSession(client: Client, organization: Organization): Promise<string> {
  const own = { 'service-console': '1', origin: client.baseUrl }
  const { id, apiKey } = organization
  const { status } = await client.call('POST', '/console/session', own, { organization_id: id, api_key: apiKey })
  if (status !== 204) throw new Error(`a session of the console was refused: ${status}`)
  const { body } = await client.as(organization, 'GET', '/organizations/console-sessions')
  return body.result[0].id
}

/** The cookie of a reply, as a browser sends it back. */
export const cookieOf = ({ headers }: Reply): string => headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''

/** What the name of a console's cookie ends with: an organization's id, or `operator`. */
export const suffixOf = (cookie: string): string => /signet-console-([\w-]+)=/.exec(cookie)?.[1] ?? ''

/** The header by which a page says whose it is; none is the operator's. */
export const holderOf = (cookie: string) => {
  const suffix = suffixOf(cookie)
  return suffix && suffix !== 'operator' ? { 'service-orgid': suffix } : {}
}
