import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createResponseReader } from '../../src/ground/outbound/response-reader.ts'
import { isLong } from '../support/form.ts'
import { chosen } from './support/form.ts'
import { type NodeReading, nodeReads } from './support/node-reads.ts'

const maxBytes = 65_536
/** For 200,000 answers. */
const patience = 900_000

const lines = (...each: string[]) => [...each, '', ''].join('\r\n')
const answers = [
  `${lines('HTTP/1.1 200 OK', 'Content-Length: 4')}fine`,
  `${lines('HTTP/1.1 200 OK', 'Content-Length: 4', 'Connection: close')}fine`,
  `${lines('HTTP/1.1 200 OK', 'Content-Type: application/json')}{"claims":{}}`,
  `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}4\r\nfine\r\n0\r\n\r\n`,
  `${lines('HTTP/1.1 201 Created', 'transfer-encoding: chunked')}2;a="b"\r\nfi\r\n0002\r\nne\r\n0\r\nX-Trailer: y\r\n\r\n`,
  `${lines('HTTP/1.1 100 Continue')}${lines('HTTP/1.1 103 Early Hints', 'Link: </a>')}${lines('HTTP/1.1 204 No Content')}`,
  `${lines('HTTP/1.0 404 Not Found', 'Keep-Alive: timeout=5', 'Connection: keep-alive', 'Content-Length: 0')}`,
  `${lines('HTTP/1.1 304 Not Modified', 'Content-Length: 10', 'ETag: "a"')}`,
  `${lines('HTTP/1.1 500 Internal Server Error', 'Content-Length: 2', 'X-Folded: a', ' b')}no`,
  `${lines('HTTP/1.1 200 OK', 'Content-Length: 4')}fine${lines('HTTP/1.1 200 OK', 'Content-Length: 5')}other`,
]
/** What separates one parser from another: of framing, of lines, and of numbers. */
const tokens = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0',
  '1',
  'f',
  'x',
  '+',
  '-',
  '0x',
  '\x0b',
  '\x80',
  '\xff',
  '\r\n\r\n',
  '\n\n',
  '\r\n ',
  '\n\t',
  '0\r\n\r\n',
  '\r\n0\r\n\r\n',
  'ffffffffffffffff',
  '1e3',
  '"',
  'HTTP/1.1 200 OK',
  'Content-Length: 4\r\n',
  'Content-Length: 5\r\n',
  'content-length:4\r\n',
  'Content-Length: 4, 4\r\n',
  'Content-Length : 4\r\n',
  'Content-Length: +4\r\n',
  'Content-Length: -1\r\n',
  'Content-Length:\r\n 4\r\n',
  'Content-Length: 18446744073709551620\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Transfer-Encoding: chunked, gzip\r\n',
  'Transfer-Encoding:\x0bchunked\r\n',
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding:\r\n chunked\r\n',
  ...['Transfer-Encoding: identity\r\n', 'Connection: close\r\n', 'Connection: keep-alive\r\n', 'Upgrade: x\r\n'],
]

/** `at` is a share of the answer's length. */
const change = fc.record({
  how: fc.constantFrom('insert', 'replace', 'remove', 'repeat', 'cut', 'line'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(12),
  token: fc.constantFrom(...tokens),
})

function apply(
  text: string,
  { how, at, length, token }: Record<'how' | 'token', string> & { at: number; length: number },
) {
  const from = Math.floor(at * text.length)
  const before = text.slice(0, from)
  if (how === 'insert') return before + token + text.slice(from)
  if (how === 'replace') return before + token + text.slice(from + token.length)
  if (how === 'remove') return before + text.slice(from + length)
  if (how === 'repeat') return before + text.slice(from, from + length) + text.slice(from)
  if (how === 'cut') return before
  // Among the header lines, where framing is said.
  const line = text.indexOf('\r\n', Math.min(from, text.indexOf('\r\n\r\n'))) + 2
  return text.slice(0, line) + token + text.slice(line)
}

const mutated = fc
  .tuple(fc.constantFrom(...answers), fc.array(change, { maxLength: 4 }))
  .map(([answer, changes]) => changes.reduce(apply, answer))

/** What a hook is answered, as the bytes arrive in the given pieces, and then the end of the connection. */
function read(pieces: Buffer[]) {
  const reader = createResponseReader({ maxBytes, keepBytes: maxBytes })
  let end: ReturnType<typeof reader.end> | undefined
  for (const piece of pieces) end ??= piece.length > 0 ? reader.read(piece) : undefined
  end ??= reader.end()
  const { kept, bytes } = reader.body()
  return { end, status: reader.status(), headers: reader.headers(), body: kept.toString('latin1'), bytes }
}

const cutAt = (bytes: Buffer, places: number[]): Buffer[] => {
  const sorted = [0, ...places.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}
const cut = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 })

