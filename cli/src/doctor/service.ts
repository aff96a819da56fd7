import { SignetError } from '@signet/management'
import type { Connection } from '../connection.ts'
import { describeFailure, reasonOf } from '../failure.ts'
import { readIssuer } from '../issuer.ts'
import { type Finding, finding } from './finding.ts'

const timeoutMs = 10_000
/** Of a stream, whose first byte comes at once. */
const streamTimeoutMs = 5_000
/** As `/readyz` judges the clock of the database. */
const maxClockDifferenceMs = 30_000

/** Readiness, with whatever `/readyz` names, and the clock. */
export async function examineService(url: string): Promise<{ isReached: boolean; findings: Finding[] }> {
  try {
    const began = Date.now()
    const reply = await fetch(`${url}/readyz`, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    const text = await reply.text()
    return { isReached: true, findings: [readiness(url, reply, text), clock(reply, (began + Date.now()) / 2)] }
  } catch (error) {
    const message = `${url} does not answer: ${reasonOf(error)}. Start Signet, or give its address with --url`
    return { isReached: false, findings: [finding('service', 'wrong', message)] }
  }
}

function readiness(url: string, { status }: Response, text: string): Finding {
  const shown = text.replace(/\s+/g, ' ').slice(0, 1_000)
  if (status === 200 && isSignets(text)) return finding('service', 'ok', `${url} is ready: ${shown}`)
  if (status === 503)
    return finding('service', 'wrong', `${url} is not ready: ${shown}. The log of the service has the reason`)
  return finding(
    'service',
    'wrong',
    `${url} answers with ${status} and a body that is not Signet's: check --url, and the proxy in front`,
  )
}

function isSignets(text: string): boolean {
  try {
    return JSON.parse(text).status === 'ready'
  } catch {
    return false
  }
}

/** The header has whole seconds. */
function clock({ headers }: Response, now: number): Finding {
  const time = Date.parse(headers.get('Date') ?? '')
  if (Number.isNaN(time)) return finding('clock', 'unknown', 'the service does not tell its time')
  const difference = Math.abs(now - time - 500)
  if (difference <= maxClockDifferenceMs)
    return finding('clock', 'ok', 'this machine and the service agree to the second or so')
  const message = `this machine and the service differ by ${Math.round(difference / 1_000)} s: webhooks would seem expired; synchronize both with NTP`
  return finding('clock', 'wrong', message)
}

export async function examineAddress(url: string, organizationId: string): Promise<Finding> {
  try {
    const issuer = await readIssuer(url, organizationId)
    if (issuer === url) return finding('base URL', 'ok', url)
    return finding('base URL', 'ok', `the service calls itself ${issuer}; receivers verify with that, not with ${url}`)
  } catch (error) {
    return finding('base URL', 'unknown', describeFailure(error).message)
  }
}

export async function examineKey({ signet, organizationId }: Connection): Promise<Finding> {
  try {
    await signet.getCurrentTier()
    return finding('API key', 'ok', `is valid for the organization ${organizationId}`)
  } catch (error) {
    const isNarrow = error instanceof SignetError && error.status === 403
    if (isNarrow) return finding('API key', 'ok', `is valid for the organization ${organizationId}, with fewer scopes`)
    return finding('API key', 'wrong', describeFailure(error).message)
  }
}

export async function examineStream({ url, organizationId, apiKey }: Connection): Promise<Finding> {
  const ending = new AbortController()
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(streamTimeoutMs)])
  const headers = { Accept: 'text/event-stream', 'Service-OrgID': organizationId, 'Service-API-Key': apiKey }
  try {
    const reply = await fetch(`${url}/events`, { headers, redirect: 'manual', signal })
    if (reply.status === 403) return finding('event stream', 'unknown', 'the key has no scope events:read')
    if (reply.status !== 200) return finding('event stream', 'wrong', `is answered with ${reply.status}`)
    await reply.body?.getReader().read()
    const proxy = reply.headers.get('Via') ?? reply.headers.get('Server')
    return finding('event stream', 'ok', proxy ? `comes through ${proxy}` : 'comes at once')
  } catch (error) {
    const hint =
      'a proxy in front may hold it back: switch its buffering off for /events and /organizations/webhooks/listen'
    return finding(
      'event stream',
      'wrong',
      `nothing came in ${streamTimeoutMs / 1_000} s (${reasonOf(error)}); ${hint}`,
    )
  } finally {
    ending.abort()
  }
}
