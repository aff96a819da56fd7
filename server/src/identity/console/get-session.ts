import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import { sessionEnded } from '../../ground/errors.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { type Act, type RecordChange, toAct } from '../../ground/http/chain/recorded-change.ts'
import { findOrganization } from '../organizations/index.ts'
import { namesOfPersons } from '../persons/index.ts'
import type { Session } from './find-sessions.ts'
import type { Sessions } from './sessions.ts'

export type GetDependencies = { sessions: Sessions; database: Database; recordAs: (act: Act) => RecordChange }

/** Whose page it is that is being opened, what it leaves out for want of a scope, and what it sends as `Service-Console` from then on. */
export const getSession =
  ({ sessions, database, recordAs }: GetDependencies) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const session = await sessions.openSession(request)
    const result = await describeSession(session, database)
    if (!result) throw sessionEnded()
    const record = recordAs(toAct(request, 'deleteConsoleSession'))
    return reply.header('set-cookie', await sessions.endSurplus(session, request, record)).send({ result })
  }

/** Those of this browser, between which its pages lead. */
export const listSessions =
  ({ sessions, database }: GetDependencies) =>
  async (request: FastifyRequest) => {
    const found = await sessions.listSessions(request)
    const described = await Promise.all(found.map((session) => describeSession(session, database)))
    return { result: described.filter((each) => each !== undefined) }
  }

/** Undefined: the organization was deleted since its key was read. */
async function describeSession(session: Session, database: Database) {
  const { id, organizationId, isOperators, principal, authenticatedAt, expiresAt } = session
  const times = { expires_at: expiresAt, authenticated_at: authenticatedAt }
  if (!principal) return { id, by: { type: 'operator' }, scopes: [], ...times }
  const by = await showPrincipal(principal, organizationId, database)
  if (isOperators) return { id, by, scopes: [], ...times }
  const organization = await findOrganization(database.read, organizationId)
  if (!organization) return undefined
  return { id, organization_id: organizationId, name: organization.name, by, scopes: principal.scopes, ...times }
}

async function showPrincipal({ type, id, name, roles }: Principal, organizationId: string, database: Database) {
  const names = type === 'person' ? await namesOfPersons(database.read, organizationId, [id]) : undefined
  const shownName = names?.get(id) ?? name
  return { type, id, ...(shownName !== null && { name: shownName }), ...(roles && { roles }) }
}
