import { Type } from 'typebox'
import { describeEvents } from '../delivery/events/index.ts'
import { TokenMinted } from '../delivery/hooks/index.ts'
import { describeWebhookRequest } from '../delivery/webhooks/attempts/index.ts'
import type { WebhookRequests } from '../ground/http/document/document.ts'
import { exampleOf } from '../ground/http/document/example.ts'

const aboutEvents =
  'A receiver answers with any status of 2XX, in time; its body is not read. After any other answer, or none, the call is ' +
  'repeated, with growing pauses, for half an hour. An event may arrive more than once: `sub` identifies it.'
const aboutHooks =
  'Made during a sign-in, which waits for it. A receiver answers with any status of 2XX and an empty body, or with a JSON ' +
  'object: each member becomes a claim of the token, unless there is a member `deny`, such as ' +
  '`{"deny": {"reason": "Your plan has ended.", "code": "plan_ended"}}`: then the sign-in is refused, and the application ' +
  'gets the reason. After any other answer, or none, the call is repeated twice.'

/** The requests to webhooks, for the section `webhooks` of the OpenAPI document. */
export async function describeWebhookRequests(): Promise<WebhookRequests> {
  const { schemas, events } = await describeEvents()
  const ofEvent = ({ name, example }: (typeof events)[number]) => {
    const content = Type.Unsafe({ $ref: `#/components/schemas/${name}` })
    const { description } = schemas[name] as { description: string }
    return describeWebhookRequest(
      { name, type: 'event', content, example },
      description.split('.', 1)[0] ?? name,
      aboutEvents,
    )
  }
  const hook = {
    name: 'token_minted',
    type: 'sync_hook',
    content: TokenMinted,
    example: exampleOf(TokenMinted),
  } as const
  const requests = [...events.map(ofEvent), describeWebhookRequest(hook, 'A token is about to be minted', aboutHooks)]
  return { requests, schemas }
}
