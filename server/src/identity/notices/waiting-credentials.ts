import { findWaiting } from '../credentials/index.ts'
import type { Find } from './finding.ts'

export const waitingCredentials: Find = async ({ queries, organizationId, limit }) => {
  const credentials = await findWaiting(queries, organizationId, limit)
  return credentials.map(({ client_id, label, provider, waits_since, waits_for }) => ({
    since: waits_since,
    target: { type: 'oidc_credential', id: client_id, ...(label && { name: label }) },
    provider,
    waits_for,
  }))
}
