/**
 * Directory links: through one, the administrator of a customer makes a token of their directory without a key.
 *
 * A link that was used or deleted, or that has expired, keeps its row for days, so that whoever has its token is not taken for one who
 * guesses.
 */
import type { Operation } from '../../../ground/http/chain/operation.ts'
import { createLink } from './create-link.ts'
import { deleteLink } from './delete-link.ts'
import { listLinks } from './list-links.ts'
import { openLink } from './open-link.ts'
import { useLink } from './use-link.ts'

export { removeExpiredDirectoryLinks } from './link-store.ts'

type Dependencies = Parameters<typeof createLink>[0] & Parameters<typeof useLink>[0]

export const directoryLinksOperations = (dependencies: Dependencies): Operation[] => [
  createLink(dependencies),
  listLinks(dependencies),
  deleteLink(dependencies),
  openLink(dependencies),
  useLink(dependencies),
]
