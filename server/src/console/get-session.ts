import type { FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import { sessionEnded } from '../errors.ts'
import { missingOf, readScopes } from '../http/scopes.ts'
import { findOrganization } from '../organizations/index.ts'
import type { Session, Sessions } from './sessions.ts'

export type GetDependencies = { sessions: Sessions; database: Database }

/** What the pages show, and what they leave out for want of a scope. */
export const getSession =
  ({ sessions, database }: GetDependencies) =>
  async (request: FastifyRequest) => {
    const session = await sessions.findSession(request)
    if (!session) throw sessionEnded()
    return { result: { ...(await describeHolder(session, database)), ...describeEnd(session) } }
  }

async function describeHolder({ organizationId, key }: Session, database: Database) {
  if (!key) return { operator: true, scopes: [], is_admin: false, read_only: false }
  const organization = await findOrganization(database.read, organizationId)
  // Deleted since its key was read.
  if (!organization) throw sessionEnded()
  const { keyId: id, name, scopes, isAdmin } = key
  return {
    ...{ organization_id: organizationId, organization_name: organization.name },
    ...{ key: { id, ...(name !== null && { name }) }, operator: false },
    ...{ scopes, is_admin: isAdmin, read_only: missingOf(readScopes, scopes).length === 0 },
  }
}

const describeEnd = ({ expiresAt, endsAt }: Session) => ({ expires_at: expiresAt, ends_at: endsAt })
