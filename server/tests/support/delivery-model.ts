/**
 * Deliveries as 6.2 and the states of a delivery want them, in memory and without a worker: what is claimed and what the
 * receivers answer is told to the model, which says what becomes of it. Times are in milliseconds.
 */
export const minuteMs = 60_000
export const dayMs = 86_400_000
export const rules = {
  retry: { initialMs: minuteMs, maxMs: 10 * minuteMs, windowMs: 30 * minuteMs },
  leaseMs: 25_000,
  /** Of a call that began, until its settlement: nothing is begun that could not end within the lease. */
  callMs: 10_500,
  cooldownMs: 1_000,
  pauseAfterMs: 5 * dayMs,
  retentionMs: 4 * dayMs,
  /** Calls of one webhook at once; of a healthy one twice as many are in flight. */
  callsAtOnce: 2,
  /** Failures in a row, after which it is called once at a time. */
  downAfter: 5,
}

export type Webhook = {
  id: string
  isThere: boolean
  /** Which trigger it has: one that was removed and added again is another one. */
  trigger: number | undefined
  pausedReason?: 'requested' | 'failing' | undefined
  resumedAt: number
  /** The first failure since the last success. */
  failingSince?: number | undefined
  cooldownUntil: number
  /** Whether its receiver answers, and at once. */
  isHealthy: boolean
  /** Failures since its last success, and how often it may be called at once. */
  failures: number
  callsAtOnce: number
  maxInFlight: number
  counts: Map<string, { day: string; succeeded: number; dropped: number; cancelled: number }>
}

export type Seen = 'healthy' | 'slow' | 'failed'
type FinalStatus = 'succeeded' | 'dropped' | 'cancelled'

export type Delivery = {
  webhook: Webhook
  eventId: string
  createdAt: number
  trigger: number | undefined
  status: 'pending' | 'in_flight' | FinalStatus
  reason?: string | undefined
  attemptsCount: number
  /** Numbers of the attempts whose end is known. */
  log: number[]
  dueAt: number
  finishedAt?: number | undefined
  windowAttempts: number
  /** When its first attempt began, of which somebody knows the end. */
  windowOpenedAt?: number | undefined
  /** By whom it is in flight. */
  claim?: Claim | undefined
  /** Whether its lane was woken for it; if not, it waits for the next sweep. */
  isWoken: boolean
}

type Published = { eventId: string; createdAt: number }

/** `trigger`: of the delivery as it was claimed; redelivered meanwhile, it may have another one. */
export type Claim = {
  delivery: Delivery
  worker: string
  trigger: number | undefined
  number: number
  leaseEndsAt: number
}

