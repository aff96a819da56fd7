import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { Timestamp } from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { formatDuration, parseDuration } from '../../ground/runtime/duration.ts'
import type { CountEvents } from './count-events.ts'
import { Statistics, toStatistics } from './statistics-record.ts'
import { countUnfinished, findOldestDue, sumEnded, sumEvents } from './statistics-store.ts'

const minuteMs = 60_000
/** In one reply: a day by the minute. */
const maxPoints = 1_440

type Dependencies = {
  database: Database
  clock: Clock
  countEvents: Pick<CountEvents, 'countNow'>
  /** How long events are kept. */
  retentionMs: number
}

export const getStatistics = ({ database, clock, countEvents, retentionMs }: Dependencies) =>
  operation({
    id: 'getStatistics',
    method: 'GET',
    path: '/organizations/statistics',
    scope: ['deliveries:read', 'events:read'],
    tag: 'Events',
    summary: 'Count events, deliveries and sign-ins over time',
    description:
      'The span is divided into points of one `step`, the first of which begins at the last whole step before `since`; at most ' +
      '1,440 of them. Events count at the time of their id, deliveries when they ended, as the list of deliveries has them by ' +
      '`finished_since`: one that was delivered once more counts where it ended last. Hook runs are not among them, and logout tokens apart. ' +
      'Deliveries that ended before this service counted them by the minute are missing. Where more than 20,000 events are new, the ' +
      'newest of them count some minutes later.',
    query: Type.Object({
      since: { ...Timestamp, description: 'The first moment of the span, at most as long ago as events are kept.' },
      until: Type.Optional({ ...Timestamp, description: 'The moment at which the span is over; absent: now.' }),
      step: Type.String({
        description: 'The time of one point: whole minutes, as a Go duration.',
        examples: ['5m'],
      }),
    }),
    result: Statistics,
    handle: async ({ organizationId, query }) => {
      const now = clock.now()
      const span = readSpan(query, now, retentionMs)
      await countEvents.countNow(organizationId)
      const { pages } = database
      const [events, ended, unfinished, oldestDue] = await Promise.all([
        sumEvents(pages, organizationId, span),
        sumEnded(pages, organizationId, span),
        countUnfinished(pages, organizationId),
        findOldestDue(pages, organizationId, toTimestamp(now)),
      ])
      return toStatistics(span, { events, ended, unfinished, oldestDue })
    },
  })

type Asked = { since: string; until?: string; step: string }

/** Throws a 400 with all that is wrong. */
function readSpan(asked: Asked, now: number, retentionMs: number) {
  const stepMs = parseDuration(asked.step) ?? 0
  if (stepMs < minuteMs || stepMs % minuteMs !== 0)
    throw badRequest('invalid_value', 'step: must be a duration of whole minutes, such as 1m, 5m or 1h')
  const until = asked.until === undefined ? now : Date.parse(asked.until)
  const since = Math.floor(Date.parse(asked.since) / stepMs) * stepMs
  const points = Math.ceil((until - since) / stepMs)
  const askedPoints = Math.ceil((until - Date.parse(asked.since)) / stepMs)
  const problems = [
    ...(Date.parse(asked.since) < now - retentionMs
      ? [`since: must be at most ${formatDuration(retentionMs)} ago, for so long events are kept`]
      : []),
    ...(Date.parse(asked.since) > until ? ['since: must not be after until'] : []),
    ...(askedPoints > maxPoints
      ? [`step: must be longer, for there are ${askedPoints} of it from since to until, and at most ${maxPoints}`]
      : []),
  ]
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
  return {
    since: toTimestamp(since),
    until: toTimestamp(until),
    step: formatDuration(stepMs),
    stepSeconds: stepMs / 1000,
    points: Math.max(0, points),
  }
}
