import type { Queries, Transaction } from '../../ground/database/database.ts'
import { badRequest } from '../../ground/errors.ts'
import { findByClientId, holdCredential, isCustomersOwn, type OperatorServers } from '../credentials/index.ts'

type Credential = Awaited<ReturnType<typeof findByClientId>>

type Find<From extends Queries> = (queries: From, organizationId: string, clientId: string) => Promise<Credential>

/**
 * The id of the credential that a directory is to have. Null and undefined stay. Throws a 400 where there is none, or where anybody may have
 * an account at its provider: then an external id would be no proof.
 */
const idBy =
  <From extends Queries>(find: Find<From>) =>
  async (queries: From, organizationId: string, clientId: string | null | undefined, servers: OperatorServers) =>
    typeof clientId === 'string' ? requireOwn(await find(queries, organizationId, clientId), servers) : clientId

/** The credential stays as it is until the end of the transaction. */
export const holdDirectoryCredential = idBy<Transaction>(holdCredential)
export const checkDirectoryCredential = idBy(findByClientId)

function requireOwn(credential: Credential, servers: OperatorServers) {
  if (!credential)
    throw badRequest('unknown_reference', 'oauth_client_id: must be that of a credential of this organization')
  if (!isCustomersOwn(credential.provider, credential.options, servers))
    throw badRequest('invalid_value', notCustomersOwn)
  return credential.id
}

const notCustomersOwn =
  "oauth_client_id: must be of a provider that is the customer's own: provider_h, oidc, provider_g with the GUID or a domain of a tenant, " +
  'or a server of SIGNET_PROVIDERS'
