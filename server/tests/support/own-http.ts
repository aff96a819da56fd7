import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Organization, type OwnSignet, type Signet, startOwnSignet, startSignet } from './signet.ts'

export const unknownId = '01890000-0000-7000-8000-000000000000'
export let signet: OwnSignet

/** On the same database: below a path, behind a proxy that takes it off, and with small rates. */
export let belowPath: Signet
export let organization: Organization

export async function openHttp() {
  signet = await startOwnSignet({ env: { SIGNET_ACCESS_LOG: 'on', SIGNET_LOG_LEVEL: 'info' } })
  organization = await signet.organization()
  const env = {
    SIGNET_BASE_URL: 'https://host.example.com/identity',
    SIGNET_ACCEPT_BASE_URL: 'https://host.example.com/identity',
    SIGNET_RATE_PUBLIC: '1/8',
    SIGNET_TRUSTED_PROXIES: '127.0.0.1',
    SIGNET_DRAIN: '2s',
  }
  belowPath = await startSignet({ databaseUrl: signet.database.url, env, readyPath: '/livez' })
}

export async function closeHttp() {
  await belowPath?.stop()
  await signet?.stop()
}

type Spoken = { status: number; head: string; body: string }

/** Sends lines as they are, and gives what comes back until the service closes the connection. */
export async function speak(...lines: string[]): Promise<Spoken> {
  const socket = connect(Number(new URL(signet.baseUrl).port), '127.0.0.1')
  socket.write(lines.join('\r\n'))
  const answer = await text(socket)
  const end = answer.indexOf('\r\n\r\n')
  const [, status] = /^HTTP\/1.1 (\d+)/.exec(answer) ?? []
  return { status: Number(status), head: answer.slice(0, end).toLowerCase(), body: answer.slice(end + 4) }
}

export const credentials = () => [`Service-OrgID: ${organization.id}`, `Service-API-Key: ${organization.apiKey}`]
export const closing = ['Connection: close', '', '']
