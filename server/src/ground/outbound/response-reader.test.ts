import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createResponseReader, type ResponseEnd } from './response-reader.ts'

type Read = {
  end: ResponseEnd | 'open'
  status: number
  body: string
  headers: Record<string, string | string[]>
  isKept: boolean
}

/** Reads what comes in these pieces; `isEnded`: then the connection ends. */
function readPieces(pieces: Buffer[], { maxBytes = 65_536, isEnded = false } = {}): Read {
  const reader = createResponseReader({ maxBytes, keepBytes: 1_000_000 })
  let end: ResponseEnd | undefined
  for (const piece of pieces) end ??= reader.read(piece)
  if (isEnded) end ??= reader.end()
  const isKept = end === 'whole' && reader.keepAliveMs() > 0
  const body = reader.body().kept.toString('latin1')
  return { end: end ?? 'open', status: reader.status(), body, headers: { ...reader.headers() }, isKept }
}

const read = (text: string, options: { maxBytes?: number; isEnded?: boolean } = {}) =>
  readPieces([Buffer.from(text, 'latin1')], options)

/** A head with these lines, of an answer that has the body `ok`. */
const withLines = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}content-length: 2\r\n\r\nok`
const chunked = (body: string) => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`
const whole = (body: string, status = 200) => expect.objectContaining({ end: 'whole', status, body })
const bad = expect.objectContaining({ end: 'bad_response' })

describe('A status line', () => {
  test.each([
    ['HTTP/1.1 200 OK', 200],
    ['HTTP/1.1 204 ', 204],
    ['HTTP/1.1 204', 204],
    ['HTTP/1.0 404 Not\xe9 Found', 404],
    ['HTTP/1.7 299 \t', 299],
    ['HTTP/1.1 999 Any', 999],
  ])('A status line is read as soon as it is there: %s', (line, status) => {
    expect(read(`${line}\r\n`)).toMatchObject({ end: 'open', status })
  })

  test.each([
    'HTTP/2 200 OK\r\n',
    'HTTP/1.1 20 OK\r\n',
    'HTTP/1.1 2000 OK\r\n',
    'HTTP/1.1 099 OK\r\n',
    'HTTP/1.1  200 OK\r\n',
    'HTTP/1.1\t200 OK\r\n',
    'http/1.1 200 OK\r\n',
    ' HTTP/1.1 200 OK\r\n',
    '\nHTTP/1.1 200 OK\r\n',
    '\rHTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200 OK\n',
    'HTTP/1.1 200 O\rK\r\n',
    'HTTP/1.1 200 O\0K\r\n',
    'SSH-2.0',
    'HTTP/1,',
  ])('A status line is not %j', (text) => {
    expect(read(text)).toMatchObject({ end: 'bad_response', status: 0 })
  })
})

describe('Empty lines before a status line', () => {
  const answer = withLines('')
  test.each([`\r\n${answer}`, `\r\n\r\n\r\n${answer}`, `\r\nHTTP/1.1 100 Continue\r\n\r\n\r\n\r\n${answer}`])(
    'Empty lines are read over, also between interim and final response: %j',
    (text) => {
      const expected = { end: 'whole', status: 200, body: 'ok', isKept: true }
      expect(read(text)).toMatchObject(expected)
      expect(readPieces(Array.from(text, (byte) => Buffer.from(byte, 'latin1')))).toMatchObject(expected)
    },
  )

  test.each(['\r\nHTTP/1.1 200 OK\n', '\r\n\nHTTP/1.1 200 OK\r\n', '\r\n \r\n', '\r\nSSH-2.0'])(
    'Nothing else is read over: %j',
    (text) => {
      expect(read(text)).toMatchObject({ end: 'bad_response', status: 0 })
    },
  )

  test('Empty lines are no response by themselves', () => {
    expect(read('\r\n\r\n')).toMatchObject({ end: 'open', status: 0 })
    expect(read('\r\n\r\n', { isEnded: true })).toMatchObject({ end: 'connection_reset', status: 0 })
  })
})

