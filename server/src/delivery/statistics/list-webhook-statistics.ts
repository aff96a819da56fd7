import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { rule, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { type Clock, dayMs, hourMs, toTimestamp } from '../../ground/runtime/clock.ts'
import { formatDuration } from '../../ground/runtime/duration.ts'
import { NameFilter } from '../webhooks/index.ts'
import { toWebhookStatistics, WebhookStatistics } from './webhook-statistics-record.ts'
import { countChosen, pageOfIds, readWebhooks, type Sort, sorts, states } from './webhook-statistics-store.ts'

/** For an order by how attempts fared, which sums the counts of all webhooks: of 10,000 with four connections, 960,000 rows. */
const maxRankedMs = dayMs + hourMs

type Dependencies = { database: Database; clock: Clock; retentionMs: number }

export const listWebhookStatistics = ({ database, clock, retentionMs }: Dependencies) =>
  operation({
    id: 'listWebhookStatistics',
    method: 'GET',
    path: '/organizations/webhooks/statistics',
    scope: 'webhooks:read',
    tag: 'Webhooks',
    summary: 'List how the webhooks fare',
    description:
      'One item for each webhook: what it is, what waits for it, and how its attempts ended and how long they took, those for events and ' +
      'those of synchronous hooks apart. Every attempt counts, retries too, in the hour in which it ended; dry runs and test calls of ' +
      'a listener do not. Attempts that an earlier version of this service made are missing.',
    query: Type.Object({
      since: Type.Optional({
        ...Timestamp,
        description:
          'The first moment of the span, which begins with its whole hour (UTC): at most as long ago as events are kept, and at most 25 h ago with ' +
          '`sort` `p95` or `error_rate`; absent: 24 h ago.',
      }),
      webhook_id: Type.Optional({ ...Uuid, description: 'Only this webhook.' }),
      name: NameFilter,
      state: Type.Optional(
        Type.Enum([...states], {
          ...rule(`must be one of ${states.join(', ')}`),
          description:
            '`active`: only those that are enabled; `paused`: only those that are not; `failing`: only those that are enabled, and ' +
            'whose last attempt failed (`failing_since`).',
        }),
      ),
      sort: Type.Optional(
        Type.Enum([...sorts], {
          ...rule(`must be one of ${sorts.join(', ')}`),
          description:
            '`newest` (the default): the webhook that was created last first; `name`: by name; `p95`, `error_rate`: the slowest, or the one ' +
            'that fails most, first, by its events or its hooks, whatever is worse; `held`: the one with most deliveries held first.',
        }),
      ),
    }),
    result: WebhookStatistics,
    paged: true,
    handle: async ({
      organizationId,
      query: { limit, offset, sort = 'newest', webhook_id, name, state, ...asked },
    }) => {
      const since = readSince(asked.since, sort, { now: clock.now(), retentionMs })
      const filter = { webhookId: webhook_id?.toLowerCase(), name, state }
      const { pages } = database
      const [ids, totalCount] = await Promise.all([
        pageOfIds(pages, organizationId, { ...filter, sort, since }, { limit, offset }),
        countChosen(pages, organizationId, filter),
      ])
      const rows = await readWebhooks(pages, organizationId, ids, since)
      return { items: rows.map(toWebhookStatistics), totalCount }
    },
  })

type Kept = { now: number; retentionMs: number }

function readSince(asked: string | undefined, sort: Sort, { now, retentionMs }: Kept) {
  const since = asked === undefined ? now - Math.min(dayMs, retentionMs) : Date.parse(asked)
  if (since < now - retentionMs)
    throw badRequest(
      'invalid_value',
      `since: must be at most ${formatDuration(retentionMs)} ago, for so long events are kept`,
    )
  if (isRanked(sort) && since < now - maxRankedMs)
    throw badRequest('invalid_value', `since: must be at most ${formatDuration(maxRankedMs)} ago where sort is ${sort}`)
  return toTimestamp(Math.floor(since / hourMs) * hourMs)
}

const isRanked = (sort: Sort) => sort === 'p95' || sort === 'error_rate'
