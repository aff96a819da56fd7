import { createMessageParser, type Message, SignetError, silenceMs } from '@signet/management'
import type { Connection } from '../connection.ts'

type Question = Connection & {
  targetUrl: string
  events: string[] | undefined
  lastEventId: string
  signal: AbortSignal
}

/** One connection: what the service sends until it ends. `undefined` is its first word. */
export async function* openStream({ signal, ...question }: Question): AsyncGenerator<Message | undefined> {
  const silence = new AbortController()
  const either = AbortSignal.any([signal, silence.signal])
  // Also until the first byte, and whenever nothing comes: a proxy may hold a connection open to nobody.
  const watched = async <Result>(promise: Promise<Result>) => {
    const timer = setTimeout(() => silence.abort(new Error(`nothing came for ${silenceMs / 1_000} s`)), silenceMs)
    return promise.finally(() => clearTimeout(timer))
  }
  const reply = await watched(
    fetch(addressOf(question), { headers: headersOf(question), redirect: 'manual', signal: either }),
  )
  if (reply.status !== 200) throw new SignetError(await watched(reply.json()).catch(() => undefined), reply)
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader()
  const parse = createMessageParser()
  try {
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await watched(reader.read())
      if (done) return
      if (isFirst) yield undefined
      yield* parse(value)
    }
  } finally {
    silence.abort()
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