export function createModel() {
  const webhooks: Webhook[] = []
  const deliveries: Delivery[] = []
  let triggers = 0

  const of = (webhook: Webhook) => deliveries.filter((delivery) => delivery.webhook === webhook)
  const pendingOf = (webhook: Webhook) => of(webhook).filter(({ status }) => status === 'pending')
  const inFlightOf = (webhook: Webhook) => of(webhook).filter(({ status }) => status === 'in_flight')

  /** A webhook's calls are one worker's, as long as it has any. */
  const mayClaim = (webhook: Webhook, worker: string) =>
    webhook.isThere && !webhook.pausedReason && inFlightOf(webhook).every(({ claim }) => claim?.worker === worker)

  /** Half of its max in flight is left to what waits. */
  const mustClaimAsPublished = (webhook: Webhook, count: number, worker: string, now: number) =>
    mayClaim(webhook, worker) &&
    webhook.isHealthy &&
    webhook.cooldownUntil <= now &&
    inFlightOf(webhook).length + count <= webhook.maxInFlight / 2

  /** When a webhook that has nothing in flight must be claimed from. */
  const owedAt = (webhook: Webhook) =>
    Math.max(
      webhook.cooldownUntil,
      Math.min(...pendingOf(webhook).map((each) => (each.isWoken ? each.dueAt : Infinity))),
    )

  return {
    webhooks,
    deliveries,
    of,

    addWebhook(id: string): Webhook {
      const webhook: Webhook = {
        id,
        isThere: true,
        trigger: triggers++,
        counts: new Map(),
        isHealthy: false,
        failures: 0,
        callsAtOnce: rules.callsAtOnce,
        maxInFlight: rules.callsAtOnce,
        resumedAt: -Infinity,
        cooldownUntil: -Infinity,
      }
      webhooks.push(webhook)
      return webhook
    },

    removeWebhook(webhook: Webhook) {
      Object.assign(webhook, { isThere: false, trigger: undefined, pausedReason: undefined })
    },

    addTrigger(webhook: Webhook) {
      webhook.trigger ??= triggers++
    },

    /**
     * Gives what the worker that may claim on publish, if any, claims with it, and the webhooks that have what waits. `due`:
     * the lanes, by their webhooks, that are to be claimed from already, perhaps in vain.
     */
    publish(events: Published[], now: number, due: string[], worker?: string) {
      const claimed: Delivery[] = []
      const waiting: Webhook[] = []
      for (const webhook of webhooks.filter(({ trigger }) => trigger !== undefined)) {
        const mayClaimOnPublish = worker !== undefined && !due.includes(webhook.id)
        const isClaimed = mayClaimOnPublish && mustClaimAsPublished(webhook, events.length, worker, now)
        const published = events.map((event) => newDelivery(webhook, event, now))
        if (isClaimed) claimed.push(...published)
        else waiting.push(webhook)
        deliveries.push(...published)
      }
      return { claimed, waiting }
    },

    /** The lane of a webhook was woken. */
    wake(webhook: Webhook) {
      for (const delivery of of(webhook)) delivery.isWoken = true
    },

    /** What is wrong with a claim of these deliveries; undefined: nothing. */
    wrongWith(claimed: Delivery[], worker: string, now: number): string | undefined {
      if (claimed.some(({ status, dueAt }) => status !== 'pending' || dueAt > now)) return 'it was not due'
      if (claimed.some(({ webhook }) => !mayClaim(webhook, worker))) return 'its webhook rests, or is called by another'
      for (const webhook of webhooks) {
        const count = claimed.filter((delivery) => delivery.webhook === webhook).length
        if (count > 0 && count + inFlightOf(webhook).length > webhook.maxInFlight) return 'more than the limit'
        if (
          claimed.some(isFirstOf(webhook)) &&
          pendingOf(webhook).some((each) => isRetry(each, now) && !claimed.includes(each))
        )
          return 'a first attempt before one that is to be tried again'
        const isOwed = mayClaim(webhook, worker) && inFlightOf(webhook).length === 0 && owedAt(webhook) <= now
        if (isOwed && count === 0) return 'nothing of a webhook that has something due'
      }
      return undefined
    },

    /** When the next webhook must be claimed from. */
    nextDue: (worker: string) =>
      Math.min(
        ...webhooks
          .filter((webhook) => mayClaim(webhook, worker) && inFlightOf(webhook).length === 0)
          .map((webhook) => owedAt(webhook)),
      ),

    /** The first attempt, and the first one after a resumption, is to open the window. */
    claim(delivery: Delivery, worker: string, now: number): Claim {
      const isFirst = (delivery.windowOpenedAt ?? -Infinity) < delivery.webhook.resumedAt
      if (isFirst || delivery.windowOpenedAt === undefined) {
        delivery.windowOpenedAt = undefined
        delivery.windowAttempts = 0
      }
      delivery.windowAttempts += 1
      delivery.attemptsCount += 1
      delivery.status = 'in_flight'
      const { trigger, attemptsCount: number } = delivery
      delivery.claim = { delivery, worker, trigger, number, leaseEndsAt: now + rules.leaseMs }
      return delivery.claim
    },

    isCurrent: (claim: Claim) => claim.delivery.claim === claim,

    /** It was not called: as if it had not been claimed. */
    release(claim: Claim, now: number) {
      const { delivery } = claim
      if (delivery.claim !== claim) return
      delivery.attemptsCount -= 1
      putBack(delivery, now)
    },

    /** Nothing is called any more for a webhook or a trigger that is not there; undefined: it is called. */
    cancellation({ delivery: { webhook }, trigger }: Claim): string | undefined {
      if (!webhook.isThere) return 'webhook_deleted'
      return webhook.trigger === trigger ? undefined : 'trigger_deleted'
    },

    cancel(claim: Claim, reason: string, now: number) {
      if (claim.delivery.claim !== claim) return
      claim.delivery.attemptsCount -= 1
      finish(claim.delivery, 'cancelled', reason, now)
    },

    /** What the receiver answered to a call that began at `startedAt`. Who comes late changes nothing. */
    answer(claim: Claim, seen: Seen, startedAt: number, now: number) {
      const { delivery } = claim
      if (delivery.claim !== claim) return
      delivery.log.push(claim.number)
      see(delivery.webhook, seen, now)
      if (seen !== 'failed') return finish(delivery, 'succeeded', undefined, now)
      const { initialMs, maxMs, windowMs } = rules.retry
      const next = startedAt + Math.min(initialMs * 2 ** (delivery.windowAttempts - 1), maxMs)
      delivery.windowOpenedAt ??= startedAt
      if (next > delivery.windowOpenedAt + windowMs) return finish(delivery, 'dropped', 'retry_window_over', now)
      delivery.status = 'pending'
      delivery.claim = undefined
      delivery.dueAt = next
    },

    /** An attempt that nobody knows the end of keeps its number, and takes nothing from the window. */
    rescue(now: number) {
      for (const delivery of deliveries)
        if (delivery.claim && delivery.claim.leaseEndsAt < now) {
          delivery.isWoken = true
          putBack(delivery, now)
        }
    },

    sweep(now: number) {
      for (const delivery of deliveries.filter(({ status }) => status === 'pending')) {
        delivery.isWoken = true
        if (!delivery.webhook.isThere) finish(delivery, 'cancelled', 'webhook_deleted', now)
      }
    },

    expire(now: number) {
      for (const delivery of deliveries)
        if (delivery.status === 'pending' && delivery.createdAt < now - rules.retentionMs)
          finish(delivery, 'dropped', 'expired', now)
    },

    pause(webhook: Webhook) {
      webhook.pausedReason ??= 'requested'
    },

    resume(webhook: Webhook, now: number) {
      if (!webhook.pausedReason) return
      Object.assign(webhook, {
        pausedReason: undefined,
        resumedAt: now,
        failingSince: undefined,
        cooldownUntil: -Infinity,
        failures: 0,
        callsAtOnce: rules.callsAtOnce,
      })
      if (!webhook.isHealthy && webhook.maxInFlight === 1) webhook.maxInFlight = rules.callsAtOnce
      for (const delivery of pendingOf(webhook)) {
        delivery.dueAt = Math.min(delivery.dueAt, now)
        delivery.isWoken = true
      }
    },

    mayRedeliver: ({ webhook, finishedAt, createdAt }: Delivery, now: number) =>
      finishedAt !== undefined && webhook.trigger !== undefined && createdAt >= now - rules.retentionMs,

    redeliver(delivery: Delivery, now: number) {
      const trigger = delivery.webhook.trigger
      Object.assign(delivery, { status: 'pending', reason: undefined, finishedAt: undefined, dueAt: now, trigger })
      Object.assign(delivery, { windowAttempts: 0, windowOpenedAt: undefined, isWoken: false })
    },
  }
}

