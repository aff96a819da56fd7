// An OTLP collector that only counts, in a process of its own: it answers `port`, then `bytes` with what has arrived since it was asked.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let bytes = 0
const server = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => response.writeHead(200).end())
})
server.listen(0, '127.0.0.1')
const listening = once(server, 'listening')

process.on('message', async (question: 'port' | 'bytes') => {
  await listening
  const answer = question === 'port' ? (server.address() as AddressInfo).port : bytes
  if (question === 'bytes') bytes = 0
  process.send?.(answer)
})
