import type { FastifyRequest } from 'fastify'
import { clientAddress } from '../http/client-address.ts'
import { userAgentOf } from '../http/user-agent.ts'
import { type BegunSignIn, findInteraction, type Interaction } from '../issuer/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { isUuid, makeId } from '../runtime/identifiers.ts'
import type { Dependencies } from './dependencies.ts'
import { type FlowCookie, readFlowCookies } from './flow-cookie.ts'
import { type Chosen, type Flow, keepFlow } from './flow-store.ts'
import { visitOf } from './visit.ts'

/** A browser with an interaction that it brought itself. */
export type Visitor = {
  organizationId: string
  interaction: Interaction
  /** What becomes of it, unless there is one already. */
  flow: Omit<Flow, 'organizationId'>
  cookies: FlowCookie[]
}

export type FlowPath = { organization_id: string; uid: string }

/**
 * Undefined: the interaction is over, or this browser did not make its request. Whoever could send somebody else's browser
 * through an interaction of their own would have that person's session in the end.
 */
export async function findVisitor(
  request: FastifyRequest<{ Params: FlowPath }>,
  { database, clock, isSecure, interactionCookies }: Dependencies,
): Promise<Visitor | undefined> {
  const { organization_id: organizationId, uid } = request.params
  const { cookie } = request.headers
  if (!isUuid(organizationId) || !interactionCookies.has(organizationId, uid, cookie)) return undefined
  const interaction = await findInteraction(database.read, organizationId, uid, toTimestamp(clock.now()))
  const caller = { clientAddress: clientAddress(request), userAgent: userAgentOf(request) }
  return interaction && toVisitor({ organizationId, interaction, cookie, ...caller }, { clock, isSecure })
}

export function toVisitor(
  { organizationId, interaction, cookie, clientAddress, userAgent }: BegunSignIn,
  { clock, isSecure }: Pick<Dependencies, 'clock' | 'isSecure'>,
): Visitor {
  const now = clock.now()
  const { uid, params, windowLocation } = interaction
  const visit = visitOf({ params, windowLocation, clientAddress, userAgent }, now)
  const flow = { id: makeId(now), interactionUid: uid, ...visit }
  return { organizationId, interaction, flow, cookies: readFlowCookies(cookie, isSecure) }
}

/** From now on for as long as a flow may take, as `keepFlow` does. */
export function keepFlowOf(
  { organizationId, flow }: Visitor,
  given: { chosen?: Chosen; begins: boolean },
  { database, clock, flowMs }: Dependencies,
): Promise<Flow | undefined> {
  const now = clock.now()
  const times = { now: toTimestamp(now), expiresAt: toTimestamp(now + flowMs) }
  return keepFlow(database.write, organizationId, flow, { ...given, ...times })
}
