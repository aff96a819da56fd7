import type { Seen } from './attempt.ts'
import { type CallCaps, halfOf } from './call-caps.ts'

/** `isProven`: the receiver's last call succeeded. */
export type WaitingCall = {
  organizationId: string
  webhookId: string
  isProven: boolean
  /** Makes the call and gives whether it succeeded, null when it was not made. Never rejects. */
  run: () => Promise<boolean | null>
  /** It will not be called after all. */
  giveBack: (seen?: Seen) => void
}

/** `since`: of the process's own time, in milliseconds. */
type Waiting = WaitingCall & { since: number }
type Lane = { organizationId: string; isProven: boolean; calls: number; waiting: Waiting[] }

/**
 * Begins calls as the caps allow, webhooks in turn. A receiver that is not proven gets one call at a time, and all of
 * those together at most half of the slots: a thousand dead receivers leave the other half to the living.
 *
 * What waits here is bounded by whoever adds (see `held.ts`).
 */
export function createCallSlots(caps: CallCaps) {
  const lanes = new Map<string, Lane>()
  const callsOf = new Map<string, number>()
  const maxUnproven = halfOf(caps.inAll)
  let calls = 0
  let unprovenCalls = 0

  const mayBegin = ({ organizationId, isProven, calls: own, waiting }: Lane) =>
    waiting.length > 0 &&
    own < (isProven ? caps.perWebhook : 1) &&
    (callsOf.get(organizationId) ?? 0) < caps.perOrganization &&
    (isProven || unprovenCalls < maxUnproven)

  const count = (organizationId: string, isProven: boolean, change: 1 | -1) => {
    calls += change
    if (!isProven) unprovenCalls += change
    const ofOrganization = (callsOf.get(organizationId) ?? 0) + change
    if (ofOrganization > 0) callsOf.set(organizationId, ofOrganization)
    else callsOf.delete(organizationId)
  }

  const begin = async (webhookId: string, lane: Lane) => {
    const call = lane.waiting.shift() as Waiting
    const { organizationId, isProven } = lane
    count(organizationId, isProven, 1)
    lane.calls += 1
    // To the end of the turn.
    lanes.delete(webhookId)
    lanes.set(webhookId, lane)
    const succeeded = await call.run()
    count(organizationId, isProven, -1)
    lane.calls -= 1
    lane.isProven = succeeded ?? lane.isProven
    forgetIfEmpty(webhookId, lane)
    beginAll()
  }

  const forgetIfEmpty = (webhookId: string, lane: Lane) => {
    if (lane.calls === 0 && lane.waiting.length === 0) lanes.delete(webhookId)
  }

  /** A lane that begins a call goes to the end and is met again, so one round is as many turns as there are slots. */
  const beginAll = () => {
    for (const [webhookId, lane] of lanes) {
      if (calls >= caps.inAll) return
      if (mayBegin(lane)) void begin(webhookId, lane)
    }
  }

  return {
    add(added: WaitingCall[]) {
      const since = performance.now()
      for (const call of added) {
        const { organizationId, webhookId, isProven } = call
        const lane = lanes.get(webhookId) ?? { organizationId, isProven, calls: 0, waiting: [] }
        lane.waiting.push({ ...call, since })
        lanes.set(webhookId, lane)
      }
      beginAll()
    },

    /** What was `seen` of their receivers goes with them. */
    giveBack(isMeant: (waiting: Waiting) => boolean, seen?: Seen) {
      for (const [webhookId, lane] of lanes) {
        const { true: meant = [], false: others = [] } = Object.groupBy(lane.waiting, (each) => `${isMeant(each)}`)
        lane.waiting = others
        for (const each of meant) each.giveBack(seen)
        forgetIfEmpty(webhookId, lane)
      }
    },
  }
}
