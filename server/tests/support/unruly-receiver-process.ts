import { once } from 'node:events'
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Certified } from '../../../scripts/certificates.ts'
import type { Handshake } from './unruly-receiver.ts'

/** Under each TLS socket, by its remote port. */
const transports = new Map<number, Socket>()
/** Without a word of TLS. */
const cut = (socket: TLSSocket) => transports.get(socket.remotePort ?? 0)?.end()
const reset = (socket: TLSSocket) => transports.get(socket.remotePort ?? 0)?.resetAndDestroy()

/** Speaks HTTP by hand, so that it can speak it badly. */
const answers: Record<string, (socket: TLSSocket, request: string) => void> = {
  '/200': (socket) => socket.write(ok('fine')),
  '/204': (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  '/302': (socket) => socket.write('HTTP/1.1 302 Found\r\nlocation: /200\r\ncontent-length: 0\r\n\r\n'),
  '/410': (socket) => socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 4\r\n\r\ngone'),
  '/304': (socket) => socket.write('HTTP/1.1 304 Not Modified\r\n\r\n'),
  '/500': (socket) => socket.write('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 6\r\n\r\nbroken'),
  '/echo': (socket, request) => socket.write(ok(request)),
  '/connections': (socket) => socket.write(ok(JSON.stringify(connections))),
  '/close': (socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nuntil the end'),
  '/cut-at-end': (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nuntil the end', () => cut(socket)),
  '/cut-behind-whole': (socket) => socket.write(ok('fine'), () => cut(socket)),
  '/empty-lines': (socket) => socket.write(`\r\n\r\n${ok('fine')}`),
  '/early-hints': (socket) => socket.write(`${earlyHints}${earlyHints}${ok('fine')}`),
  '/only-early-hints': (socket) => socket.write(earlyHints),
  '/continue': (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok('fine')}`),
  '/switch': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  '/silent': () => {},
  '/drip': (socket) => drip(socket, body200, 10),
  '/drip-500': (socket) => drip(socket, body500, 10),
  '/drip-a-second': (socket) => drip(socket, body200, 1_000),
  '/drip-a-second-500': (socket) => drip(socket, body500, 1_000),
  '/drip-headers': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: ', 1_000),
  '/hang-in-headers': (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-'),
  '/hang-in-body': (socket) => socket.write(body200),
  '/hang-in-body-500': (socket) => socket.write(body500),
  '/endless': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n\r\n', '.'),
  '/endless-500': (socket) => pour(socket, 'HTTP/1.1 500 Internal Server Error\r\n\r\n', '.'),
  '/endless-early-hints': (socket) => pour(socket, '', earlyHints),
  '/endless-headers': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
  '/endless-header': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\nx: ', 'y'),
  '/endless-extension': (socket) => pour(socket, `${chunked}1;`, 'x'),
  '/endless-chunks': (socket) => pour(socket, chunked, '1;ext\r\nx\r\n'),
  '/endless-trailers': (socket) => pour(socket, `${chunked}0\r\n`, 'x: y\r\n'),
  '/endless-reason': (socket) => pour(socket, 'HTTP/1.1 200 ', 'O'),
  '/folded': (socket) => socket.write(withLine('X-Csp: a;\r\n b')),
  '/folded-by-line-feeds': (socket) => socket.write(withLine('X-Csp: a;\n\tb;\n  c')),
  '/two-lengths': (socket) => socket.write(withLine('content-length: 4')),
  '/length-and-chunks': (socket) => socket.write(withLine('transfer-encoding: chunked')),
  '/line-feed-in-chunks': (socket) => socket.write(`${chunked}4\nfine\n0\n\n`),
  '/chunks': (socket) => socket.write(`${chunked}2;x="y"\r\nfi\r\n2\r\nne\r\n0\r\nx: y\r\n\r\n`),
  '/close-unannounced': (socket) => socket.write(ok('fine'), () => setTimeout(() => socket.end(), 1)),
  '/reset-unannounced': (socket) => socket.write(ok('fine'), () => setTimeout(() => reset(socket), 1)),
  // Until the next request, which it reads and does not answer.
  '/last': (socket) => {
    socket.write(ok('fine'))
    socket.once('data', () => socket.end())
  },
  '/more-soon': (socket) => socket.write(ok('fine'), () => setTimeout(() => socket.write(ok('not asked for')), 1)),
  '/more-later': (socket) => socket.write(ok('fine'), () => setTimeout(() => socket.write(ok('not asked for')), 20)),
  '/cut-in-headers': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-'),
  '/cut-in-body': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
  '/reset': reset,
  '/reset-in-headers': (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-', () => reset(socket)),
  '/reset-in-body': (socket) => socket.write(body200, () => reset(socket)),
  '/reset-in-body-500': (socket) => socket.write(body500, () => reset(socket)),
  '/429-seconds': (socket) => tooMany(socket, '3600'),
  '/429-date': (socket) => tooMany(socket, new Date(Date.now() + 3_600_000).toUTCString()),
  '/429-past-date': (socket) => tooMany(socket, new Date(0).toUTCString()),
  '/429-nonsense': (socket) => tooMany(socket, 'soon'),
  '/429-negative': (socket) => tooMany(socket, '-1'),
  '/429-huge': (socket) => tooMany(socket, '9'.repeat(400)),
  '/429-empty': (socket) => tooMany(socket, ''),
  '/hang-up': (socket) => socket.destroy(),
  '/garbage': (socket) => socket.write('hello\r\n\r\n'),
  '/many-headers': (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x: 0123456789\r\n'.repeat(2_000)}\r\n`),
  '/smuggled': (socket) => socket.write(`${ok('fine')}${ok('not asked for')}`),
  '/euro': (socket) => socket.write(ok('\u20ac\u20ac')),
  '/binary': (socket) =>
    socket.write(
      Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n'), Buffer.of(0x61, 0xff, 0x00)]),
    ),
}

const earlyHints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
const body200 = 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nhalf'
const body500 = body200.replace('200 OK', '500 Internal Server Error')
const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const withLine = (line: string) => `HTTP/1.1 200 OK\r\n${line}\r\ncontent-length: 4\r\n\r\nfine`
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

const tooMany = (socket: Socket, retryAfter: string) =>
  socket.write(`HTTP/1.1 429 Too Many Requests\r\nretry-after: ${retryAfter}\r\ncontent-length: 0\r\n\r\n`)

function drip(socket: Socket, beginning: string, everyMs: number) {
  socket.write(beginning)
  const timer = setInterval(() => socket.write('.'), everyMs)
  socket.on('close', () => clearInterval(timer))
}

/** As fast as it is taken, without end. */
function pour(socket: Socket, beginning: string, again: string) {
  socket.write(beginning)
  const much = again.repeat(Math.ceil(16_384 / again.length))
  const fill = () => {
    while (!socket.destroyed && socket.write(much));
  }
  socket.on('drain', fill)
  fill()
}

const connections = { all: 0, open: 0 }

function serve(socket: TLSSocket) {
  connections.all++
  connections.open++
  socket.on('close', () => connections.open--)
  socket.on('error', () => {})
  let request = ''
  socket.on('data', (chunk) => {
    request += chunk.toString('latin1')
    const [, path = '', length] = /^POST (\S+) [\s\S]*\r\ncontent-length: (\d+)\r\n/.exec(request) ?? []
    if (!length || request.length < request.indexOf('\r\n\r\n') + 4 + Number(length)) return
    const received = request
    request = ''
    answers[path]?.(socket, received)
  })
}

/** What becomes of a connection instead of TLS. */
const handshakes: Record<Handshake, (socket: Socket) => void> = {
  silent: () => {},
  'closed at once': (socket) => socket.end(),
  'reset at once': (socket) => socket.resetAndDestroy(),
  'reset after hello': (socket) => socket.once('data', () => socket.resetAndDestroy()),
  'plain HTTP': (socket) => socket.once('data', () => socket.end(ok('fine'))),
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

process.once('message', async ({ certificate, privateKey }: Certified) => {
  const server = createServer({ cert: certificate, key: privateKey }, serve)
  server.on('connection', (transport: Socket) => {
    const { remotePort = 0 } = transport
    transports.set(remotePort, transport)
    transport.on('close', () => transports.delete(remotePort))
  })
  const withoutTls = Object.entries(handshakes).map(async ([name, treat]) => {
    const plain = createPlainServer((socket) => treat(socket.on('error', () => {})))
    return [name, await listen(plain)] as const
  })
  process.send?.({ port: await listen(server), ports: Object.fromEntries(await Promise.all(withoutTls)) })
})
process.on('disconnect', () => process.exit())
