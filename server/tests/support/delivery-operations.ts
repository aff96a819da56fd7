import fc from 'fast-check'
import { dayMs, minuteMs, rules } from './delivery-model.ts'

/** The operations that a random sequence is made of. */
const mostOperations = 24

const nth = fc.nat({ max: 7 })
const either = fc.nat({ max: 1 })
const passing = [
  1_000,
  30_000,
  minuteMs,
  2 * minuteMs,
  4 * minuteMs,
  10 * minuteMs,
  31 * minuteMs,
  dayMs,
  5 * dayMs,
  5 * dayMs,
]
const answer = fc.constantFrom(200, 204, 'slow' as const, 302, 500, 500, 'timeout' as const)

/** How often each is drawn, and with what. */
const operations = fc.oneof(
  draw(9, 'publish', {
    count: fc.integer({ min: 1, max: 3 }),
    isLost: fc.nat({ max: 3 }).map((chance) => chance === 3),
    by: fc.constantFrom(undefined, 0, 1),
  }),
  draw(20, 'attempt', { worker: either, answer, times: fc.constantFrom(1, 1, 1, 2, 6) }),
  draw(5, 'claim', { worker: either, isCalled: fc.boolean() }),
  draw(7, 'call', { nth }),
  draw(9, 'answer', { nth, answer }),
  draw(1, 'crash', { worker: either }),
  draw(2, 'pause', { webhook: either }),
  draw(2, 'resume', { webhook: either }),
  draw(1, 'removeTrigger', { webhook: either }),
  draw(1, 'addTrigger', { webhook: either }),
  draw(2, 'replaceTrigger', { webhook: either }),
  draw(1, 'replaceWebhook', { webhook: either }),
  draw(3, 'redeliver', { nth }),
  draw(1, 'rotate', {}),
  draw(5, 'sweep', { ms: fc.constantFrom(0, rules.leaseMs + 1) }),
  draw(2, 'expire', {}),
  draw(5, 'pass', { ms: fc.constantFrom(...passing) }),
  draw(2, 'wait', { worker: either }),
)

function draw<Name extends string, Fields extends object>(
  weight: number,
  name: Name,
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
) {
  return { weight, arbitrary: fc.record(fields).map((values) => ({ do: name, ...(values as Fields) })) }
}

export type Operation = typeof operations extends fc.Arbitrary<infer Drawn> ? Drawn : never

/** After these both receivers are healthy, and what is published is claimed with it. */
const becomingHealthy: Operation[] = [
  { do: 'publish', count: 1, isLost: false, by: undefined },
  { do: 'attempt', worker: 0, answer: 200, times: 1 },
]
/** A receiver that failed, and cools down, and then answered an earlier call: few sequences come upon it. */
export const coolingDownThoughHealthy: Operation[] = [
  { do: 'removeTrigger', webhook: 1 },
  ...becomingHealthy,
  { do: 'publish', count: 2, isLost: false, by: undefined },
  { do: 'claim', worker: 0, isCalled: true },
  { do: 'answer', nth: 0, answer: 500 },
  { do: 'answer', nth: 0, answer: 200 },
  { do: 'publish', count: 1, isLost: false, by: 0 },
]
/** A worker that comes late with a claim for a trigger that was replaced, while its delivery is there again for the new one. */
export const lateForAnOlderTrigger: Operation[] = [
  ...becomingHealthy,
  { do: 'attempt', worker: 0, answer: 200, times: 1 },
  { do: 'publish', count: 1, isLost: false, by: 0 },
  { do: 'replaceTrigger', webhook: 0 },
  { do: 'sweep', ms: 25_001 },
  { do: 'attempt', worker: 0, answer: 200, times: 1 },
  { do: 'redeliver', nth: 0 },
  { do: 'redeliver', nth: 4 },
  { do: 'call', nth: 0 },
]
export const playable = fc
  .tuple(fc.constantFrom([], becomingHealthy), fc.array(operations, { maxLength: mostOperations, size: 'max' }))
  .map((parts) => parts.flat())
