import type { FastifyRequest } from 'fastify'
import { userAgentOf } from '../../ground/http/chain/user-agent.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid, makeId } from '../../ground/runtime/identifiers.ts'
import {
  type AuthorizeParams,
  type BegunSignIn,
  type Browser,
  findInteraction,
  type Interaction,
  toStoredClientId,
} from '../issuer/index.ts'
import type { ClientContext } from './authentication-events.ts'
import type { Dependencies } from './dependencies.ts'
import { type FlowCookies, readFlowCookies } from './flow-cookie.ts'
import { type Flow, type FlowChange, type NewFlow, upsertFlow } from './flow-store.ts'

/** In characters: no list of languages that means anything is longer. */
const maxLocales = 200

/** The correlation id is that of the authorize request, or a new one. */
export const clientContextOf = (
  { params, clientAddress, userAgent, windowLocation }: Browser & { params: AuthorizeParams },
  now: number,
): ClientContext => ({
  correlationId: isUuid(params.correlation_id ?? '') ? String(params.correlation_id).toLowerCase() : makeId(now),
  clientAddress,
  userAgent,
  windowLocation,
})

/** A browser with the interaction that it began. */
export type BrowserContext = {
  organizationId: string
  interaction: Interaction
  /** The flow to store, unless the interaction has one. */
  newFlow: NewFlow
  cookies: FlowCookies
}

export type FlowPath = { organization_id: string; uid: string }

/**
 * Undefined: the interaction is over, or another browser made its request. Without that check, anybody who made a person's
 * browser continue their own interaction would get that person's session.
 */
export async function findBrowserContext(
  request: FastifyRequest<{ Params: FlowPath }>,
  { database, clock, isSecure, interactionCookies }: Dependencies,
): Promise<BrowserContext | undefined> {
  const { organization_id: organizationId, uid } = request.params
  const { cookie } = request.headers
  if (!isUuid(organizationId) || !interactionCookies.has(organizationId, uid, cookie)) return undefined
  const interaction = await findInteraction(database.read, organizationId, uid, toTimestamp(clock.now()))
  if (!interaction) return undefined
  const { windowLocation } = interaction
  const browser = { clientAddress: clientAddress(request), userAgent: userAgentOf(request), windowLocation }
  return toBrowserContext({ organizationId, interaction, cookie, ...browser }, { clock, isSecure })
}

export function toBrowserContext(
  { organizationId, interaction, cookie, ...browser }: BegunSignIn,
  { clock, isSecure }: Pick<Dependencies, 'clock' | 'isSecure'>,
): BrowserContext {
  const now = clock.now()
  const { uid, params, clientId } = interaction
  const asked = { clientId: toStoredClientId(clientId), uiLocales: params.ui_locales?.slice(0, maxLocales) }
  const newFlow = { id: makeId(now), interactionUid: uid, ...asked, ...clientContextOf({ ...browser, params }, now) }
  return { organizationId, interaction, newFlow, cookies: readFlowCookies(cookie, isSecure) }
}

/** As `upsertFlow`; a new flow expires after `flowMs`. */
export function storeFlow(
  { organizationId, newFlow }: BrowserContext,
  change: FlowChange,
  { database, clock, flowMs }: Dependencies,
): Promise<Flow | undefined> {
  const now = clock.now()
  const times = { now: toTimestamp(now), expiresAt: toTimestamp(now + flowMs) }
  return upsertFlow(database.write, organizationId, newFlow, { ...change, ...times })
}
