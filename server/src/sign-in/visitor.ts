import type { FastifyRequest } from 'fastify'
import { toTimestamp } from '../clock.ts'
import { clientAddress } from '../http/app.ts'
import { isUuid, makeId } from '../identifiers.ts'
import { findInteraction, type Interaction, interactionCookie } from '../issuer/index.ts'
import type { Dependencies } from './dependencies.ts'
import { type FlowCookie, readFlowCookies } from './flow-cookie.ts'
import type { Flow } from './flow-store.ts'
import { visitOf } from './visit.ts'

/** A browser at the page of an interaction that it brought itself. */
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
  { database, clock, isSecure }: Pick<Dependencies, 'database' | 'clock' | 'isSecure'>,
): Promise<Visitor | undefined> {
  const { organization_id: organizationId, uid } = request.params
  const { cookie, 'user-agent': userAgent } = request.headers
  if (!isUuid(organizationId) || !hasCookie(cookie, interactionCookie, uid)) return undefined
  const now = clock.now()
  const interaction = await findInteraction(database.read, organizationId, uid, toTimestamp(now))
  if (!interaction) return undefined
  const { params, windowLocation } = interaction
  const visit = visitOf({ params, windowLocation, clientAddress: clientAddress(request), userAgent }, now)
  const flow = { id: makeId(now), interactionUid: uid, ...visit }
  return { organizationId, interaction, flow, cookies: readFlowCookies(cookie, isSecure) }
}

const hasCookie = (header: string | undefined, name: string, value: string): boolean =>
  (header ?? '').split(';').some((pair) => pair.trim() === `${name}=${value}`)
