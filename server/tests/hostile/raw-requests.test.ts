import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultOfCodes } from '../support/codes.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { chosen } from './support/form.ts'
import { unreachedRates } from './support/rates.ts'
import { answersIn, type Spoken, speak } from './support/speak.ts'

/** For thousands of batches. */
const patience = 900_000
/** What is not answered by then hangs: its sender has said that nothing more comes. A busy machine takes its time. */
const closedWithinMs = 20_000
/** Connections at once. */
const batch = 16

let signet: OwnSignet
let organization: Organization

beforeAll(async () => {
  const env = { ...unreachedRates, SIGNET_ROLES: 'api' }
  signet = await startOwnSignet({ env })
  organization = await signet.organization()
})

afterAll(() => signet?.stop())

type Request = { line: string; headers: string[]; body: string }

const keyed = () => [`Service-OrgID: ${organization.id}`, `Service-API-Key: ${organization.apiKey}`]
const json = (body: string) => ['Content-Type: application/json', `Content-Length: ${body.length}`]
const group = '{"name":"raw","description":"x"}'
const requests = (): Request[] => [
  { line: 'GET /livez HTTP/1.1', headers: ['Host: a'], body: '' },
  { line: 'GET /groups?limit=1 HTTP/1.1', headers: ['Host: a', ...keyed()], body: '' },
  { line: 'POST /groups HTTP/1.1', headers: ['Host: a', ...keyed(), ...json(group)], body: group },
  {
    line: 'POST /groups HTTP/1.1',
    headers: ['Host: a', ...keyed(), 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
    body: `${group.length.toString(16)}\r\n${group}\r\n0\r\n\r\n`,
  },
  {
    line: 'POST /sdk/events HTTP/1.1',
    headers: ['Host: a', `Service-OrgID: ${organization.id}`, ...json('{}')],
    body: '{}',
  },
  {
    line: `POST /oidc/${organization.id}/token HTTP/1.1`,
    headers: ['Host: a', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 12'],
    body: 'grant_type=x',
  },
  { line: `GET /oidc/${organization.id}/authorize?client_id=x HTTP/1.1`, headers: ['Host: a'], body: '' },
  { line: 'GET /docs/ HTTP/1.1', headers: ['Host: a'], body: '' },
  { line: 'HEAD /livez HTTP/1.1', headers: ['Host: a'], body: '' },
  { line: 'OPTIONS /sdk/events HTTP/1.1', headers: ['Host: a', 'Origin: https://a.test'], body: '' },
]

const lines = [
  ...['Content-Length: 0', 'Content-Length: 3', 'Content-Length: 4, 4', 'Content-Length: +3', 'Content-Length: -1'],
  ...['Content-Length : 3', 'Content-Length: 99999999999999999999', 'Content-Length: 1048577', 'content-length:\t3'],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, identity'],
  ...['Transfer-Encoding : chunked', 'Transfer-Encoding:\x0bchunked', 'Transfer-Encoding: xchunked', 'TE: trailers'],
  ...[
    'Host: b',
    'Host:',
    'Host: a b',
    'Host: a\0b',
    ': no name',
    'no colon',
    ' folded',
    '\tfolded',
    'X-Bare: a\nX-Line: feed',
  ],
  ...[
    'Expect: 100-continue',
    'Expect: something',
    'Connection: close',
    'Connection: keep-alive, Host',
    'Upgrade: websocket',
  ],
  ...[
    'Connection: Upgrade',
    'Content-Type: application/json; charset=utf-7',
    'Content-Type: text/plain',
    'Content-Encoding: gzip',
  ],
  ...[
    'Accept: text/event-stream',
    'Accept: ,;q=',
    'Origin: null',
    'Cookie: =;;',
    'X-Forwarded-For: x, , 1',
    'X-Request-Id: \x7f',
  ],
  ...[
    'Service-OrgID: x',
    'Service-API-Key: \xff',
    'Service-Required-Consistency: x',
    'Idempotency-Key: \x01',
    'Range: bytes=0-',
  ],
  `X-Large: ${'x'.repeat(40_000)}`,
]
const targets = [
  ...[
    '*',
    '//',
    '/%',
    '/%00',
    '/%c0%80',
    '/groups/%ff',
    '/groups/..%2f..',
    '/groups/../livez',
    'http://a/livez',
    'http://',
    '/\0',
  ],
  ...[
    '/groups?limit=%ff',
    '/groups?limit=1&limit=2',
    '/groups?__proto__=1',
    '/groups?a[b]=c',
    `/groups?name=${'x'.repeat(9_000)}`,
  ],
  ...[
    '/groups;x',
    '/groups#x',
    '/\u00e9',
    '/livez ',
    'livez',
    `/${'a'.repeat(3_000)}`,
    `/persons/${'%41'.repeat(800)}`,
  ],
]
const methods = ['get', 'PUT', 'TRACE', 'CONNECT', 'PATCH', 'PROPFIND', 'G\0T', '', 'GET GET', 'PRI']
const versions = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/1.9', 'http/1.1', 'HTTP/1.1 ', '', 'HTTP/11']
const bodies = [
  '{',
  '\ufeff{}',
  '[]',
  'null',
  '"\\ud800"',
  '{"name":"\\u0000"}',
  '{"name":1e999}',
  '0',
  '\xff\xfe',
  '['.repeat(5_000),
]

type Change = (request: Request) => Request
const at = (share: number, list: unknown[]) => Math.floor(share * (list.length + 1))
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constantFrom(...lines), fc.double({ min: 0, max: 0.999, noNaN: true })).map(
    ([line, share]): Change =>
      (given) => ({ ...given, headers: given.headers.toSpliced(at(share, given.headers), 0, line) }),
  ),
  fc.nat(6).map(
    (index): Change =>
      (given) => ({ ...given, headers: given.headers.toSpliced(index, 1) }),
  ),
  fc.constantFrom(...targets).map(
    (target): Change =>
      (given) => ({ ...given, line: given.line.replace(/ .* /, () => ` ${target} `) }),
  ),
  fc.constantFrom(...methods).map(
    (method): Change =>
      (given) => ({ ...given, line: given.line.replace(/^\S+/, () => method) }),
  ),
  fc.constantFrom(...versions).map(
    (version): Change =>
      (given) => ({ ...given, line: given.line.replace(/\S+$/, () => version) }),
  ),
  fc.constantFrom(...bodies).map(
    (body): Change =>
      (given) => ({ ...given, body }),
  ),
  fc.constantFrom(...bodies).map(
    (body): Change =>
      (given) => {
        const headers = given.headers.map((line) =>
          line.replace(/^(content-length: ).*/i, `$1${Buffer.byteLength(body, 'latin1')}`),
        )
        return { ...given, headers, body }
      },
  ),
)

