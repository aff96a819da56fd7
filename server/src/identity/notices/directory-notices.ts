import { dayMs, toTimestamp } from '../../ground/runtime/clock.ts'
import { countActs } from '../audit-log/index.ts'
import { findExpiringTokens, namesOfDirectories } from '../directories/index.ts'
import { expirySpanAt, sinceOf } from './expiry-notices.ts'
import type { Find } from './finding.ts'
import { maxAdoptionsCounted } from './notice-record.ts'

/** What the audit log calls it. */
const adoption = 'adoptScimUser'
const toldForMs = 7 * dayMs

export const adoptions: Find = async ({ queries, organizationId, now, limit }) => {
  const names = await namesOfDirectories(queries, organizationId)
  const acts = await countActs(queries, organizationId, {
    action: adoption,
    actorIds: [...names.keys()],
    since: toTimestamp(now - toldForMs),
    most: maxAdoptionsCounted,
  })
  return acts
    .map(({ actorId: id, count, first }) => ({
      since: first,
      target: { type: 'directory' as const, id, name: names.get(id) ?? '' },
      adopted: count,
    }))
    .sort((one, other) => other.since.getTime() - one.since.getTime())
    .slice(0, limit)
}

export const expiringTokens: Find = async ({ queries, organizationId, now, limit }) => {
  const tokens = await findExpiringTokens(queries, organizationId, expirySpanAt(now, limit))
  return tokens.map(({ token_id, directory_id: id, name, ...times }) => ({
    since: sinceOf(times),
    target: { type: 'directory', id, name },
    token_id,
    expires_at: times.expires_at,
  }))
}
