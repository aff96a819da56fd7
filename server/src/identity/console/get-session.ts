import type { FastifyRequest } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import { sessionEnded } from '../../ground/errors.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { findOrganization } from '../organizations/index.ts'
import { namesOfPersons } from '../persons/index.ts'
import type { Session } from './find-sessions.ts'
import type { Sessions } from './sessions.ts'

export type GetDependencies = { sessions: Sessions; database: Database }

/** Whose page it is that is being opened, what it leaves out for want of a scope, and what it sends as `Service-Console` from then on. */
export const getSession =
  ({ sessions, database }: GetDependencies) =>
  async (request: FastifyRequest) => {
    const result = await describeSession(await sessions.openSession(request), database)
    if (!result) throw sessionEnded()
    return { result }
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
  const { id, organizationId, principal, authenticatedAt, expiresAt } = session
  const times = { expires_at: expiresAt, authenticated_at: authenticatedAt }
  if (!principal) return { id, by: { type: 'operator' }, scopes: [], ...times }
  const organization = await findOrganization(database.read, organizationId)
  if (!organization) return undefined
  const by = await showPrincipal(principal, organizationId, database)
  return { id, organization_id: organizationId, name: organization.name, by, scopes: principal.scopes, ...times }
}

async function showPrincipal({ type, id, name, roles }: Principal, organizationId: string, database: Database) {
  const names = type === 'person' ? await namesOfPersons(database.read, organizationId, [id]) : undefined
  const shownName = names?.get(id) ?? name
  return { type, id, ...(shownName !== null && { name: shownName }), ...(roles && { roles }) }
}