const written = ({ line, headers, body }: Request, lineEnd: string) => [line, ...headers, '', body].join(lineEnd)

/** Up to three requests on one connection, some of them spoilt, in pieces. */
const sent = fc
  .record({
    which: fc.array(fc.tuple(fc.nat(99), fc.array(change, { maxLength: 3 })), { minLength: 1, maxLength: 3 }),
    lineEnd: fc.oneof(
      { weight: 9, arbitrary: fc.constant('\r\n') },
      { weight: 1, arbitrary: fc.constantFrom('\n', '\r') },
    ),
    before: fc.oneof(
      { weight: 9, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('\r\n', '\0', '\x16\x03\x01', 'x') },
    ),
    behind: fc.constantFrom('', '', '\r\n', '0\r\n\r\n', 'GET / HTTP/1.1\r\n'),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
  })
  .map(({ which, lineEnd, before, behind, cuts }) => {
    const spoilt = which.map(([index, changes]) => {
      const all = requests()
      return written(
        changes.reduce((given, apply) => apply(given), all[index % all.length] as Request),
        lineEnd,
      )
    })
    const text = before + spoilt.join('') + behind
    return { text, cuts: cuts.map((share) => Math.floor(share * text.length)).sort((a, b) => a - b) }
  })

function piecesOf({ text, cuts }: { text: string; cuts: number[] }): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const places = [0, ...cuts, bytes.length]
  return places
    .slice(1)
    .map((end, index) => bytes.subarray(places[index], end))
    .filter(({ length }) => length > 0)
}

/** Answers to HEAD have no body, whatever their length says; a stream has no length. */
const isReadable = ({ text }: { text: string }) => !/HEAD |event-stream/.test(text)

function expectProper(request: { text: string }, { text, isOursToEnd, closedAfterMs }: Spoken) {
  const where = `to ${JSON.stringify(request)}: ${text}`
  expect(closedAfterMs, where).toBeLessThan(closedWithinMs)
  expect(text, where).not.toMatch(/^HTTP\/1\.1 50[024]/m)
  if (!isReadable(request)) return
  const said = answersIn(text)
  expect(said, where).toBeDefined()
  if (!isOursToEnd) expect(said?.unfinished, where).toBe('')
  for (const { status, headers, body } of said?.answers ?? []) {
    expect(headers.get('x-content-type-options'), where).toBe('nosniff')
    if (status >= 400 && headers.get('content-type')?.startsWith('application/json'))
      expect(faultOfCodes(headers.get('signet-error'), JSON.parse(body)), where).toBeUndefined()
    expect(body, where).not.toMatch(/ at .*\.ts:\d+|node_modules/)
  }
}

test('No bytes make the service fail, hang, or answer anything but HTTP', { timeout: patience }, async () => {
  const port = Number(new URL(signet.baseUrl).port)
  const property = fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: batch, size: 'max' }), async (all) => {
    const spoken = await Promise.all(all.map((each) => speak(port, piecesOf(each))))
    for (const [index, each] of all.entries()) expectProper(each, spoken[index] as Spoken)
    expect((await signet.call('GET', '/livez')).status).toBe(200)
  })
  await fc.assert(property, {
    ...(chosen(25, 1_000) as object),
    endOnFailure: true,
    interruptAfterTimeLimit: patience - 60_000,
  })
  expect(signet.output()).not.toContain('request failed')
  expect(signet.process.exitCode).toBeNull()
})
