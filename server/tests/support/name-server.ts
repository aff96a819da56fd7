import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type NameServer = {
  /** For `Resolver.setServers`. */
  address: string
  /** How often the name was asked for, in whatever type. */
  countQuestions(name: string): number
  stop(): Promise<void>
}

/** What a name has, by type; a name without an entry does not exist, and `silent` gets no answer. */
type Zone = Record<string, { A?: string[] | 'silent'; AAAA?: string[] | 'silent' }>

const types: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' }

/** A name server on UDP, as much of RFC 1035 as a resolver asks for. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query, sender) => {
    const { name, type, end } = readQuestion(query)
    questions.push(name)
    const found = zone[name]?.[types[type] ?? 'A']
    if (found === 'silent') return
    socket.send(
      answer(query.subarray(0, end), zone[name] ? (found ?? []) : undefined, type),
      sender.port,
      sender.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    countQuestions: (name) => questions.filter((question) => question === name).length,
    stop: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** Labels, each behind its length, up to a length of 0; then type and class. */
function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Undefined addresses: there is no such name. */
function answer(question: Buffer, addresses: string[] | undefined, type: number): Buffer {
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2)
  header.writeUInt16BE(addresses?.length ?? 0, 6)
  header.fill(0, 8)
  const records = (addresses ?? []).map((address) => record(type, toBytes(address)))
  return Buffer.concat([header, question.subarray(12), ...records])
}

/** For the name of the question, for no time at all. */
function record(type: number, bytes: Buffer): Buffer {
  const head = Buffer.from('c00c00000001000000000000', 'hex')
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([head, bytes])
}

/** IPv6 in eight groups. */
const toBytes = (address: string): Buffer =>
  address.includes(':')
    ? Buffer.from(
        address
          .split(':')
          .map((group) => group.padStart(4, '0'))
          .join(''),
        'hex',
      )
    : Buffer.from(address.split('.').map(Number))
