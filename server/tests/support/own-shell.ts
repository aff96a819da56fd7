import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { testDatabase } from './database.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { type Headings, type Organization, type Signet, startSignet } from './signet.ts'

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const unknownId = '01890000-0000-7000-8000-000000000000'
export const patience = { timeout: 30_000 }

export let database: Awaited<ReturnType<typeof testDatabase>>
export let receiver: Receiver
export let signet: Signet

/** On the same database; its client addresses come from proxies, and it has no operator's key. */
export let behindProxies: Signet
export let ours: Organization
export let theirs: Organization
export let readOnly: Organization

export async function openShell() {
  database = await testDatabase()
  receiver = await startReceiver()
  const options = { databaseUrl: database.url, receiver }
  signet = await startSignet({ ...options, env: { SIGNET_LOG_LEVEL: 'debug', SIGNET_RATE_KEY_SET: '60/3' } })
  behindProxies = await startSignet({
    ...options,
    env: {
      SIGNET_BASE_URL: signet.baseUrl,
      SIGNET_LOG_LEVEL: 'debug',
      SIGNET_OPERATOR_KEY: '',
      SIGNET_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
      SIGNET_RATE_KEY_SET: '1/1',
    },
  })
  ours = await signet.organization()
  theirs = await signet.organization()
  readOnly = await newKey({ read_only: true })
}

export async function closeShell() {
  await Promise.all([signet?.stop(), behindProxies?.stop(), receiver?.stop()])
  await database?.drop()
}

export const ask = (method: string, path: string, body?: unknown, headers?: Headings) =>
  signet.as(ours, method, path, body, headers)

export async function newKey(fields: object): Promise<Organization & { keyId: string }> {
  const { body } = await ask('POST', '/organizations/api-keys', fields)
  return { id: ours.id, apiKey: body.result.api_key, keyId: body.result.id }
}

export async function newPerson(at = signet, headers?: Headings): Promise<string> {
  const { body } = await at.as(ours, 'POST', '/persons', {}, headers)
  return body.result.person_id
}

/** Sends bytes as they are, and gives all that comes back until the service closes the connection. */
export async function speak(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(signet.baseUrl).port), '127.0.0.1')
  socket.write(lines.join('\r\n'))
  return text(socket)
}

export const credentials = () => [`Service-OrgID: ${ours.id}`, `Service-API-Key: ${ours.apiKey}`]
export const jsonIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
