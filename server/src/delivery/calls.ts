/**
 * Signs and makes the calls that are ordered, as the caps allow. It knows no clock but the machine's, and asks no database.
 *
 * Its thread has a copy of its own of all that is loaded: `attempts`, for one, would take 17 MB and 0.2 s (measured).
 */
import { monotonicNow } from '../clock.ts'
import { signJwt, type Unsigned } from '../keys/index.ts'
import { type Call, type Door, isSuccess, type Outcome, type ShownOutcome } from '../outbound/index.ts'
import type { CallCaps } from './call-caps.ts'
import { type CallSeen, createCallSlots, type Seen, type WaitingCall } from './call-slots.ts'
import { isOf } from './lane-key.ts'
import { createRunningTime } from './running-time.ts'

/** What waits for a call for so long is handed back, unless it waits for nothing but a free slot, or its organization's share. */
const maxWaitMs = 1_000
/** From one tick to the next: what waits too long is handed back so much late at most. */
export const tickMs = 250
/** With the first of them, for a signature after another one takes little more than half the time (`signJwt`). */
const signedTogether = 16

/** What calls of a webhook that were claimed together have in common: one object, which a message has once. */
export type Terms = Pick<WaitingCall, 'organizationId' | 'webhookId' | 'isQuick' | 'room'> & {
  call: Omit<Call, 'body'>
  key: Unsigned['key']
  /** When they were ordered, by `monotonicNow`. */
  since: number
  /** What is not begun so soon after that is handed back. */
  beginWithinMs: number
}

/** `payload`: of the token that is the body. */
export type Order = Pick<Unsigned, 'payload'> & { id: number; terms: Terms }

export type End =
  /** `afterMs`: from the order to the call. */
  | { kind: 'called'; afterMs: number; outcome: ShownOutcome; seen: CallSeen }
  | { kind: 'handed_back'; seen?: Seen | undefined }
  | { kind: 'not_signed'; problem: string }
  /** For want of a socket: the receiver was not called. */
  | { kind: 'no_descriptors' }

type Given = {
  door: Door
  caps: CallCaps
  onBegun: (id: number) => void
  onEnded: (id: number, end: End) => void
}

type Signed = { jwt: string } | { problem: string }

export function createCalls({ door, caps, onBegun, onEnded }: Given) {
  const time = createRunningTime(tickMs)
  const slots = createCallSlots(caps, time.now)

  const run = async (order: Order, sign: () => Signed) => {
    const { id, terms } = order
    if (isLate(order)) return void onEnded(id, { kind: 'handed_back' })
    const afterMs = waitedMs(order)
    const signed = sign()
    if ('problem' in signed) return void onEnded(id, { kind: 'not_signed', ...signed })
    const begunAt = time.now()
    const posted = door.post({ ...terms.call, body: signed.jwt })
    onBegun(id)
    const outcome = await posted
    if (outcome.kind === 'failed' && outcome.error === 'no_descriptors')
      return void onEnded(id, { kind: outcome.error })
    const seen = { succeeded: isSuccess(outcome), tookMs: time.now() - begunAt }
    onEnded(id, { kind: 'called', afterMs, outcome: shown(outcome), seen })
    return seen
  }

  const toWaitingCall = (order: Order, sign: () => Signed): WaitingCall => ({
    ...laneOf(order.terms),
    isLate: () => isLate(order),
    run: () => run(order, sign),
    handBack: (seen) => onEnded(order.id, { kind: 'handed_back', seen }),
  })

  return {
    add(orders: Order[]) {
      const calls = partsOf(orders).flatMap((part) => {
        const sign = signOnce(part)
        return part.map((order, index) => toWaitingCall(order, () => sign()[index] as Signed))
      })
      slots.add(calls)
    },
    /** Hands back what is not begun of that webhook or organization. */
    recall: (id: string) => slots.handBack((call) => isOf(call, id)),
    /** To be called every `tickMs`: time goes on, and what has waited too long is handed back. */
    tick() {
      time.tick()
      slots.handBackSlow(maxWaitMs)
    },
    /** Hands back all that is not begun. */
    handBackAll: () => slots.handBack(() => true),
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
