import { dayMs, toTimestamp } from '../../ground/runtime/clock.ts'
import { findExpiringSecrets } from '../applications/index.ts'
import { findExpiringKeys } from '../organizations/index.ts'
import type { Find } from './finding.ts'

/** Somebody is told so long before, and so long after. */
const expiryNoticeMs = { before: 14 * dayMs, after: 7 * dayMs }

export const expiringKeys: Find = async ({ queries, organizationId, now, limit }) => {
  const keys = await findExpiringKeys(queries, organizationId, expirySpanAt(now, limit))
  return keys.map(({ id, name, ...times }) => ({
    since: sinceOf(times),
    target: { type: 'api_key', id, ...(name && { name }) },
    expires_at: times.expires_at,
  }))
}

export const expiringSecrets: Find = async ({ queries, organizationId, now, limit }) => {
  const secrets = await findExpiringSecrets(queries, organizationId, expirySpanAt(now, limit))
  return secrets.map(({ client_id, name, secret_id, ...times }) => ({
    since: sinceOf(times),
    target: { type: 'application', id: client_id, name },
    secret_id,
    expires_at: times.expires_at,
  }))
}

export const expirySpanAt = (now: number, limit: number) => ({
  from: toTimestamp(now - expiryNoticeMs.after),
  now: toTimestamp(now),
  until: toTimestamp(now + expiryNoticeMs.before),
  limit,
})

/** What is made for a shorter time is told of from the beginning. */
export const sinceOf = ({ created_at, expires_at }: { created_at: Date; expires_at: Date }) =>
  new Date(Math.max(created_at.getTime(), expires_at.getTime() - expiryNoticeMs.before))
