import { eventStreamType, type Message, readMessages } from './event-stream.ts'
import type {
  AnyEvent,
  AuthenticationFailedV1,
  AuthenticationSucceededV1,
  ListEventsResponse,
  PersonActivatedV1,
  PersonCreatedV1,
  PersonDeactivatedV1,
  PersonDeletedV1,
  PersonGroupsChangedV1,
  VirtualPageLoadedV1,
} from './generated/types.gen.ts'
import { pause } from './pause.ts'
import { isTimeout } from './retrying-fetch.ts'
import { SignetError, understood } from './signet-error.ts'

/** Between requests that failed, and from one look to the next where no stream can be had. */
const firstPauseMs = 250
const maxPauseMs = 30_000
const pollMs = 2_000

/** The content of each event, by name. */
export type Events = {
  AuthenticationSucceeded_v1: AuthenticationSucceededV1
  AuthenticationFailed_v1: AuthenticationFailedV1
  VirtualPageLoaded_v1: VirtualPageLoadedV1
  PersonCreated_v1: PersonCreatedV1
  PersonDeleted_v1: PersonDeletedV1
  PersonDeactivated_v1: PersonDeactivatedV1
  PersonActivated_v1: PersonActivatedV1
  PersonGroupsChanged_v1: PersonGroupsChangedV1
}
export type EventName = keyof Events

/** An event in its place: `event_name` tells which `event` it is. */
export type FollowedEvent = {
  [Name in EventName]: {
    /**
     * Following `after` this cursor misses nothing. With a stream it stands directly behind the event. With pages, which replace the
     * stream where a proxy holds it back, only the last event of a page has such a cursor; the others have that of the page before,
     * so the events of their page come again.
     */
    cursor: string
    event_name: Name
    event: Events[Name]
  }
}[EventName]

export type FollowOptions = {
  /** The cursor of the last event that needs not come again. Default: the oldest event that is kept is the first. */
  after?: string
  /** RFC 3339. Without `after`: the first event that was published at this time or later is the first. A time to come: the next one. */
  since?: string
  /** Only these; a name may end in `*`. Default: all. */
  eventNames?: (EventName | `${string}*`)[]
  signal?: AbortSignal
}

type Question = {
  query: { after?: string; since?: string; event_name?: string[] }
  headers: { Accept: string }
  signal: AbortSignal
}
/** Gives what `GET /events` answers, and throws a `SignetError` where it refuses. */
type Ask = (question: Question) => Promise<Response>
/** A place in the feed, or none, and the event that is there. */
type Step = { cursor: string; found?: FollowedEvent }

/**
 * Every event of the feed in its order: those that are there, then those that come. A connection that is lost, or silent for
 * 45 s, is made anew and resumes after the last event. It ends with a `break`, with the reason of its `signal`, or with the `SignetError` of what
 * no repetition mends, such as a key that was revoked (401) or a cursor from before what is kept (410).
 */
export async function* followEvents(ask: Ask, options: FollowOptions): AsyncGenerator<FollowedEvent, void> {
  const { after = '', signal = new AbortController().signal } = options
  const reader: Reader = { cursor: after, hasBegun: false, isPolling: false, failures: 0 }
  for (;;) {
    try {
      if (reader.failures > 0) await pause(pauseAfter(reader.failures), signal)
      reader.failures++
      yield* connected(reader, ask, options, signal)
    } catch (failure) {
      signal.throwIfAborted()
      reader.isPolling = isHeldBack(failure)
      if (!reader.isPolling && (!reader.hasBegun || isFinal(failure))) throw failure
    }
  }
}

/** `failures`: connections in a row that brought nothing and soon ended. */
type Reader = { cursor: string; hasBegun: boolean; isPolling: boolean; failures: number }

/** What comes by one connection, which ends with its reader. */
async function* connected(reader: Reader, ask: Ask, { since, eventNames }: FollowOptions, signal: AbortSignal) {
  const connection = new AbortController()
  const began = Date.now()
  try {
    const reply = await ask({
      query: {
        ...(reader.cursor ? { after: reader.cursor } : since && { since }),
        ...(eventNames && { event_name: eventNames }),
      },
      headers: { Accept: reader.isPolling ? 'application/json' : acceptStream },
      signal: AbortSignal.any([signal, connection.signal]),
    })
    reader.hasBegun = true
    // A stream says at once that it is there, which is nothing yet.
    if (!isStream(reply)) reader.failures = 0
    const steps = isStream(reply) ? stepsOfStream(reply) : stepsOfPage(reply, reader.cursor, signal)
    for await (const { cursor, found } of steps) {
      if (found) reader.failures = 0
      reader.cursor = cursor || reader.cursor
      if (found) yield found
    }
  } finally {
    connection.abort()
    if (Date.now() - began > maxPauseMs) reader.failures = 0
  }
}

/** A service or a proxy that gives no stream gives a page. */
const acceptStream = `${eventStreamType}, application/json;q=0.5`
const isStream = ({ headers }: Response) => !!headers.get('Content-Type')?.startsWith(eventStreamType)

const pauseAfter = (failures: number) =>
  Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs) * (0.75 + Math.random() / 2)

/** Signet's first byte comes at once: what does not let it through lets pages through. */
const isHeldBack = (failure: unknown) => isTimeout(failure instanceof SignetError ? failure.cause : failure)

/** What Signet refuses it would refuse again; what is unavailable comes back. */
const isFinal = (failure: unknown) => failure instanceof SignetError && !failure.isTemporary

async function* stepsOfStream(reply: Response): AsyncGenerator<Step, void> {
  for await (const message of readMessages(reply)) yield understood(reply, () => toStep(message))
}

function toStep({ id, name, data }: Message): Step {
  if (data === undefined) return { cursor: id }
  if (name === 'error') throw new SignetError(JSON.parse(data))
  return { cursor: id, found: toFollowed(id, JSON.parse(data)) }
}

const toFollowed = (cursor: string, event: AnyEvent): FollowedEvent =>
  ({ cursor, event_name: event.event_metadata.event_name, event }) as FollowedEvent

async function* stepsOfPage(reply: Response, before: string, signal: AbortSignal): AsyncGenerator<Step, void> {
  const text = await reply.text()
  const { steps, hasMore } = understood(reply, () => toSteps(JSON.parse(text), before))
  yield* steps
  if (!hasMore) await pause(pollMs, signal)
}

/** A page names only the place of its end. */
function toSteps({ result, meta }: ListEventsResponse, before: string): { steps: Step[]; hasMore: boolean } {
  const last = result.length - 1
  const cursorOf = (index: number) => (index === last ? meta.next : before)
  const found = result.map((event, index) => toFollowed(cursorOf(index), event))
  const steps = found.map((followed) => ({ cursor: followed.cursor, found: followed }))
  return { steps: [...steps, { cursor: meta.next }], hasMore: meta.has_more }
}
