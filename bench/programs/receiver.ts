// A part of the benchmarks of delivery, in a process of its own: an HTTPS receiver, and the cheapest there is, for it takes
// its share of the processors from what is measured. Its path says how it behaves: `/20ms/…` answers after 20 ms,
// `/silent/…` never, and `/1-in-20-silent/…` or `/1-in-20-500/…` so for one in twenty, again and again.
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Certified } from '../../scripts/certificates.ts'
import { monotonicMs } from '../support/monotonic.ts'

/** Paths and subs of what arrived first when; a delivery that comes again is not counted again. */
export type ReceiverOrder = 'port' | 'forget' | 'tell' | 'spent' | 'disturbed' | { until: number } | { spansOf: string }
export type Arrival = [place: string, at: number]
/** A request, from its arrival until it was answered or its connection ended. */
export type Span = [begun: number, ended: number]

const arrivals = new Map<string, number>()
/** Milliseconds from the first byte of each request until its answer was handed over. */
const spent: number[] = []
/** Paths and subs of what is not answered as it should be. */
const disturbed = new Set<string>()
const met = new Map<string, number>()
const spans = new Map<string, Span[]>()
let awaited = Number.POSITIVE_INFINITY

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const refusal = 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'

function beginSpan(path: string, socket: TLSSocket) {
  const span: Span = [monotonicMs(), Number.MAX_SAFE_INTEGER]
  const all = spans.get(path) ?? []
  spans.set(path, all)
  all.push(span)
  const end = () => {
    span[1] = Math.min(span[1], monotonicMs())
    socket.off('close', end)
  }
  socket.once('close', end)
  return end
}

function receive(path: string, body: string, beganAt: number, socket: TLSSocket) {
  const place = `${path} ${subOf(body)}`
  const [, every, way] = /^\/1-in-(\d+)-(\w+)\//.exec(path) ?? []
  if (!arrivals.has(place)) {
    arrivals.set(place, monotonicMs())
    const count = (met.get(path) ?? 0) + 1
    met.set(path, count)
    if (count % Number(every) === 0) disturbed.add(place)
  }
  if (arrivals.size >= awaited) tellLast()
  const end = every || path.startsWith('/silent/') ? beginSpan(path, socket) : () => {}
  if (path.startsWith('/silent/') || (way === 'silent' && disturbed.has(place))) return
  const delayMs = Number(/^\/(\d+)ms\//.exec(path)?.[1] ?? 0)
  const reply = () => {
    socket.write(disturbed.has(place) ? refusal : answer)
    end()
    spent.push(monotonicMs() - beganAt)
  }
  if (delayMs) setTimeout(reply, delayMs)
  else reply()
}

/** A JWT's claims, of which only this one is read. */
function subOf(token: string): string {
  const begin = token.indexOf('.') + 1
  const claims = Buffer.from(token.slice(begin, token.indexOf('.', begin)), 'base64url').toString('latin1')
  const at = claims.indexOf('"sub":"') + 7
  return claims.slice(at, at + 36)
}

function serve(socket: TLSSocket) {
  let text = ''
  let beganAt = 0
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (text === '') beganAt = monotonicMs()
    text += chunk.toString('latin1')
    const head = text.indexOf('\r\n\r\n')
    if (head < 0) return
    const end = head + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (text.length < end) return
    const path = text.slice(text.indexOf(' ') + 1, text.indexOf(' HTTP/'))
    const body = text.slice(head + 4, end)
    text = text.slice(end)
    receive(path, body, beganAt, socket)
  })
}

function tellLast() {
  awaited = Number.POSITIVE_INFINITY
  process.send?.(monotonicMs())
}

const orders = {
  port: () => process.send?.((server.address() as AddressInfo).port),
  forget: () => {
    for (const kept of [arrivals, disturbed, met, spans]) kept.clear()
    spent.length = 0
    process.send?.(true)
  },
  tell: () => process.send?.([...arrivals] satisfies Arrival[]),
  spent: () => process.send?.(spent),
  disturbed: () => process.send?.([...disturbed]),
}

const { certificate, privateKey } = JSON.parse(process.argv[2] ?? '') as Certified
const server = createServer({ cert: certificate, key: privateKey }, serve)
server.listen(0, '127.0.0.1', () => {
  process.on('message', (order: ReceiverOrder) => {
    if (typeof order === 'string') return orders[order]()
    if ('spansOf' in order) return void process.send?.(spans.get(order.spansOf) ?? [])
    awaited = order.until
    if (arrivals.size >= awaited) tellLast()
  })
})
process.on('disconnect', () => process.exit())
