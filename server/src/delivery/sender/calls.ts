/**
 * Signs and makes the calls that are ordered, as the caps allow. It knows no clock but the machine's, and asks no database.
 *
 * Its thread has a copy of its own of all that is loaded: `attempts`, for one, would take 17 MB and 0.2 s (measured).
 */

import { signJwt, type Unsigned } from '../../keys/index.ts'
import {
  type EgressClient,
  isSuccess,
  type OutboundRequest,
  type Outcome,
  type ShownOutcome,
} from '../../outbound/index.ts'
import { monotonicNow } from '../../runtime/clock.ts'
import { type AttemptEnd, type CallCaps, isOf, type ReleaseReason } from '../delivery.ts'
import { createCallSlots, createRunningTime, type WaitingCall } from './slots.ts'

/** What waits for a call for so long is released, unless it waits for nothing but a free slot, or its organization's share. */
const maxWaitMs = 1_000
/** From one tick to the next: what waits too long is released so much late at most. */
export const tickMs = 250
/** With the first of them, for a signature after another one takes little more than half the time (`signJwt`). */
const signedTogether = 16

/** What calls of a webhook that were claimed together have in common: one object, which a message has once. */
export type Terms = Pick<WaitingCall, 'organizationId' | 'webhookId' | 'isQuick' | 'room'> & {
  call: Omit<OutboundRequest, 'body'>
  key: Unsigned['key']
  /** When they were ordered, by `monotonicNow`. */
  since: number
  /** What is not begun so soon after that is released. */
  beginWithinMs: number
}

/** `payload`: of the token that is the body. */
export type Order = Pick<Unsigned, 'payload'> & { id: number; terms: Terms }

type Given = {
  egress: EgressClient
  caps: CallCaps
  onBegun: (id: number) => void
  onEnded: (id: number, end: AttemptEnd) => void
}

type Signed = { jwt: string } | { problem: string }

/** Failures of a call that are not the receiver's: it was not called for want of a socket, or a stop broke it off. */
const notTheReceivers: Record<string, ReleaseReason | undefined> = {
  no_descriptors: 'no_descriptors',
  stopped: 'interrupted',
}

export function createCalls({ egress, caps, onBegun, onEnded }: Given) {
  const time = createRunningTime(tickMs)
  const slots = createCallSlots(caps, time.now)

  const run = async (order: Order, sign: () => Signed) => {
    const { id, terms } = order
    const release = (reason: ReleaseReason, problem?: string) =>
      onEnded(id, { kind: 'released', reason, ...(problem && { problem }) })
    if (isLate(order)) return void release('too_late')
    const afterMs = waitedMs(order)
    const signed = sign()
    if ('problem' in signed) return void release('not_signed', signed.problem)
    const begunAt = time.now()
    const posted = egress.post({ ...terms.call, body: signed.jwt })
    onBegun(id)
    const outcome = await posted
    const reason = outcome.kind === 'failed' && notTheReceivers[outcome.error]
    if (reason) return void release(reason)
    const seen = { succeeded: isSuccess(outcome), tookMs: time.now() - begunAt }
    onEnded(id, { kind: 'called', afterMs, outcome: shown(outcome), seen })
    return seen
  }

  const toWaitingCall = (order: Order, sign: () => Signed): WaitingCall => ({
    ...laneOf(order.terms),
    isLate: () => isLate(order),
    run: () => run(order, sign),
    release: (reason, seen) => onEnded(order.id, { kind: 'released', reason, seen }),
  })

  return {
    add(orders: Order[]) {
      const calls = partsOf(orders).flatMap((part) => {
        const sign = signOnce(part)
        return part.map((order, index) => toWaitingCall(order, () => sign()[index] as Signed))
      })
      slots.add(calls)
    },
    /** Releases what is not begun of that webhook or organization. */
    revoke: (id: string) => slots.release('revoked', (call) => isOf(call, id)),
    /** To be called every `tickMs`: time goes on, and what has waited too long is released. */
    tick() {
      time.tick()
      slots.releaseSlow(maxWaitMs)
    },
    /** Releases all that is not begun. */
    releaseAll: () => slots.release('stopping', () => true),
  }
}

const waitedMs = ({ terms }: Order) => monotonicNow() - terms.since

const isLate = (order: Order) => waitedMs(order) > order.terms.beginWithinMs

const laneOf = ({ organizationId, webhookId, isQuick, room }: Terms) => ({ organizationId, webhookId, isQuick, room })

const partsOf = (orders: Order[]): Order[][] =>
  Array.from({ length: Math.ceil(orders.length / signedTogether) }, (_, n) =>
    orders.slice(n * signedTogether, (n + 1) * signedTogether),
  )

/** All of them, when the first is asked for. */
function signOnce(orders: Order[]): () => Signed[] {
  let signed: Signed[] | undefined
  return () => {
    signed ??= orders.map(signOrder)
    return signed
  }
}

function signOrder({ payload, terms }: Order): Signed {
  try {
    return { jwt: signJwt({ key: terms.key, payload }) }
  } catch (error) {
    return { problem: String(error) }
  }
}

/** An event needs no header of the answer. */
function shown(outcome: Outcome): ShownOutcome {
  if (outcome.kind === 'failed') return outcome
  const { headers: _, isText: __, ...rest } = outcome
  return rest
}