describe('Interim responses', () => {
  test.each([100, 102, 103, 150, 199])('An interim response is read over: %i', (status) => {
    const interim = `HTTP/1.1 ${status} Wait\r\nlink: </x>;\r\n rel=y\r\ncontent-length: 5\r\n\r\n`
    expect(read(`${interim}${interim}${withLines('')}`)).toEqual({
      end: 'whole',
      status: 200,
      body: 'ok',
      isKept: true,
      headers: { 'content-length': '2' },
    })
  })

  test.each([
    'content-length: +5\r\n',
    'content-length: 5\r\ncontent-length: 5\r\n',
    'content-length:\r\n 5\r\n',
    'transfer-encoding: gzip\r\n',
  ])('An interim response whose length nobody knows ends the reading: %j', (lines) => {
    const text = `HTTP/1.1 100 Wait\r\n${lines}\r\n${withLines('')}`
    expect(read(text)).toMatchObject({ end: 'bad_response', status: 0 })
  })

  test('Interim responses are no response by themselves', () => {
    expect(read('HTTP/1.1 100 Continue\r\n\r\n')).toMatchObject({ end: 'open', status: 0 })
    expect(read('HTTP/1.1 100 Continue\r\n\r\n', { isEnded: true })).toMatchObject({
      end: 'connection_reset',
      status: 0,
    })
  })

  test('Interim responses do not switch to another protocol', () => {
    expect(read('HTTP/1.1 101 Switching Protocols\r\n\r\n')).toMatchObject({ end: 'bad_response', status: 0 })
  })
})

describe('Header lines', () => {
  test.each<[string, Record<string, string | string[]>]>([
    ['X-Csp: a;\r\n b\r\n', { 'x-csp': 'a; b' }],
    ['X-Csp: a;\n\tb\r\n', { 'x-csp': 'a; b' }],
    ['X-Csp: a;  \r\n   b \r\n c\r\n', { 'x-csp': 'a; b c' }],
    ['X-Empty:\r\n a\r\n', { 'x-empty': 'a' }],
    ['X-Empty: a\r\n \r\n', { 'x-empty': 'a' }],
    ['X-Empty:\r\n', { 'x-empty': '' }],
    ['X-A: 1\nX-B:2\n', { 'x-a': '1', 'x-b': '2' }],
    ['X-A: 1\r\nx-a: 2\r\nX-a: 3\r\n', { 'x-a': ['1', '2', '3'] }],
    ['X-A:\t \xe9: \x01b \t\r\n', { 'x-a': '\xe9: \x01b' }],
    ['__proto__: x\r\n', Object.fromEntries([['__proto__', 'x']])],
  ])('Header lines may be folded, or end in a single line feed: %j', (lines, headers) => {
    expect(read(withLines(lines))).toMatchObject({ end: 'whole', body: 'ok', headers })
  })

  test.each([
    ' a: b\r\n',
    '\ta\r\n',
    'a\r\n',
    ': b\r\n',
    'a : b\r\n',
    'a b: c\r\n',
    'a: b\rc\r\n',
    'a: b\0c\r\n',
    '\xe9: b\r\n',
  ])('Header lines are not %j', (lines) => {
    expect(read(withLines(lines))).toMatchObject({ end: 'bad_response', status: 200 })
  })

  test('Header lines of many blanks cost no time', () => {
    const blanks = ' \t'.repeat(25_000)
    const startedAt = performance.now()
    expect(read(withLines(`x: a${blanks}b\r\n`))).toEqual(whole('ok'))
    expect(read(withLines(`x: a\r\n${' b\r\n'.repeat(15_000)}`))).toEqual(whole('ok'))
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })
})

describe('The length of a body', () => {
  test.each(['0', '1', '00', '002'])('The length of a body is that of its content-length: %s', (length) => {
    const body = 'x'.repeat(Number(length))
    expect(read(`HTTP/1.1 500 Oops\r\ncontent-length: ${length}\r\n\r\n${body}`)).toEqual(whole(body, 500))
  })

  test.each([
    'content-length: 2\r\ncontent-length: 2\r\n',
    'content-length: 2\r\ncontent-length: 3\r\n',
    'content-length: 2, 2\r\n',
    'content-length: 2\r\n 2\r\n',
    'content-length:\r\n 2\r\n',
    'content-length: 2\r\n \r\n',
    'content-length:\r\n',
    'content-length: +2\r\n',
    'content-length: -2\r\n',
    'content-length: 2.0\r\n',
    'content-length: 0x2\r\n',
    'content-length: 2 2\r\n',
    'content-length: 2\xa0\r\n',
    `content-length: ${'9'.repeat(16)}\r\n`,
    'transfer-encoding: chunked\r\ncontent-length: 2\r\n',
    'content-length: 2\r\nTransfer-Encoding: chunked\r\n',
    'transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n',
    'transfer-encoding: chunked, chunked\r\n',
    'transfer-encoding: gzip, chunked\r\n',
    'transfer-encoding: identity\r\n',
    'transfer-encoding:\r\n',
    'transfer-encoding:\r\n chunked\r\n',
    'transfer-encoding: chunked\r\n ;\r\n',
    'transfer-encoding: xchunked\r\n',
  ])('The length of a body is not guessed: %j', (lines) => {
    expect(read(`HTTP/1.1 200 OK\r\n${lines}\r\nok`)).toMatchObject({ end: 'bad_response', status: 200 })
  })

  test('The length of a body is not guessed where HTTP/1.0 has a transfer coding', () => {
    expect(read('HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n')).toEqual(bad)
  })

  test.each([204, 304])('The length of a body is zero for %i, whatever its headers say', (status) => {
    expect(read(`HTTP/1.1 ${status} X\r\ncontent-length: 5\r\n\r\n`)).toEqual(whole('', status))
    expect(read(`HTTP/1.1 ${status} X\r\n\r\n`)).toMatchObject({ end: 'whole', isKept: true })
  })

  test('The length of a body without a stated one is all that comes before the connection ends', () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nuntil the end'
    expect(read(text)).toMatchObject({ end: 'open' })
    expect(read(text, { isEnded: true })).toMatchObject({ end: 'whole', body: 'until the end', isKept: false })
  })

  test.each(['content-length: 3\r\n\r\nok', 'transfer-encoding: chunked\r\n\r\n2\r\nok\r\n', 'content-le'])(
    'The length of a body is not reached when the connection ends before: %j',
    (rest) => {
      const cut = { end: 'connection_reset', status: 200 }
      expect(read(`HTTP/1.1 200 OK\r\n${rest}`, { isEnded: true })).toMatchObject(cut)
    },
  )
})

