/**
 * Credential links: through one, the administrator of a customer enters an OAuth client without a key.
 *
 * Owns: /organizations/sso/oidc/credential-links; POST /console/link and /console/link/credential, which take no key but the token
 * of a link; the table credential_links.
 * A link has a row while it can be used: using it, deleting it and the sweep remove that row, so that what comes after finds nothing.
 * Leaves to `credentials` the credential, which is inactive until an admin key confirms it, to `failed-attempts`
 * how often somebody may try tokens, and to the console the page.
 */
import type { Operation } from '../http/operation.ts'
import { createLink } from './create-link.ts'
import { deleteLink } from './delete-link.ts'
import { listLinks } from './list-links.ts'
import { openLink } from './open-link.ts'
import { useLink } from './use-link.ts'

export { removeExpiredLinks } from './link-store.ts'

export const credentialLinksOperations = (dependencies: Parameters<typeof useLink>[0]): Operation[] => [
  createLink(dependencies),
  listLinks(dependencies),
  deleteLink(dependencies),
  openLink(dependencies),
  useLink(dependencies),
]
