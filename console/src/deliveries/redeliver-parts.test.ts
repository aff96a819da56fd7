import { SignetError } from '@signet/management'
import { expect, test } from 'vitest'
import { redeliverParts, type Span } from './redeliver-parts.ts'

const span = { since: '2026-11-20T00:00:00.000Z', until: '2026-11-21T00:00:00.000Z' }
const tooMany = (until: string) => {
  const message = `until: must be at most ${until}, for before it are the first 10000 deliveries of the span`
  return new SignetError({ errors: [{ httpcode: 400, message }] }, new Response(null, { status: 400 }))
}
const going = () => new AbortController().signal

test('Goes on where the service says that a part ends', async () => {
  const noon = '2026-11-20T12:00:00.000Z'
  const accepted: Span[] = []
  const redeliver = async (part: Span) => {
    if (part.since < noon && part.until > noon) throw tooMany(noon)
    accepted.push(part)
  }
  const all = await Array.fromAsync(redeliverParts(span, { redeliver, signal: going() }))
  expect(accepted).toEqual([
    { since: span.since, until: noon },
    { since: noon, until: span.until },
  ])
  expect(all.at(-1)).toEqual({ parts: 2, since: span.until })
})

test('Ends with the refusal where a part cannot be cut further', async () => {
  const redeliver = async () => {
    throw tooMany(span.since)
  }
  await expect(Array.fromAsync(redeliverParts(span, { redeliver, signal: going() }))).rejects.toThrow('must be at most')
})

test('Begins no further part once it is stopped', async () => {
  const stop = new AbortController()
  const noon = '2026-11-20T12:00:00.000Z'
  const redeliver = async ({ until }: Span) => {
    if (until !== noon) throw tooMany(noon)
    stop.abort()
  }
  const all = await Array.fromAsync(redeliverParts(span, { redeliver, signal: stop.signal }))
  expect(all).toEqual([{ parts: 1, since: noon }])
})
