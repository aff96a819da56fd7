import { ApiError, badRequest } from '../../ground/errors.ts'
import type { MessageSource } from '../../ground/http/chain/event-streams.ts'
import type { Live } from '../../ground/http/chain/operation.ts'
import type { Message } from '../../ground/http/socket/stream-pieces.ts'
import type { EventName } from '../events/index.ts'
import type { Feed } from './feed.ts'
import type { Follow } from './follow.ts'
import type { FollowedEvent } from './shared-pages.ts'

type Asked = Begin & { names: EventName[] | undefined; live: Live }

/** The feed as an event stream. Throws a 400 or a 410 for the position that it is to begin with. */
export async function streamEvents(
  organizationId: string,
  { names, live, ...begin }: Asked,
  { feed, follow }: { feed: Feed; follow: Follow },
): Promise<MessageSource> {
  const after = await startOf(feed, organizationId, { ...begin, lastEventId: live.lastEventId })
  const start = { after, names, signal: live.signal }
  const { next, position } = await follow(organizationId, start).catch((error) => throwFor(live.lastEventId, error))
  return { position, next: async () => messagesOf(await next()) }
}

const messages = new WeakMap<readonly FollowedEvent[], readonly Message[]>()

/** The same array for all streams that have this page. */
function messagesOf(page: readonly FollowedEvent[]): readonly Message[] {
  const made = messages.get(page) ?? page.map(({ cursor: id, name: event, payload: data }) => ({ id, event, data }))
  messages.set(page, made)
  return made
}

/** A cursor, or a time of RFC 3339. */
type Begin = { after?: string | undefined; since?: string | undefined }

/** `Last-Event-ID` is what a client adds that comes back, so it is the later one. Undefined: there is none of the three. */
export async function startOf(
  feed: Feed,
  organizationId: string,
  { after, since, lastEventId }: Begin & { lastEventId?: string | undefined },
) {
  if (after !== undefined && since !== undefined)
    throw badRequest('invalid_value', 'since: must not be given together with after')
  const cursor = lastEventId ?? after
  if (cursor !== undefined)
    return feed.positionOf(organizationId, cursor).catch((error) => throwFor(lastEventId, error))
  return since === undefined ? undefined : feed.positionSince(organizationId, Date.parse(since))
}

/** Names the header where the cursor is from there. */
export function throwFor(lastEventId: string | undefined, error: unknown): never {
  if (!(error instanceof ApiError) || lastEventId === undefined) throw error
  const problems = error.problems.map(({ message, ...problem }) => ({
    ...problem,
    message: message.replace(/^after:/, 'Last-Event-ID:'),
  }))
  throw new ApiError(problems, error.headers)
}
