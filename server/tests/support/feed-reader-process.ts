// Reads the feed of an organization page by page until it gets SIGTERM, and then to its end. Prints a line for each event.
import { setTimeout as wait } from 'node:timers/promises'

type Task = { baseUrl: string; headers: Record<string, string>; limit: number }

const { baseUrl, headers, limit }: Task = JSON.parse(process.argv[2] ?? '')
let isOver = false
process.on('SIGTERM', () => (isOver = true))
console.log('reads')
for (let after = ''; ; ) {
  const isLast = isOver
  const response = await fetch(`${baseUrl}/events?limit=${limit}${after && `&after=${after}`}`, { headers })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const { result, meta } = (await response.json()) as { result: unknown[]; meta: { next: string; has_more: boolean } }
  for (const event of result) console.log(JSON.stringify(event))
  after = meta.next
  if (isLast && !meta.has_more) break
  if (!meta.has_more) await wait(10)
}