// biome-ignore lint/suspicious/noControlCharactersInRegex: what it is about
const hasOddLines = (text: string) => /\n[\t ]|(?<!\r)\n|[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)
/**
 * What Signet reads and Node refuses, by the code of Node's parser. None of it is about where an answer ends: no code of a length, a
 * coding or a chunk may stand here.
 */
const onlyNodeRefuses: Record<string, { why: string; holdsFor: (text: string) => boolean }> = {
  HPE_INVALID_HEADER_TOKEN: {
    why: 'Servers in use fold header lines, end one with a bare line feed, or write control characters; no length may be said so.',
    holdsFor: hasOddLines,
  },
  HPE_CR_EXPECTED: {
    why: 'As above, in a line of which Node reads the value as it comes: it says nothing of a length.',
    holdsFor: (text) => /\nconnection:[^\r\n]*\n/i.test(text),
  },
  HPE_CLOSED_CONNECTION: {
    why: 'An interim answer does not close its connection, whatever it says.',
    holdsFor: (text) => /^HTTP\/1\.1 1\d\d.*\nconnection: close/is.test(text),
  },
}

function expectAgreement(ours: ReturnType<typeof read>, nodes: NodeReading, text: string) {
  if (ours.end !== 'whole') return
  const known = nodes.end === 'refused' ? onlyNodeRefuses[nodes.code] : undefined
  if (known?.holdsFor(text)) return
  expect(nodes).toEqual({ end: 'whole', status: ours.status, body: ours.body })
}

/** Pieces of one byte: nothing is ever read together. */
const inBytes = (bytes: Buffer): Buffer[] => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))

/** How many answers ended so, and how long the reader took for all of them and their pieces. */
function createFigures() {
  const counts: Record<string, number> = {}
  let answers = 0
  let ms = 0
  return {
    timed: <Result>(work: () => Result): Result => {
      const startedAt = performance.now()
      const result = work()
      ms += performance.now() - startedAt
      return result
    },
    count: (end: string) => {
      answers++
      counts[end] = (counts[end] ?? 0) + 1
    },
    counts,
    line: () =>
      `${answers} answers, each read four times, ${Math.round(answers / (ms / 1_000))} a second: ${JSON.stringify(counts)}`,
  }
}

test('An answer is read alike however it is cut, and ends where it ends for Node', { timeout: patience }, async () => {
  const { timed, count, counts, line } = createFigures()
  const property = fc.asyncProperty(mutated, cut, cut, async (text, some, others) => {
    const bytes = Buffer.from(text, 'latin1')
    const whole = timed(() => read([bytes]))
    for (const pieces of [cutAt(bytes, some), cutAt(bytes, others), inBytes(bytes)])
      expect(timed(() => read(pieces))).toEqual(whole)
    count(whole.end)
    expectAgreement(whole, await nodeReads(bytes), text)
  })
  await fc.assert(property, chosen(3_000, 200_000) as object)
  if (isLong) console.log(line())
  // Otherwise the changes are so many that nothing is tried behind the first line, or so few that all is well.
  for (const end of ['whole', 'bad_response', 'connection_reset']) expect(counts[end]).toBeGreaterThan(100)
})
