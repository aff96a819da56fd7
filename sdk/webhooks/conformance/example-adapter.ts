// The adapter of the example receiver. `--without <check>` leaves a check out, to show that the kit sees it.
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { checks, ExampleReceiver, type Receiver, type Refused } from './example-receiver.ts'

type Question = Receiver & { id: number; now: number; body: string }

const { values } = parseArgs({ options: { without: { type: 'string', multiple: true, default: [] } } })
const unknown = values.without.find((name) => !checks.includes(name))
if (unknown !== undefined) throw new Error(`--without ${unknown}: must be one of ${checks.join(', ')}`)

/** By issuer: each case that begins without keys has its own. */
const receivers = new Map<string, ExampleReceiver>()

console.log(JSON.stringify({ library: 'example-receiver', version: '0.1.0', clock: 'given', codes: true }))
createInterface({ input: process.stdin }).on('line', async (line) => {
  const question: Question = JSON.parse(line)
  console.log(JSON.stringify({ id: question.id, ...(await answerTo(question)) }))
})

async function answerTo({ id: _, now, body, ...receiver }: Question) {
  const one = receivers.get(receiver.issuer) ?? new ExampleReceiver(receiver, values.without)
  receivers.set(receiver.issuer, one)
  return one.verify(body, now).then(
    () => ({ result: 'accepted' }),
    (error: Refused) => ({ result: 'refused', code: error.code }),
  )
}
