import { describe, expect, test } from 'vitest'
import { createMessageParser } from '../src/event-stream.ts'
import { type FollowedEvent, type FollowOptions, type Signet, SignetError } from '../src/index.ts'
import { cut, message, messages, payload, refused, startScriptedFeed, stream, streamed } from './scripted-feed.ts'

/** The numbers of so many events. */
async function take(signet: Signet, count: number, options?: FollowOptions): Promise<number[]> {
  const found: number[] = []
  for await (const { cursor } of signet.followEvents(options)) if (found.push(Number(cursor)) === count) break
  return found
}

const failureOf = async (signet: Signet, options?: FollowOptions): Promise<SignetError> => {
  try {
    for await (const _ of signet.followEvents(options));
  } catch (error) {
    return error as SignetError
  }
  return expect.fail('it ended')
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe.concurrent('The messages of a stream', () => {
  const read = (pieces: Uint8Array[]) => {
    const parse = createMessageParser()
    return pieces.flatMap((piece) => parse(piece)).filter(({ data }) => data !== undefined)
  }
  const expected = upTo(3).map((number) => ({
    id: `${number}`,
    name: payload(number).event_metadata.event_name,
    data: JSON.stringify(payload(number)),
  }))

  test.each([
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['both', '\r\n'],
  ])('They are the same wherever the bytes are divided, with lines that end in %s', (_, end) => {
    const bytes = Buffer.from(`\ufeff: hello${end}${end}${messages(0, 3, end)}`)
    for (let at = 0; at <= bytes.length; at++)
      expect(read([bytes.subarray(0, at), new Uint8Array(), bytes.subarray(at)])).toEqual(expected)
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  test('Several lines of data are one text; comments, unknown fields and a field without a colon do not matter', () => {
    const text = ': one\ndata: {\ndata:  "a":1\n:two\nretry: 5\nnobody\ndata\ndata:}\nid: 7\nid: 8\0\n\n'
    expect(read([Buffer.from(text)])).toEqual([{ id: '7', name: '', data: '{\n "a":1\n\n}' }])
  })

  test('A message without its blank line counts for nothing, and one without data only has its place', () => {
    const parse = createMessageParser()
    expect(parse(Buffer.from('id: 8\n\nid: 9\ndata: {}\n'))).toEqual([{ id: '8', name: '' }])
  })

  test('A message of more than a mebibyte is an error, in one line or in many, and comments are not counted', () => {
    const parse = createMessageParser()
    const chunk = Buffer.from('x'.repeat(65_536))
    const many = (before: string) => {
      for (let count = 0; count < 17; count++) parse(Buffer.concat([Buffer.from(before), chunk]))
    }
    for (let count = 0; count < 100; count++) parse(Buffer.from(`: ${'x'.repeat(20_000)}\n\n`))
    expect(() => many('')).toThrow(RangeError)
    expect(() => many('\ndata:')).toThrow(RangeError)
  })
})

describe.concurrent('Following the feed', () => {
  test('Each event comes with its place, its name and its content, and the first request names the place to begin', async () => {
    using feed = await startScriptedFeed(streamed(3))
    const found: FollowedEvent[] = []
    for await (const followed of feed
      .signet()
      .followEvents({ after: '1', eventNames: ['PersonCreated_v1', 'Person*'] }))
      if (found.push(followed) === 2) break
    expect(found).toEqual(
      [2, 3].map((number) => ({
        cursor: `${number}`,
        event_name: payload(number).event_metadata.event_name,
        event: payload(number),
      })),
    )
    expect(feed.seen).toEqual([
      { after: '1', accept: expect.stringContaining('text/event-stream'), names: ['PersonCreated_v1', 'Person*'] },
    ])
  })

  test('No event is missed and none comes twice, wherever in its bytes the connection is cut', async () => {
    const length = Buffer.byteLength(messages(0, 3))
    const at = Array.from({ length: 80 }, (_, index) => Math.floor((index * length) / 80))
    const all = at.map(async (bytes) => {
      using feed = await startScriptedFeed(cut(3, bytes), cut(3, bytes), streamed(3))
      expect(await take(feed.signet(), 3)).toEqual(upTo(3))
    })
    await Promise.all(all)
  })

  test('It goes on after a restart, a 503, a drain, a 429, a timeout of a proxy, and a stream without an event', async () => {
    using feed = await startScriptedFeed(
      (response, after) => stream(response).end(messages(after, 1)),
      (response) => response.socket?.resetAndDestroy(),
      refused(503),
      (response) => stream(response).end('event: error\ndata: {"errors":[{"httpcode":503,"message":"stops"}]}\n\n'),
      refused(429),
      refused(408),
      (response) => stream(response).end(),
      streamed(2),
    )
    expect(await take(feed.signet(), 2)).toEqual([1, 2])
    expect(feed.seen.map(({ after }) => after)).toEqual([null, ...Array(7).fill('1')])
  })

  test('The time to begin with is asked for until a place is known', async () => {
    using feed = await startScriptedFeed(
      (response) => stream(response).end(),
      (response) => stream(response).end('id: 1\n\n'),
      streamed(2),
    )
    expect(await take(feed.signet(), 1, { since: '2026-01-31T08:00:00Z' })).toEqual([2])
    expect(feed.seen.map(({ after, since }) => since ?? after)).toEqual([
      ...['2026-01-31T08:00:00Z', '2026-01-31T08:00:00Z', '1'],
    ])
  })

  test('A stream that ends as soon as it begins is asked for after ever longer pauses', async ({ expect }) => {
    using feed = await startScriptedFeed((response) => stream(response).end())
    const ending = new AbortController()
    const failure = failureOf(feed.signet(), { signal: ending.signal })
    await expect.poll(() => feed.seen.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3)
    ending.abort()
    await failure
    const [first = 0, second = 0, third = 0] = feed.times
    expect(second - first).toBeGreaterThan(180)
    expect(third - second).toBeGreaterThan(370)
  })

  test('A message without an event moves the place at which a new connection resumes', async () => {
    using feed = await startScriptedFeed((response) => stream(response).end('id: 5\n\n'), streamed(6))
    expect(await take(feed.signet(), 1)).toEqual([6])
    expect(feed.seen.map(({ after }) => after)).toEqual([null, '5'])
  })

  test.each([400, 401, 403, 404, 410])(
    'A %i ends it, when it begins, resumes, and within the stream',
    async (status) => {
      const within = { errors: [{ httpcode: status, message: 'no' }] }
      using first = await startScriptedFeed(refused(status))
      using resumed = await startScriptedFeed(
        (response, after) => stream(response).end(messages(after, 1)),
        refused(status),
      )
      using running = await startScriptedFeed((response) =>
        stream(response).write(`${message(1)}event: error\ndata: ${JSON.stringify(within)}\n\n`),
      )
      for (const feed of [first, resumed, running]) {
        const error = await failureOf(feed.signet())
        expect(error).toBeInstanceOf(SignetError)
        expect(error).toMatchObject({ status, ...within, message: 'no' })
        await expect.poll(feed.open).toBe(0)
      }
    },
  )

  test('What was before an error in the same bytes still comes', async () => {
    using feed = await startScriptedFeed((response) =>
      stream(response).write(
        `${message(1)}event: error\ndata: {"errors":[{"httpcode":401,"message":"no"}],"codes":["key_expired"]}\n\n`,
      ),
    )
    const found: string[] = []
    const following = (async () => {
      for await (const { cursor } of feed.signet().followEvents()) found.push(cursor)
    })()
    await expect(following).rejects.toMatchObject({ status: 401, codes: ['key_expired'] })
    expect(found).toEqual(['1'])
  })

  test('A service that cannot be reached when it begins is told to the caller', async () => {
    using feed = await startScriptedFeed((response) => response.destroy())
    expect(await failureOf(feed.signet({ retries: 1 }))).toMatchObject({ name: 'SignetError', status: undefined })
    expect(feed.seen).toHaveLength(2)
  })

  test.each([
    ['is no JSON', 'id: 1\ndata: <html>\n\n'],
    ['is no event', 'id: 1\ndata: {"a": 1}\n\n'],
    ['never ends', `data: ${'x'.repeat(2_000_000)}`],
  ])('Data that %s is a SignetError', async (_, text) => {
    using feed = await startScriptedFeed((response) => stream(response).write(text))
    expect(await failureOf(feed.signet())).toMatchObject({ name: 'SignetError', status: 200, errors: [] })
    expect(feed.seen).toHaveLength(1)
  })

  test('A reader that breaks off closes its connection', async ({ expect }) => {
    using feed = await startScriptedFeed(streamed(2))
    for await (const _ of feed.signet().followEvents()) break
    await expect.poll(feed.open).toBe(0)
    expect(feed.seen).toHaveLength(1)
  })

  test('A signal ends it while it waits, with its reason, and closes the connection', async ({ expect }) => {
    using feed = await startScriptedFeed(streamed(1))
    const ending = new AbortController()
    const failure = failureOf(feed.signet(), { signal: ending.signal })
    await expect.poll(feed.open).toBe(1)
    const reason = new Error('enough')
    ending.abort(reason)
    expect(await failure).toBe(reason)
    await expect.poll(feed.open).toBe(0)
  })

  test('Nothing is read ahead of a slow reader beyond what connections buffer', async ({ expect }) => {
    const large = `id: 1\ndata: ${JSON.stringify({ ...payload(1), padding: 'x'.repeat(100_000) })}\n\n`
    let written = 0
    using feed = await startScriptedFeed((response) => {
      const write = () => {
        do written += large.length
        while (response.write(large) && written < 1e9)
      }
      stream(response).on('drain', write)
      write()
    })
    const reading = feed.signet().followEvents()
    await reading.next()
    const seen: number[] = []
    const isAtRest = () => seen.push(written) > 3 && seen.at(-3) === written
    await expect.poll(isAtRest, { interval: 100 }).toBe(true)
    expect(written).toBeLessThan(20e6)
    await reading.return()
  })
})
