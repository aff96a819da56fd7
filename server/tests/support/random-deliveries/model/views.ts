import { rules } from '../rules.ts'
import type { Delivery, Webhook } from './model.ts'

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
export const kept = ({
  webhook,
  eventId,
  status,
  reason,
  attemptsCount,
  log,
  dueAt,
  finishedAt,
  claim,
  createdAt,
}: Delivery) => ({
  webhook_id: webhook.id,
  event_id: eventId,
  status,
  reason: reason ?? null,
  attempts_count: attemptsCount,
  numbers: log,
  at: finishedAt ?? (claim?.isQueued === false ? createdAt + rules.leaseMs : claim?.leaseEndsAt) ?? dueAt,
})

export const keptCounts = ({ id, counts }: Webhook) =>
  [...counts.values()].flatMap(({ day, ...ofDay }) =>
    Object.entries(ofDay)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => ({ webhook_id: id, day, status, count })),
  )
