import { Type } from 'typebox'
import { describeCall } from '../attempts/index.ts'
import { describeEvents } from '../events/index.ts'
import { TokenMinted } from '../hooks/index.ts'
import type { SentCalls } from '../http/document.ts'
import { exampleOf } from '../http/example.ts'

const ofEvents =
  'A receiver answers with any status of 2XX, in time, and nothing of its body is read. After any other answer, or none, the call ' +
  'is made again, with growing pauses, for half an hour. An event may come more than once: `sub` tells which one it is.'
const ofHooks =
  'Made while a person signs in, who waits for it. A receiver answers with any status of 2XX and an empty body, or with a JSON ' +
  'object: each member becomes a claim of the token. After any other answer, or none, the call is made twice more.'

/** What Signet sends to webhooks, for the section `webhooks` of the OpenAPI document. */
export async function describeCalls(): Promise<SentCalls> {
  const { schemas, events } = await describeEvents()
  const ofEvent = ({ name, example }: (typeof events)[number]) => {
    const content = Type.Unsafe({ $ref: `#/components/schemas/${name}` })
    const { description } = schemas[name] as { description: string }
    return describeCall({ name, type: 'event', content, example }, description.split('.', 1)[0] ?? name, ofEvents)
  }
  const hook = {
    name: 'token_minted',
    type: 'sync_hook',
    content: TokenMinted,
    example: exampleOf(TokenMinted),
  } as const
  const calls = [...events.map(ofEvent), describeCall(hook, 'A token is about to be minted', ofHooks)]
  return { calls, schemas }
}
