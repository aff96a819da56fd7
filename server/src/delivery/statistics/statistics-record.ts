import { Type } from 'typebox'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { finalStatuses } from '../queue/index.ts'
import {
  type countUnfinished,
  type EndedCount,
  type EventCount,
  type findOldestDue,
  maxCounted,
  type Span,
} from './statistics-store.ts'

const count = (description: string) => Type.Integer({ description, examples: [3] })
const At = { ...Timestamp, description: 'When the point begins.' }
const ended = {
  succeeded: count('How many were answered with 2XX.'),
  dropped: count('How many failed for good.'),
  cancelled: count('How many ended with their trigger or webhook.'),
}

export const Statistics = named(
  'Statistics',
  Type.Object(
    {
      since: { ...Timestamp, description: 'When the first point begins.' },
      until: { ...Timestamp, description: 'When the span is over; the last point may be shorter than the others.' },
      step: Type.String({ description: 'The time of one point.', examples: ['5m'] }),
      events: Type.Array(Type.Object({ at: At, count: count('How many events.') }), {
        description: 'Events by time: each point, test events among them.',
      }),
      deliveries: Type.Object(
        {
          pending: count('How many wait now.'),
          in_flight: count('How many are being attempted now.'),
          held: count('How many wait now for a webhook that is paused.'),
          ...ended,
        },
        {
          description:
            'Deliveries by state: those that are not finished as of now, and those that ended in the span. Of those that wait, ' +
            `counting stops at ${maxCounted.toLocaleString('en')} for webhooks that are paused, and for the others.`,
        },
      ),
      deliveries_by_time: Type.Array(Type.Object({ at: At, ...ended }), {
        description: 'Deliveries that ended, by time: each point.',
      }),
      logouts: Type.Object(ended, {
        description: 'Logout tokens that ended in the span, by state: they are listed with their application.',
      }),
      sign_ins: Type.Array(
        Type.Object({
          at: At,
          outcome: Type.String({
            description: '`succeeded`, or why it failed: the `failure_reason` of its event.',
            examples: ['succeeded'],
          }),
          method: Type.String({ description: 'The method that succeeded or failed.', examples: ['oidc'] }),
          provider: Type.Union([Type.String({ examples: ['provider_a'] }), Type.Null()], {
            description:
              'One of provider_a to provider_h, or oidc; null: none was chosen, its credential was deleted meanwhile, or the ' +
              'sign-in was before this service counted them by provider.',
          }),
          count: count('How many.'),
        }),
        {
          description:
            'Sign-ins by time, outcome, method and provider, without test events: only those of which there are any.',
        },
      ),
      oldest_due: Type.Union(
        [
          Type.Object({
            webhook_id: { ...Uuid, description: 'Its webhook.' },
            event_id: { ...Uuid, description: 'Its event.' },
            due_at: { ...Timestamp, description: 'Since when it is due.' },
          }),
          Type.Null(),
        ],
        {
          description:
            'The delivery that has been due for longest now, of webhooks that are not paused; null: none is due.',
        },
      ),
    },
    { description: 'What happened in an organization over a span of time.' },
  ),
)

type Counts = {
  events: EventCount[]
  ended: EndedCount[]
  unfinished: Awaited<ReturnType<typeof countUnfinished>>
  oldestDue: Awaited<ReturnType<typeof findOldestDue>>
}

export function toStatistics(
  { since, until, step, stepSeconds, points }: Span & { step: string; points: number },
  { events, ended, unfinished, oldestDue }: Counts,
) {
  const timeOf = (point: number) => toTimestamp(Date.parse(since) + point * stepSeconds * 1000)
  const byPoint = Array.from({ length: points }, (_, point) => ({ at: timeOf(point), count: 0 }))
  const endedByPoint = byPoint.map(({ at }) => ({ at, succeeded: 0, dropped: 0, cancelled: 0 }))
  for (const { point, count } of events) at(byPoint, point).count += count
  for (const { point, status, is_logout, count } of ended) if (!is_logout) at(endedByPoint, point)[status] = count
  return {
    since,
    until,
    step,
    events: byPoint,
    deliveries: { ...unfinished, ...totals(ended.filter(({ is_logout }) => !is_logout)) },
    deliveries_by_time: endedByPoint,
    logouts: totals(ended.filter(({ is_logout }) => is_logout)),
    sign_ins: events
      .filter(({ outcome }) => outcome !== '')
      .map(({ point, ...signIns }) => ({ at: timeOf(point), ...signIns })),
    oldest_due: oldestDue ?? null,
  }
}

const totals = (ended: EndedCount[]) =>
  Object.fromEntries(
    finalStatuses.map((final) => [
      final,
      ended.reduce((sum, { status, count }) => sum + (status === final ? count : 0), 0),
    ]),
  )

const at = <Item>(items: Item[], index: number) => items[index] as Item
