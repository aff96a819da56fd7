import { Type } from 'typebox'
import { badRequest } from '../../../ground/errors.ts'
import type { MessageSource } from '../../../ground/http/chain/event-streams.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import type { Message } from '../../../ground/http/socket/stream-pieces.ts'
import {
  EventNames,
  type Feed,
  type Follow,
  type Followed,
  type FollowedEvent,
  namesOf,
  startOf,
  throwFor,
} from '../index.ts'
import { problemOfLocalTarget } from './local-target-url.ts'
import { createSignEvent, type SignEvent, type Signing } from './sign.ts'
import type { SignedToken } from './signed-tokens.ts'

type Dependencies = Signing & { feed: Feed; follow: Follow }

const TargetUrl = Type.String({
  description:
    'The address of the receiver on the own machine, for the claim of that name: http or https, and the host `localhost`, a name below it, an address of 127.0.0.0/8, or `[::1]`.',
  examples: ['http://localhost:3000/hook'],
})

export const listenOperation = ({ feed, follow, ...signing }: Dependencies) => {
  const signEvent = createSignEvent(signing)
  return operation({
    id: 'listenToWebhooks',
    method: 'GET',
    path: '/organizations/webhooks/listen',
    scope: ['events:read', 'webhooks:read'],
    adminOnly: true,
    tag: 'Webhooks',
    summary: 'Listen to events as webhooks get them',
    description:
      'A live stream for a receiver on the own machine, which Signet never calls: whoever listens posts the JWT there. `id` is the ' +
      'cursor, `event` the name, and `data` the JWT, signed as it is sent, once for all who listen with this `target_url`. ' +
      '`webhook_id` is the same in all of them, and no webhook has it. The stream begins with what comes next, or behind ' +
      '`Last-Event-ID`.',
    query: Type.Object({ target_url: TargetUrl, event_name: Type.Optional(EventNames) }),
    eventStream: 'always',
    streamKind: 'listeners',
    refusals: [403, 410],
    handle: async ({ organizationId, query: { target_url: targetUrl, event_name }, live }) => {
      const { lastEventId, signal } = live as NonNullable<typeof live>
      const problem = problemOfLocalTarget(targetUrl)
      if (problem) throw badRequest('invalid_value', `target_url: ${problem}`)
      const names = namesOf(event_name)
      const position = await startOf(feed, organizationId, { lastEventId })
      const after = position ?? (await feed.newestPosition(organizationId))
      const followed = await follow(organizationId, { after, names, signal }).catch((error) =>
        throwFor(lastEventId, error),
      )
      return signedOneByOne(followed, (event) => signEvent(organizationId, targetUrl, event))
    },
  })
}

/** An event that cannot be signed now is tried again: it stays the next one. */
function signedOneByOne(
  { next, position }: Followed,
  sign: (event: FollowedEvent) => ReturnType<SignEvent>,
): MessageSource {
  let page: readonly FollowedEvent[] = []
  let sent = 0
  return {
    position: () => page[sent - 1]?.cursor ?? position(),
    next: async () => {
      if (sent === page.length) {
        page = []
        sent = 0
        page = await next()
      }
      const event = page[sent]
      if (!event) return []
      const token = await sign(event)
      sent++
      return messagesOf(token, event)
    },
  }
}

const messages = new WeakMap<SignedToken, readonly Message[]>()

/** The same array for all that are sent this token. */
function messagesOf(token: SignedToken, { cursor, name }: FollowedEvent): readonly Message[] {
  const made = messages.get(token) ?? [{ id: cursor, event: name, ...token }]
  messages.set(token, made)
  return made
}
