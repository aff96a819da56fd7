import { type Message, readMessages, SignetError } from '@signet/management'
import type { Connection } from '../connection.ts'

/** The service answers at once. */
const answerMs = 45_000

type Question = Connection & {
  targetUrl: string
  events: string[] | undefined
  lastEventId: string
  signal: AbortSignal
}

/** One connection: what the service sends until it ends. `undefined` is its first word. */
export async function* openStream(question: Question): AsyncGenerator<Message | undefined> {
  const reply = await ask(question)
  let isFirst = true
  for await (const message of readMessages(reply)) {
    if (isFirst) yield undefined
    isFirst = false
    yield message
  }
}

/** A proxy may hold a request open to nobody. */
async function ask({ signal, ...question }: Question): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${answerMs / 1_000} s`)), answerMs)
  const either = AbortSignal.any([signal, late.signal])
  try {
    const headers = headersOf(question)
    const reply = await fetch(addressOf(question), { headers, redirect: 'manual', signal: either })
    if (reply.status !== 200) throw new SignetError(await reply.json().catch(() => undefined), reply)
    return reply
  } finally {
    clearTimeout(timer)
  }
}

function addressOf({ url, targetUrl, events }: Omit<Question, 'signal'>): URL {
  const address = new URL(`${url}/organizations/webhooks/listen`)
  address.searchParams.set('target_url', targetUrl)
  for (const name of events ?? []) address.searchParams.append('event_name', name)
  return address
}

const headersOf = ({ organizationId, apiKey, lastEventId }: Omit<Question, 'signal'>) => ({
  Accept: 'text/event-stream',
  'Service-OrgID': organizationId,
  'Service-API-Key': apiKey,
  ...(lastEventId && { 'Last-Event-ID': lastEventId }),
})
