// A part of the benchmark of shares, in a process of its own: readers of event streams, who take what comes.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { Credentials } from '../support/exchange.ts'

/** `path`: of the stream, with the number of the reader behind it where `isNumbered`; `readers`: the credentials of each. */
export type CrowdOrder = { port: number; path: string; readers: Credentials[]; isNumbered?: boolean }

process.on('disconnect', () => process.exit())
process.on('message', async (order: CrowdOrder) => {
  await Promise.all(order.readers.map((reader, number) => read(order, reader, number)))
  process.send?.('open')
})

async function read({ port, path, isNumbered }: CrowdOrder, { organizationId, apiKey }: Credentials, number: number) {
  const headers = { 'service-orgid': organizationId, 'service-api-key': apiKey, accept: 'text/event-stream' }
  const request = get({ host: '127.0.0.1', port, path: path + (isNumbered ? number : ''), headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`the stream was refused: ${response.statusCode}`)
  response.resume()
}
