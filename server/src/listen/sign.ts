import { makeToken } from '../attempts/index.ts'
import { unavailable } from '../errors.ts'
import { type FindSigners, signJwt } from '../keys/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { listenerIdOf } from './listener-id.ts'

export type Signing = {
  clock: Clock
  baseUrl: string
  findSigners: FindSigners
  onUnreadable: (organizationId: string, error: unknown) => void
}

type Event = { id: string; name: string; payload: string }

/** Signs an event as a webhook request is signed, with the key of now. Throws a 503 while there is none. */
export function createSign(
  organizationId: string,
  targetUrl: string,
  { clock, baseUrl, findSigners, onUnreadable }: Signing,
) {
  const shared = { organizationId, targetUrl, webhookId: listenerIdOf(organizationId), triggerType: 'event' } as const
  return async ({ id, name, payload: content }: Event): Promise<{ data: string; sentWithinMs: number }> => {
    const signer = (await findSigners([organizationId], onUnreadable)).get(organizationId)
    if (!signer) throw unavailable()
    const { key, payload } = makeToken({ ...shared, triggerName: name, sub: id, content }, signer, { clock, baseUrl })
    const data = signJwt({ key, payload })
    const sentWithinMs = signer.goodForMs()
    // The process stood still meanwhile, and the key may have been withdrawn.
    if (sentWithinMs <= 0) throw unavailable()
    return { data, sentWithinMs }
  }
}
