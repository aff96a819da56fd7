import { type Static, Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest, unavailable } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { named } from '../../ground/http/chain/schemas.ts'
import { exampleOf } from '../../ground/http/document/example.ts'
import type { FindSigners, Unsigned } from '../../ground/keys/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { timeOf } from '../../ground/runtime/identifiers.ts'
import { loadPayloads } from '../events/index.ts'
import { keptSince } from '../queue/index.ts'
import { makeToken, SentRequestSchema } from '../webhooks/attempts/index.ts'
import { findTargetUrl, noSuchWebhook } from '../webhooks/index.ts'
import { DeliveryPath, deliveryIn, tooOld } from './delivery-record.ts'
import { loadDelivery } from './get-delivery.ts'

const { kid, claims } = SentRequestSchema.properties
const { header_names: _names, ...sent } = exampleOf(SentRequestSchema) as Static<typeof SentRequestSchema>

const SignedDelivery = named(
  'SignedDelivery',
  Type.Object(
    {
      token: Type.String({
        description: 'The JWT, as the body of the next attempt would be. A receiver takes it for one until `exp`.',
        examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6Ii4uLiJ9.eyJqdGkiOiIuLi4ifQ.c2lnbmF0dXJl'],
      }),
      kid,
      claims,
    },
    {
      description: 'A delivery, signed anew and sent nowhere.',
      examples: [
        {
          token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6Ii4uLiJ9.eyJqdGkiOiIuLi4ifQ.c2lnbmF0dXJl',
          ...sent,
        },
      ],
    },
  ),
)

export type Signing = {
  database: Database
  clock: Clock
  baseUrl: string
  /** How long events are kept. */
  retentionMs: number
  findSigners: FindSigners
  /** Where deliveries are signed, organizations in turn. Throws a 503 where that cannot be done now. */
  sign: (organizationId: string, unsigned: Unsigned) => Promise<string>
  onUnreadable: (organizationId: string, error: unknown) => void
}

export const signDelivery = (dependencies: Signing) =>
  operation({
    id: 'signDelivery',
    method: 'POST',
    path: '/organizations/webhooks/:webhook_id/deliveries/:delivery_id/sign',
    scope: 'deliveries:write',
    adminOnly: true,
    tag: 'Deliveries',
    summary: 'Sign a delivery anew',
    description:
      'Gives the JWT that the next attempt would send: the same `sub` and content, a new `jti`, `iat` and `exp`, the present URL of the ' +
      'webhook, and the key that signs now. It is sent nowhere, counts as no attempt and changes nothing of the delivery, whatever its state. ' +
      'The audit log says who asked, and the `jti`. `Idempotency-Key` is ignored: the token is kept nowhere.\n\n' +
      '409: its event is older than events are kept. 400: it is a hook run, whose content is not kept.',
    params: DeliveryPath,
    storesNothing: true,
    result: SignedDelivery,
    refusals: [409],
    handle: async ({ organizationId, record, params }) => {
      const { database } = dependencies
      const { webhookId, eventId } = deliveryIn(params)
      const { trigger_type: triggerType, trigger_name: triggerName } = await loadDelivery(
        database.read,
        organizationId,
        webhookId,
        eventId,
      )
      if (triggerType === 'sync_hook') throw isHookRun()
      const targetUrl = await findTargetUrl(database.read, organizationId, webhookId)
      if (targetUrl === undefined) throw noSuchWebhook()
      const content = await loadContent(dependencies, organizationId, eventId)
      const invocation = { organizationId, webhookId, triggerType, triggerName, sub: eventId, content, targetUrl }
      const signed = await sign(dependencies, invocation)
      const { jti, exp } = signed.claims
      await record(database.write, organizationId, {
        target: { type: 'delivery', id: eventId },
        after: { webhook_id: webhookId, trigger_name: triggerName, kid: signed.kid, jti, exp },
      })
      return signed
    },
  })

async function loadContent({ database, clock, retentionMs }: Signing, organizationId: string, eventId: string) {
  const events = await loadPayloads(database.read, [{ organizationId, eventId }])
  const content = events.get(eventId)?.payload
  if (content === undefined || timeOf(eventId) < keptSince(clock.now(), retentionMs)) throw tooOld(retentionMs)
  return content
}

async function sign(dependencies: Signing, invocation: Parameters<typeof makeToken>[0]) {
  const { organizationId } = invocation
  const signer = (await dependencies.findSigners([organizationId], dependencies.onUnreadable)).get(organizationId)
  if (!signer) throw unavailable()
  const { key, payload } = makeToken(invocation, signer, dependencies)
  const token = await dependencies.sign(organizationId, { key, payload })
  // The process stood still meanwhile, and the key may have been withdrawn.
  if (signer.goodForMs() <= 0) throw unavailable()
  const { trigger_content: _content, ...shown } = JSON.parse(payload) as Static<typeof claims> & {
    trigger_content: unknown
  }
  return { token, kid: key.kid, claims: shown }
}

const isHookRun = () => badRequest('delivery_not_repeatable', 'delivery: is a hook run, whose content is not kept')
