// A part of `npm run bench -- isolation`, in a process of its own: clients that take more of the server than they should.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type UnrulyOrder = {
  port: number
  kind: 'none' | 'pipelining' | 'slow readers' | 'slow bodies'
  /** Requests on one connection, or slow clients. */
  count: number
  /** How long slow clients go on. */
  forMs: number
}

const largeAnswer = 'GET /docs/js/scalar.js'
const bodyBytes = 1_048_576
const smallBodyBytes = 4_000
const byteEveryMs = 100
/** For all answers to what was sent on one connection. */
const patienceMs = 60_000

const kinds: Record<UnrulyOrder['kind'], (order: UnrulyOrder) => Promise<void>> = {
  none: async () => {},
  pipelining: pipeline,
  'slow readers': (order) => hold(order, () => open(order.port, request(largeAnswer)).pause()),
  'slow bodies': (order) => hold(order, (n) => (n % 2 === 0 ? sendAllButOneByte : sendByteByByte)(order.port)),
}

process.on('disconnect', () => process.exit())
process.on('message', async (order: UnrulyOrder) => {
  await kinds[order.kind](order)
  process.send?.(true)
})

const request = (what: string, headers = '') => `${what} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`

function open(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1')
  // The server may end it.
  socket.on('error', () => {})
  socket.write(text, 'latin1')
  return socket
}

/** Until everything is answered, or the server has closed the connection. */
async function pipeline({ port, count }: UnrulyOrder) {
  const socket = open(port, request('GET /readyz').repeat(count))
  let answered = 0
  socket.setEncoding('latin1').on('data', (text: string) => {
    answered += text.split('HTTP/1.1 ').length - 1
    if (answered >= count) socket.destroy()
  })
  const timer = setTimeout(() => socket.destroy(), patienceMs)
  await once(socket, 'close')
  clearTimeout(timer)
}

async function hold({ count, forMs }: UnrulyOrder, openOne: (n: number) => Socket) {
  const sockets = Array.from({ length: count }, (_, n) => openOne(n))
  await new Promise((resolve) => setTimeout(resolve, forMs))
  for (const socket of sockets) socket.destroy()
}

const headOfBody = (bytes: number) =>
  request('POST /sdk/events', `content-type: application/json\r\ncontent-length: ${bytes}\r\n`)

const sendAllButOneByte = (port: number) => open(port, headOfBody(bodyBytes) + ' '.repeat(bodyBytes - 1)).resume()

function sendByteByByte(port: number): Socket {
  const socket = open(port, headOfBody(smallBodyBytes)).resume()
  const timer = setInterval(() => socket.write(' '), byteEveryMs)
  return socket.once('close', () => clearInterval(timer))
}