describe('Chunks', () => {
  test.each([
    ['0\r\n\r\n', ''],
    ['2\r\nok\r\n0\r\n\r\n', 'ok'],
    ['00a\r\n0123456789\r\nB;a=b\r\n01234567890\r\n000\r\n\r\n', '012345678901234567890'],
    ['2 ; "x;\xe9" \r\n\r\n\r\n0;y\r\n\r\n', '\r\n'],
    ['2\r\nok\r\n0\r\nX-Trailer: a\r\n b\r\n\r\n', 'ok'],
  ])('Chunks are put together: %j', (body, text) => {
    expect(read(chunked(body))).toMatchObject({ end: 'whole', body: text, isKept: true })
  })

  test.each([
    '2\nok\r\n0\r\n\r\n',
    '2\r\nok\n0\r\n\r\n',
    '2\r\nok\r\n0\n\r\n',
    '2\r\nok\r\n0\r\n\n',
    '2\r\nok\r\n0\r\na: b\n\r\n',
    '2\r\nok\r\n0\r\na: \rb\r\n\r\n',
    '2\r\nok\r\n0\r\nno field\r\n\r\n',
    '2\r\nok\r\n0\r\n folded\r\n\r\n',
    '2\r\nokk\r\n0\r\n\r\n',
    '2;a\rb\r\nok\r\n0\r\n\r\n',
    '2;a\nb\r\nok\r\n0\r\n\r\n',
    'g\r\n',
    '-2\r\nok\r\n',
    '0x2\r\nok\r\n',
    '+2\r\nok\r\n',
    ' 2\r\nok\r\n',
    '\r\n',
    ';a\r\n',
    '2 2\r\nok\r\n',
  ])('Malformed chunks are refused: %j', (body) => {
    expect(read(chunked(body))).toMatchObject({ end: 'bad_response', status: 200 })
  })
})

describe('A connection', () => {
  test.each([
    ['HTTP/1.1 200 OK\r\n', true],
    ['HTTP/1.1 200 OK\r\nconnection: close\r\n', false],
    ['HTTP/1.1 200 OK\r\nConnection: x,\tCLOSE , y\r\n', false],
    ['HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: y,\r\n close\r\n', false],
    ['HTTP/1.1 200 OK\r\nkeep-alive: timeout=0\r\n', false],
    ['HTTP/1.1 200 OK\r\nkeep-alive: max=3, timeout=5\r\n', true],
    ['HTTP/1.0 200 OK\r\n', false],
    ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n', true],
  ])('A connection is kept after a whole response that allows it: %j', (head, isKept) => {
    expect(read(`${head}content-length: 2\r\n\r\nok`)).toMatchObject({ end: 'whole', isKept })
  })

  test('A connection is not kept after more than the response', () => {
    expect(read(`${withLines('')}\n`)).toMatchObject({ end: 'whole', body: 'ok', isKept: false })
    expect(read('HTTP/1.1 204 No Content\r\n\r\nx')).toMatchObject({ end: 'whole', body: '', isKept: false })
  })
})

