import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Signet, type SignetOptions } from '../src/index.ts'

/** What becomes of one request for the feed. `after` is how many events its reader has. */
export type Fate = (response: ServerResponse, after: number) => void

export const payload = (number: number) => ({
  event_metadata: { event_id: `event-${number}`, event_name: number % 2 ? 'PersonCreated_v1' : 'PersonDeleted_v1' },
  person_id: `person ${number} – \u{1f642}`,
})

export const message = (number: number, end = '\n') =>
  [
    `id: ${number}`,
    `event: ${payload(number).event_metadata.event_name}`,
    `data: ${JSON.stringify(payload(number))}`,
    '',
    '',
  ].join(end)

export const messages = (from: number, to: number, end?: string) =>
  Array.from({ length: to - from }, (_, index) => message(from + index + 1, end)).join('')

export function stream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n')
  return response
}

/** Those up to `count`, and then nothing until the reader leaves. */
export const streamed =
  (count: number, end?: string): Fate =>
  (response, after) =>
    stream(response).write(messages(after, count, end))

/** The same bytes, but no more than so many of them. */
export const cut =
  (count: number, bytes: number): Fate =>
  (response, after) => {
    const all = Buffer.from(messages(after, count))
    stream(response).write(all.subarray(0, bytes), () => response.destroy())
  }

export const page =
  (count: number, size: number): Fate =>
  (response, after) => {
    const next = Math.min(after + size, count)
    const result = Array.from({ length: next - after }, (_, index) => payload(after + index + 1))
    const meta = { next: `${next}`, has_more: next < count }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ result, meta }))
  }

export const refused =
  (httpcode: number, message = 'no'): Fate =>
  (response) =>
    response
      .writeHead(httpcode, { 'content-type': 'application/json' })
      .end(JSON.stringify({ errors: [{ httpcode, message }] }))

/** A feed over HTTP in which each request meets the next fate, and all after the last one meet that one. */
export async function startScriptedFeed(...fates: Fate[]) {
  const seen: { after: string | null; accept: string | undefined; names: string[]; since?: string }[] = []
  const times: number[] = []
  let open = 0
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { searchParams } = new URL(request.url ?? '', 'http://feed')
    const after = searchParams.get('after')
    const since = searchParams.get('since')
    const names = searchParams.getAll('event_name')
    seen.push({ after, accept: request.headers.accept, names, ...(since !== null && { since }) })
    times.push(performance.now())
    open++
    response.on('close', () => open--)
    ;(fates.length > 1 ? fates.shift() : fates[0])?.(response, Number(after))
  }
  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    seen,
    /** When each request came. */
    times,
    open: () => open,
    signet: (options: Partial<SignetOptions> = {}) =>
      new Signet({ baseUrl: `http://127.0.0.1:${port}`, organizationId: 'a', apiKey: 'b', ...options }),
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
