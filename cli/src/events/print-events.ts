import type { AnyEvent, Signet } from '@signet/management'
import type { Output } from '../output.ts'
import { printable } from '../output.ts'
import type { Context } from '../program.ts'

type Options = { since?: number; after?: string; events?: string[]; limit?: number; follow: boolean }
type Placed = { cursor?: string; event: AnyEvent }

/** Of one page of history. */
const pageSize = 1_000

/** In the order of the feed, from the oldest event that is kept unless `after` or `since` say otherwise. */
export async function printEvents(context: Context, options: Options) {
  const { output, connect } = context
  const { signet } = connect()
  const events = options.follow ? follow(signet, options, context.signal) : history(signet, options)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  for await (const placed of events) {
    if (Date.parse(placed.event.event_metadata.timestamp) < (options.since ?? 0)) continue
    await print(output, placed)
    if (--left === 0) return
  }
}

async function* follow(signet: Signet, { after, events }: Options, signal: AbortSignal): AsyncGenerator<Placed> {
  const eventNames = events as `${string}*`[] | undefined
  yield* signet.followEvents({ ...(after && { after }), ...(eventNames && { eventNames }), signal })
}

async function* history(signet: Signet, { after, events }: Options): AsyncGenerator<Placed> {
  for (let place = after, hasMore = true; hasMore; ) {
    const event_name = events as never
    const query = { limit: pageSize, ...(place && { after: place }), ...(events && { event_name }) }
    const { result, meta } = await signet.listEvents({ query })
    yield* result.map((event, index) => ({ event, ...(index === result.length - 1 && { cursor: meta.next }) }))
    place = meta.next
    hasMore = meta.has_more
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
