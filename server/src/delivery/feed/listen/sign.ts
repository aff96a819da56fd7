import { unavailable } from '../../../ground/errors.ts'
import type { FindSigners, Unsigned } from '../../../ground/keys/index.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { makeToken } from '../../webhooks/attempts/index.ts'
import { listenerIdOf } from './listener-id.ts'
import { createSignedTokens, type SignedToken } from './signed-tokens.ts'

export type Signing = {
  clock: Clock
  baseUrl: string
  findSigners: FindSigners
  /** Where deliveries are signed, organizations in turn. Throws a 503 where that cannot be done now. */
  sign(organizationId: string, unsigned: Unsigned): Promise<string>
  onUnreadable: (organizationId: string, error: unknown) => void
}

type Event = { id: string; name: string; payload: string }

export type SignEvent = (organizationId: string, targetUrl: string, event: Event) => Promise<SignedToken>

/**
 * Signs an event as a webhook request is signed, with the key of now, once for all listeners of one target that take it at about the
 * same time. Throws a 503 while there is no key.
 */
export function createSignEvent({ clock, baseUrl, findSigners, sign, onUnreadable }: Signing): SignEvent {
  const tokens = createSignedTokens()
  const signAnew = async (
    organizationId: string,
    targetUrl: string,
    { id, name, payload }: Event,
  ): Promise<SignedToken> => {
    const signer = (await findSigners([organizationId], onUnreadable)).get(organizationId)
    if (!signer) throw unavailable()
    const webhookId = listenerIdOf(organizationId)
    const shared = { organizationId, targetUrl, webhookId, triggerType: 'event', triggerName: name } as const
    const token = makeToken({ ...shared, sub: id, content: payload }, signer, { clock, baseUrl })
    const data = await sign(organizationId, { key: token.key, payload: token.payload })
    // The process stood still meanwhile, and the key may have been withdrawn.
    if (signer.goodForMs() <= 0) throw unavailable()
    return { data, sentWithinMs: signer.goodForMs }
  }
  return (organizationId, targetUrl, event) =>
    tokens.of(`${organizationId} ${event.id} ${targetUrl}`, () => signAnew(organizationId, targetUrl, event))
}
