import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { createEgressClient } from '../../src/ground/outbound/index.ts'
import { createNameLookup } from '../../src/ground/outbound/name-lookup.ts'

/** Started with few descriptors: uses them up, calls, gives some back, and calls again. Tells how each call ended. */
const [ca = '', port = '', nameServer = ''] = JSON.parse(process.argv[2] ?? '[]') as string[]
const held: number[] = []

const egress = createEgressClient({
  resolve: new Map([[`receiver.test:${port}`, ['127.0.0.1']]]),
  allowCidrs: ['127.0.0.0/8'],
  maxConnections: 10,
  certificateAuthorities: [ca],
  lookUpName: createNameLookup([nameServer]),
})

async function call(host: string): Promise<string> {
  const url = `https://${host}:${port}/200`
  const outcome = await egress.post({
    url,
    keptFor: 'organization',
    headers: [],
    body: 'x',
    timeoutMs: 10_000,
    keepBodyBytes: 100,
  })
  return outcome.kind === 'failed' ? outcome.error : String(outcome.status)
}

function useUp() {
  try {
    for (;;) held.push(openSync(devNull, 'r'))
  } catch {}
}

const ends: string[] = []
for (const host of ['receiver.test', 'named.test']) {
  useUp()
  ends.push(await call(host))
  for (const descriptor of held.splice(0)) closeSync(descriptor)
  ends.push(await call(host))
}
process.stdout.write(JSON.stringify(ends))
await egress.close()
