// A part of `npm run bench:management`, in a process of its own: the callers over HTTP. On a machine with few cores the
// load takes its share of them from the server, so it is the cheapest there is: kept connections, a request written as one
// text, and of the answer no more than the status and the length is read.
import { once } from 'node:events'
import { connect } from 'node:net'
import { clients, groupsToSet, groupToCreate, type Order, obeyOrders } from './support/rounds.ts'

/** Sends a request, and is done when the whole answer is there. Throws when that is not a success. */
type Exchange = (request: string) => Promise<void>

const connections = new Map<number, Exchange[]>()

obeyOrders(async (order) => {
  const exchanges =
    connections.get(order.port) ?? (await Promise.all(Array.from({ length: clients }, () => open(order))))
  connections.set(order.port, exchanges)
  const request = order.operation === 'create' ? creating(order) : setting(order)
  return (n, client) => (exchanges[client] as Exchange)(request(n))
})

const creating = (order: Order) => (n: number) =>
  textOf(order, 'POST /groups', { name: groupToCreate(order.series, n) })

const setting = (order: Order) => (n: number) => {
  const { personId, groups } = groupsToSet(order.personIds, n)
  return textOf(order, `PUT /persons/${personId}/groups`, { groups })
}

function textOf({ port, organizationId, apiKey }: Order, what: string, body: object): string {
  const json = JSON.stringify(body)
  return `${what} HTTP/1.1\r
host: localhost:${port}\r
service-orgid: ${organizationId}\r
service-api-key: ${apiKey}\r
content-type: application/json\r
content-length: ${json.length}\r
\r
${json}`
}

async function open({ port }: Order): Promise<Exchange> {
  let answer = ''
  let current = Promise.withResolvers<void>()
  const read = (bytes: number, buffer: Uint8Array) => {
    answer += (buffer as Buffer).toString('latin1', 0, bytes)
    if (!isWhole(answer)) return true
    if (answer.startsWith('HTTP/1.1 20')) current.resolve()
    else current.reject(new Error(answer))
    answer = ''
    return true
  }
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.alloc(65_536), callback: read },
  })
  await once(socket, 'connect')
  socket.on('close', () => current.reject(new Error('the server closed the connection')))
  return (request) => {
    current = Promise.withResolvers()
    socket.write(request, 'latin1')
    return current.promise
  }
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(answer)?.[1]
  return head >= 0 && answer.length >= head + 4 + Number(length)
}
