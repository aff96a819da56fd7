/**
 * Deliveries as 6.2 and the states of a delivery want them, in memory and without a worker: what is claimed and what the
 * receivers answer is told to the model, which says what becomes of it. Times are in milliseconds.
 */
export type Model = {
  webhooks: Webhook[]
  deliveries: Delivery[]
  /** How many triggers there have been. */
  triggers: number
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

/** `trigger`: of the delivery as it was claimed; redelivered meanwhile, it may have another one. */
export type Claim = {
  delivery: Delivery
  worker: string
  trigger: number | undefined
  number: number
  leaseEndsAt: number
  /** Whether it has a row in the queue: what is claimed on publish has none. */
  isQueued: boolean
}

export const createModel = (): Model => ({ webhooks: [], deliveries: [], triggers: 0 })

export const deliveriesOf = ({ deliveries }: Model, webhook: Webhook) =>
  deliveries.filter((delivery) => delivery.webhook === webhook)

export const pendingOf = (model: Model, webhook: Webhook) =>
  deliveriesOf(model, webhook).filter(({ status }) => status === 'pending')

export const inFlightOf = (model: Model, webhook: Webhook) =>
  deliveriesOf(model, webhook).filter(({ status }) => status === 'in_flight')

/** Pending again, and at once, with one window attempt less. What was never tried in its window keeps its place by age. */
export function putBack(delivery: Delivery, now: number) {
  delivery.windowAttempts -= 1
  const dueAt = delivery.windowAttempts === 0 ? Math.min(now, delivery.createdAt) : now
  Object.assign(delivery, { status: 'pending', claim: undefined, dueAt })
}

export function finish(delivery: Delivery, status: FinalStatus, reason: string | undefined, now: number) {
  Object.assign(delivery, { status, reason, claim: undefined, finishedAt: now })
  const { counts } = delivery.webhook
  const day = new Date(now).toISOString().slice(0, 10)
  const ofDay = counts.get(day) ?? { day, succeeded: 0, dropped: 0, cancelled: 0 }
  ofDay[status] += 1
  counts.set(day, ofDay)
}
