import fc from 'fast-check'
import { type Operation, operations } from './operations.ts'

const mostOperations = 24

const drawnOperation = fc.oneof(
  ...Object.entries(operations).map(([name, { weight, drawn }]) => ({
    weight,
    arbitrary: fc.record<object>(drawn).map((fields) => ({ do: name, ...fields }) as Operation),
  })),
)

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
  .tuple(fc.constantFrom([], becomingHealthy), fc.array(drawnOperation, { maxLength: mostOperations, size: 'max' }))
  .map((parts) => parts.flat())
