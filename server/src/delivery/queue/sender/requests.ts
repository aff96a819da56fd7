/**
 * Signs and sends requests as the concurrency limits allow. It knows no clock but the machine's, and asks no database. Its thread
 * loads a copy of all that is imported here, so that is little.
 */
import { signJwt, type Unsigned } from '../../../ground/keys/index.ts'
import {
  type EgressClient,
  isSuccess,
  type OutboundRequest,
  type Outcome,
  type ShownOutcome,
} from '../../../ground/outbound/index.ts'
import { monotonicNow } from '../../../ground/runtime/clock.ts'
import {
  type AttemptEnd,
  belongsTo,
  type Concurrency,
  type ConcurrencyLimits,
  type ReleaseReason,
} from '../delivery.ts'
import { createRequestSlots, type WaitingRequest } from './concurrency-limits.ts'

/** A request that waits so long is released, unless it only waits for a free slot or its organization's share. */
const maxWaitMs = 1_000
/** What waits too long is released so much late at most. */
export const tickMs = 250
/** A signature right after another takes little more than half the time (`signJwt`). */
const signedTogether = 16

/** What requests to a webhook that were claimed together have in common: one object, which a message contains once. */
export type RequestTemplate = Pick<WaitingRequest, 'organizationId' | 'webhookId' | 'isHealthy' | 'concurrency'> & {
  call: Omit<OutboundRequest, 'body' | 'keptFor'>
  key: Unsigned['key']
  /** When they were made, by `monotonicNow`. */
  since: number
  /** What is not begun so soon after that is released. */
  beginWithinMs: number
}

/** `payload`: of the token that is the body. */
export type SenderRequest = Pick<Unsigned, 'payload'> & { id: number; template: RequestTemplate; traceparent?: string }

type Options = {
  egress: EgressClient
  limits: ConcurrencyLimits
  onBegun: (id: number) => void
  onSetAside: (id: number, concurrency: Concurrency) => void
  onEnded: (id: number, end: AttemptEnd) => void
}

type OnSeen = Parameters<WaitingRequest['run']>[0]

export type Signed = { jwt: string } | { problem: string }

/** Failures that are not the receiver's: there was no socket for the request, or a stop broke it off. */
const ownFailures: Record<string, ReleaseReason | undefined> = {
  no_descriptors: 'no_descriptors',
  stopped: 'interrupted',
}

export function createRequests({ egress, limits, onBegun, onSetAside, onEnded }: Options) {
  const time = createRunningTime(tickMs)
  const slots = createRequestSlots(limits, time.now)

  const run = async (request: SenderRequest, sign: () => Signed, onSeen: OnSeen) => {
    const { id, template, traceparent } = request
    const release = (reason: ReleaseReason, problem?: string) =>
      onEnded(id, { kind: 'released', reason, ...(problem && { problem }) })
    if (isLate(request)) return void release('too_late')
    const afterMs = waitedMs(request)
    const signed = sign()
    if ('problem' in signed) return void release('not_signed', signed.problem)
    const begunAt = time.now()
    const { headers } = template.call
    const posted = egress.post({
      ...template.call,
      keptFor: template.organizationId,
      headers: traceparent ? [...headers, 'traceparent', traceparent] : headers,
      body: signed.jwt,
    })
    onBegun(id)
    const outcome = await posted
    const reason = outcome.kind === 'failed' && ownFailures[outcome.error]
    if (reason) return void release(reason)
    const observation = { succeeded: isSuccess(outcome), tookMs: time.now() - begunAt }
    onEnded(id, {
      ...{ kind: 'completed', afterMs, outcome: shown(outcome), observation },
      concurrency: onSeen(observation),
    })
  }

  const toWaiting = (request: SenderRequest, sign: () => Signed): WaitingRequest => ({
    ...laneOf(request.template),
    isLate: () => isLate(request),
    run: (onSeen) => run(request, sign, onSeen),
    onSetAside: (concurrency) => onSetAside(request.id, concurrency),
    release: (reason, observation) => onEnded(request.id, { kind: 'released', reason, observation }),
  })

  return {
    add(requests: SenderRequest[]) {
      const waiting = partsOf(requests).flatMap((part) => {
        const sign = signOnce(part)
        return part.map((request, index) => toWaiting(request, () => sign()[index] as Signed))
      })
      slots.add(waiting)
    },
    /** Releases what is not begun of that webhook or organization. */
    revoke: (id: string) => slots.release('revoked', (request) => belongsTo(request, id)),
    /** To be called every `tickMs`. */
    tick() {
      time.tick()
      slots.setAsideOverdue()
      slots.releaseSlow(maxWaitMs)
    },
    /** Releases all that is not begun. */
    releaseAll: () => slots.release('stopping', () => true),
  }
}

const waitedMs = ({ template }: SenderRequest) => monotonicNow() - template.since

const isLate = (request: SenderRequest) => waitedMs(request) > request.template.beginWithinMs

const laneOf = ({ organizationId, webhookId, isHealthy, concurrency }: RequestTemplate) => ({
  ...{ organizationId, webhookId, isHealthy, concurrency },
})

const partsOf = (requests: SenderRequest[]): SenderRequest[][] =>
  Array.from({ length: Math.ceil(requests.length / signedTogether) }, (_, n) =>
    requests.slice(n * signedTogether, (n + 1) * signedTogether),
  )

/** Signs all of them when the first signature is asked for. */
function signOnce(requests: SenderRequest[]): () => Signed[] {
  let signed: Signed[] | undefined
  return () => {
    signed ??= requests.map(({ payload, template: { key } }) => sign({ key, payload }))
    return signed
  }
}

/** Of requests, and of what `signatures.ts` hands over. */
export function sign(unsigned: Unsigned): Signed {
  try {
    return { jwt: signJwt(unsigned) }
  } catch (error) {
    return { problem: String(error) }
  }
}

/** An event needs no header of the response. */
function shown(outcome: Outcome): ShownOutcome {
  if (outcome.kind === 'failed') return outcome
  const { headers: _, isText: __, ...rest } = outcome
  return rest
}

/** A busy thread ticks so late at times; what is longer is a stall. */
const lateMs = 50

/**
 * Time in which a thread ran, in milliseconds. Of a stall (its process is stopped, its machine paused or busy with others) no more
 * than `intervalMs` and a little count: no receiver became slow meanwhile. To be ticked every `intervalMs`.
 */
export function createRunningTime(intervalMs: number) {
  let ticked = { ran: 0, at: performance.now() }
  const now = () => ticked.ran + Math.min(performance.now() - ticked.at, intervalMs + lateMs)
  return {
    now,
    tick() {
      ticked = { ran: now(), at: performance.now() }
    },
  }
}
