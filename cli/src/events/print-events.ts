import type { AnyEvent, Signet } from '@signet/management'
import type { Context } from '../context.ts'
import { namingOptions } from '../failure.ts'
import type { Output } from '../output.ts'
import { printable } from '../output.ts'

type Options = { since?: string; after?: string; events?: string[]; limit?: number; follow: boolean }
type Placed = { cursor?: string; event: AnyEvent }

/** Of one page of history. */
const pageSize = 1_000

/** A time to come: the service begins with what comes next, whatever the clock of this machine says. */
const fromNow = '9999-12-31T00:00:00Z'

/** In the order of the feed. Without `after` and `since`: from now on, or where it is not followed all events that are kept. */
export async function printEvents(context: Context, options: Options) {
  const { output, connect } = context
  const { signet } = connect()
  const events = options.follow ? follow(signet, options, context.takeSignal()) : history(signet, options)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  try {
    for await (const placed of events) {
      await print(output, placed)
      if (--left === 0) return
    }
  } catch (error) {
    throw namingOptions(error, { event_name: '--events', after: '--after', since: '--since' })
  }
}

async function* follow(signet: Signet, { after, since, events }: Options, signal: AbortSignal): AsyncGenerator<Placed> {
  const begin = after ? { after } : { since: since ?? fromNow }
  const eventNames = events as `${string}*`[] | undefined
  yield* signet.followEvents({ ...begin, ...(eventNames && { eventNames }), signal })
}

async function* history(
  signet: Signet,
  { after, since, events, limit = Number.POSITIVE_INFINITY }: Options,
): AsyncGenerator<Placed> {
  for (let place = after, hasMore = true, left = limit; hasMore && left > 0; ) {
    const event_name = events as never
    const query = {
      limit: Math.min(left, pageSize),
      ...(place ? { after: place } : since && { since }),
      ...(events && { event_name }),
    }
    const { result, meta } = await signet.listEvents({ query })
    yield* result.map((event, index) => ({ event, ...(index === result.length - 1 && { cursor: meta.next }) }))
    place = meta.next
    hasMore = meta.has_more
    left -= result.length
  }
}

function print(output: Output, { cursor, event }: Placed) {
  const { event_id, event_name, timestamp } = event.event_metadata
  const { event_metadata, ...content } = event
  const { dim, cyan } = output.colors
  return output.show(
    { type: 'event', event_id, event_name, timestamp, ...(cursor && { cursor }), event },
    `${dim(timestamp)} ${cyan(event_name)} ${event_id} ${printable(JSON.stringify(content))}`,
  )
}