export type Model = ReturnType<typeof createModel>

const newDelivery = (webhook: Webhook, { eventId, createdAt }: Published, now: number): Delivery => ({
  webhook,
  eventId,
  createdAt,
  trigger: webhook.trigger,
  status: 'pending',
  attemptsCount: 0,
  log: [],
  dueAt: now,
  windowAttempts: 0,
  isWoken: false,
})

/** Pending again, and at once, with one window attempt less. What was never tried in its window keeps its place by age. */
function putBack(delivery: Delivery, now: number) {
  delivery.windowAttempts -= 1
  const dueAt = delivery.windowAttempts === 0 ? Math.min(now, delivery.createdAt) : now
  Object.assign(delivery, { status: 'pending', claim: undefined, dueAt })
}

function finish(delivery: Delivery, status: FinalStatus, reason: string | undefined, now: number) {
  Object.assign(delivery, { status, reason, claim: undefined, finishedAt: now })
  const { counts } = delivery.webhook
  const day = new Date(now).toISOString().slice(0, 10)
  const ofDay = counts.get(day) ?? { day, succeeded: 0, dropped: 0, cancelled: 0 }
  ofDay[status] += 1
  counts.set(day, ofDay)
}

const isFirstOf =
  (webhook: Webhook) =>
  (delivery: Delivery): boolean =>
    delivery.webhook === webhook && delivery.windowAttempts === 0
const isRetry = ({ windowAttempts, dueAt }: Delivery, now: number): boolean => windowAttempts > 0 && dueAt <= now

/** A receiver that fails again and again rests; one whose every call has failed for long enough is paused. */
function see(webhook: Webhook, seen: Seen, now: number) {
  if (seen !== 'failed') {
    webhook.failingSince = undefined
    webhook.failures = 0
    webhook.callsAtOnce = Math.min(webhook.callsAtOnce + 1, rules.callsAtOnce)
    webhook.isHealthy = seen === 'healthy'
    webhook.maxInFlight = webhook.callsAtOnce * (webhook.isHealthy ? 2 : 1)
    return
  }
  webhook.failures += 1
  webhook.callsAtOnce = Math.max(1, Math.floor(webhook.callsAtOnce / 2))
  const isDown = webhook.failures >= rules.downAfter
  if (isDown) webhook.cooldownUntil = now + rules.cooldownMs
  if (isDown) webhook.isHealthy = false
  webhook.maxInFlight = webhook.isHealthy ? 2 * webhook.callsAtOnce : isDown ? 1 : webhook.callsAtOnce
  if (webhook.failingSince !== undefined && webhook.failingSince < now - rules.pauseAfterMs)
    webhook.pausedReason ??= 'failing'
  webhook.failingSince ??= now
}

/** As its owner sees it. */
export const shown = ({ eventId, webhook, status, reason, attemptsCount, dueAt, finishedAt }: Delivery) => ({
  id: eventId,
  status: status === 'pending' && webhook.pausedReason ? 'held' : status,
  reason,
  attempts_count: attemptsCount,
  next_attempt_at: status === 'pending' && !webhook.pausedReason ? dueAt : undefined,
  finished_at: finishedAt,
})

/** As it is kept: `at` is when it is due, or its lease ends, or when it was finished. */
export const kept = ({ webhook, eventId, status, reason, attemptsCount, log, dueAt, finishedAt, claim }: Delivery) => ({
  webhook_id: webhook.id,
  event_id: eventId,
  status,
  reason: reason ?? null,
  attempts_count: attemptsCount,
  numbers: log,
  at: finishedAt ?? claim?.leaseEndsAt ?? dueAt,
})

export const keptCounts = ({ id, counts }: Webhook) =>
  [...counts.values()].flatMap(({ day, ...ofDay }) =>
    Object.entries(ofDay)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => ({ webhook_id: id, day, status, count })),
  )
