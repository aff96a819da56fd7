import type { RemoveCredentialFromDirectory } from '../credentials/index.ts'
import { removeCredential } from './directory-store.ts'

/**
 * An external id names an account at the issuer to which the credential pointed. At another one it is another account's, which anybody could
 * have who runs that issuer.
 */
export const removeCredentialFromDirectory: RemoveCredentialFromDirectory = async (
  tx,
  organizationId,
  credentialId,
  record,
) => {
  const directory = await removeCredential(tx, organizationId, credentialId)
  if (!directory) return
  const { id, name, oauth_client_id } = directory
  const target = { type: 'directory' as const, id }
  await record(tx, organizationId, { target, before: { name, oauth_client_id }, after: { name } })
}
