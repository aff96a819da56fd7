/**
 * Credential links: through one, the administrator of a customer enters an OAuth client without a key.
 *
 * Owns: /organizations/sso/oidc/credential-links; POST /console/link and /console/link/credential, which take no key but the token
 * of a link; the table credential_links.
 * A link that was used or deleted, or that has expired, keeps its row for days, so that whoever has its token is not taken for one who
 * guesses.
 * Leaves to `credentials` the credential, which is inactive until an admin key confirms it, to `limits`
 * how often somebody may try tokens, and to the console the page.
 */
import type { Operation } from '../../../ground/http/chain/operation.ts'
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