describe('Responses that are too large', () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'
  const endless: [string, string, string, number][] = [
    ['empty lines', '', '\r\n', 0],
    ['interim answers', '', interim, 0],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n', 200],
    ['one header', 'HTTP/1.1 200 OK\r\nx: ', 'y', 200],
    ['folded lines', 'HTTP/1.1 200 OK\r\nx: a\r\n', ' b\r\n', 200],
    ['a reason', 'HTTP/1.1 200 ', 'O', 0],
    ['a body', 'HTTP/1.1 500 Oops\r\n\r\n', 'x', 500],
    ['a body of a length', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n', 'x', 200],
    ['chunks', chunked(''), '1\r\nx\r\n', 200],
    ['a chunk', chunked(`${'f'.repeat(300)}\r\n`), 'x', 200],
    ['an extension of a chunk', chunked('1;'), 'x', 200],
    ['the size of a chunk', chunked(''), '0', 200],
    ['trailers', chunked('0\r\n'), 'x: y\r\n', 200],
  ]

  test.each(endless)('A response with %s without end is too large', (_name, beginning, more, status) => {
    const text = beginning + more.repeat(Math.ceil(65_537 / more.length))
    expect(read(text)).toMatchObject({ end: 'answer_too_large', status })
    expect(readPieces(Array.from(text, (byte) => Buffer.from(byte, 'latin1')))).toMatchObject({
      end: 'answer_too_large',
      status,
    })
  })

  test('A response of one byte more than is allowed is too large', () => {
    const answer = `${interim}${withLines('')}`
    expect(read(answer, { maxBytes: answer.length })).toMatchObject({ end: 'whole', isKept: true })
    expect(read(answer, { maxBytes: answer.length - 1 })).toMatchObject({
      end: 'answer_too_large',
      status: 200,
      body: 'o',
    })
    expect(read(`${answer}!`, { maxBytes: answer.length })).toMatchObject({ end: 'whole', isKept: false })
  })
})

describe('A response in pieces', () => {
  const line = fc.constantFrom(
    ...['HTTP/1.1 200 OK', 'HTTP/1.1 103 Early Hints', 'HTTP/1.0 404 ', 'HTTP/1.1 101 X', 'HTTP/1.1 204', 'nonsense'],
    ...['content-length: 3', 'transfer-encoding: chunked', 'connection: close', 'X-A: b', ' folded', '\ttoo', ':', ''],
    ...['3', '3;ext', 'abc', '0', 'abcd', 'x: y'],
  )
  const ending = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\0\r\n')
  const anyAnswer = fc
    .array(fc.tuple(line, ending), { minLength: 1, maxLength: 14 })
    .map((lines) => lines.flat().join(''))
  const goodAnswer = fc
    .record({
      interims: fc.nat(3),
      chunks: fc.array(fc.string({ unit: 'binary-ascii', minLength: 1 })),
      extra: fc.nat(2),
    })
    .map(({ interims, chunks, extra }) => {
      const body = chunks.map((chunk) => `${chunk.length.toString(16)};x\r\n${chunk}\r\n`).join('')
      return `${'HTTP/1.1 100 Go on\r\n\r\n'.repeat(interims)}${chunked(`${body}0\r\nx: y\r\n\r\n`)}${'!'.repeat(extra)}`
    })
  const cuts = fc.array(fc.nat(400), { maxLength: 60 })

  function cutAt(text: string, places: number[]): Buffer[] {
    const bytes = Buffer.from(text, 'latin1')
    const sorted = [0, ...places.filter((place) => place < bytes.length).sort((a, b) => a - b), bytes.length]
    return sorted.slice(1).map((place, index) => bytes.subarray(sorted[index], place))
  }

  test.each([
    ['anything', anyAnswer],
    ['a good answer', goodAnswer],
  ])('A response is read alike however it is cut into pieces: %s', (_name, answer) => {
    fc.assert(
      fc.property(answer, cuts, fc.integer({ min: 1, max: 300 }), fc.boolean(), (text, places, maxBytes, isEnded) => {
        const { isKept: _, ...atOnce } = read(text, { maxBytes, isEnded })
        expect(readPieces(cutAt(text, places), { maxBytes, isEnded })).toMatchObject(atOnce)
      }),
      { numRuns: 2_000 },
    )
  })

  test('A response in pieces has the body that was sent, and the connection is kept unless more came', () => {
    fc.assert(
      fc.property(goodAnswer, cuts, (text, places) => {
        const { end, status } = readPieces(cutAt(text, places))
        expect({ end, status }).toEqual({ end: 'whole', status: 200 })
      }),
    )
  })

  test('A response of any bytes at all does not break the reader', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (pieces) => {
        const { end, status } = readPieces(
          pieces.map((piece) => Buffer.from(piece)),
          { isEnded: true },
        )
        expect([end, status]).toEqual([
          pieces.some(({ length }) => length > 0) ? expect.any(String) : 'connection_reset',
          0,
        ])
      }),
    )
  })
})
