// What it costs that a kept connection belongs to one organization, and that the end of TLS is seen: the egress client alone, against
// one receiver in another process. `npm run bench:kept-connections`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEgressClient } from '../server/src/ground/outbound/index.ts'
import { figureOf, show, table } from './support/figures.ts'
import { openReceivers } from './support/receivers.ts'

const requests = 4_000
const inFlight = 8
const rounds = 5
/** As many as the sender of deliveries keeps by default. */
const maxConnections = 2_048

await using cleanup = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'signet-bench-'))
cleanup.defer(() => rmSync(folder, { recursive: true }))
const receivers = await openReceivers(folder, cleanup)
const receiver = await receivers.start()
const { authority, resolve } = receivers.receiving()

type Way = { name: string; organizations: number; needsBody?: boolean }
const ways: Way[] = [
  { name: 'events, 1 organization', organizations: 1 },
  { name: 'events, 100 organizations in turn', organizations: 100 },
  { name: 'events, 1,000 organizations in turn', organizations: 1_000 },
  { name: 'hooks, 1 organization', organizations: 1, needsBody: true },
]

/** Microseconds of this process for each request, and requests each second. */
async function measure({ organizations, needsBody = false }: Way) {
  const egress = createEgressClient({
    resolve: new Map(resolve.map(([place, address]) => [place, [address]])),
    allowCidrs: [],
    maxConnections,
    certificateAuthorities: [authority],
  })
  let next = 0
  const work = async () => {
    while (next < requests) {
      const outcome = await egress.post({
        url: receiver.url('/'),
        keptFor: `${next++ % organizations}`,
        headers: ['content-type', 'application/jwt'],
        body: `${'x'.repeat(700)}.e30.x`,
        timeoutMs: 10_000,
        keepBodyBytes: 1_024,
        needsBody,
      })
      if (outcome.kind === 'failed') throw new Error(outcome.error)
    }
  }
  const before = process.cpuUsage()
  const beganAt = performance.now()
  await Promise.all(Array.from({ length: inFlight }, work))
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - beganAt) / 1_000
  await egress.close()
  return { microseconds: (user + system) / requests, rate: requests / seconds }
}

const found = ways.map(() => [] as Awaited<ReturnType<typeof measure>>[])
for (let round = 0; round <= rounds; round++)
  for (const [at, way] of ways.entries()) {
    const measured = await measure(way)
    // The first one warms up.
    if (round > 0) found[at]?.push(measured)
  }
console.log(
  table([
    ['to one origin', 'µs of processor a request', 'requests/s'],
    ...ways.map(({ name }, at) => [
      name,
      show(figureOf((found[at] ?? []).map(({ microseconds }) => microseconds))),
      show(figureOf((found[at] ?? []).map(({ rate }) => rate))),
    ]),
  ]),
)
