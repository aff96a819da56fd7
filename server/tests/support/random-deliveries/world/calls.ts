import { makeRequests, type Prepared } from '../../../../src/delivery/queue/attempt.ts'
import type { AttemptEnd, Settlement } from '../../../../src/delivery/queue/delivery.ts'
import { settlementOf } from '../../../../src/delivery/queue/outcome.ts'
import { createRequests } from '../../../../src/delivery/queue/sender/thread.ts'
import type { OutboundRequest, Outcome } from '../../../../src/ground/outbound/index.ts'
import { untraced } from '../../../../src/ground/runtime/tracer.ts'
import { rules } from '../rules.ts'
import { baseUrl, ignored, type World } from './world.ts'

/** Of a call: at this pace a healthy receiver may have twice its calls in flight, and a slow one its calls alone. */
const durationMs = { healthy: 900, slow: 1_000 }

export const answered = (status: number, pace: keyof typeof durationMs = 'healthy'): Outcome => ({
  kind: 'answered',
  status,
  headers: {},
  durationMs: durationMs[pace],
  answer: '',
  truncated: false,
  isText: true,
})
export const failed: Outcome = { kind: 'failed', error: 'timeout', durationMs: durationMs.slow }

/** A call that was begun: `answer` is the receiver's. */
export type OpenCall = { call: OutboundRequest; answer: (outcome: Outcome) => void; settled: Promise<Settlement> }

/** Begins the call, or gives the settlement when it is not made. */
export function begin({ clock }: World, prepared: Prepared): OpenCall | Promise<Settlement> {
  const [made] = makeRequests([prepared], { clock, baseUrl, tracer: untraced })
  const { attempt, request } = made as NonNullable<typeof made>
  const receiver = Promise.withResolvers<Outcome>()
  const { promise: ended, resolve: end } = Promise.withResolvers<AttemptEnd>()
  let call: OutboundRequest | undefined
  const post = (sent: OutboundRequest) => {
    call = sent
    return receiver.promise
  }
  createRequests({
    egress: { post },
    limits: { perWebhook: 1, perOrganization: 1, total: 1 },
    onBegun: ignored,
    onSetAside: ignored,
    onEnded: (_: number, attemptEnd: AttemptEnd) => end(asSaid(attemptEnd)),
  }).add([{ ...request, id: 1 }])
  const settled = ended.then((attemptEnd) => settlementOf(attempt, attemptEnd, { clock, retry: rules.retry }))
  return call ? { call, answer: receiver.resolve, settled } : settled
}

/** The clock stands still from the request to the call, which takes as long as the receiver says. */
function asSaid(attemptEnd: AttemptEnd): AttemptEnd {
  if (attemptEnd.kind !== 'completed') return attemptEnd
  const observation = { ...attemptEnd.observation, tookMs: attemptEnd.outcome.durationMs }
  return { ...attemptEnd, afterMs: 0, observation }
}
