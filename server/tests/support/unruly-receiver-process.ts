import type { AddressInfo, Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Certified } from './certificates.ts'

/** Speaks HTTP by hand, so that it can speak it badly. */
const answers: Record<string, (socket: TLSSocket, request: string) => void> = {
  '/200': (socket) => socket.write(ok('fine')),
  '/204': (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  '/302': (socket) => socket.write('HTTP/1.1 302 Found\r\nlocation: /200\r\ncontent-length: 0\r\n\r\n'),
  '/410': (socket) => socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 4\r\n\r\ngone'),
  '/500': (socket) => socket.write('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 6\r\n\r\nbroken'),
  '/echo': (socket, request) => socket.write(ok(request)),
  '/connections': (socket) => socket.write(ok(JSON.stringify(connections))),
  '/close': (socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nuntil the end'),
  '/early-hints': (socket) => socket.write(`${earlyHints}${earlyHints}${ok('fine')}`),
  '/only-early-hints': (socket) => socket.write(earlyHints),
  '/continue': (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok('fine')}`),
  '/switch': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  '/silent': () => {},
  '/drip': (socket) => drip(socket, '200 OK'),
  '/drip-500': (socket) => drip(socket, '500 Internal Server Error'),
  '/endless': (socket) => pour(socket),
  '/cut-in-headers': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-'),
  '/cut-in-body': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
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
const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

function drip(socket: Socket, status: string) {
  socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 100000\r\n\r\n`)
  const timer = setInterval(() => socket.write('.'), 10)
  socket.on('close', () => clearInterval(timer))
}

function pour(socket: Socket) {
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  const fill = () => {
    while (!socket.destroyed && socket.write('.'.repeat(16_384)));
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
    answers[path]?.(socket, request)
    request = ''
  })
}

process.once('message', ({ certificate, privateKey }: Certified) => {
  const server = createServer({ cert: certificate, key: privateKey }, serve)
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
})
process.on('disconnect', () => process.exit())
