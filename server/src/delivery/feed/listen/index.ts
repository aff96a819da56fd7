/**
 * Listen: the events of an organization, live, as webhooks get them, for a receiver on a developer's own machine.
 *
 * Owns: GET /organizations/webhooks/listen. No tables: who listens leaves no trace, and no delivery.
 * Leaves to `feed` which events there are and their cursors, to `attempts` the claims of the JWT, and to `keys` the signature.
 */
import type { Operation } from '../../../ground/http/chain/operation.ts'
import { listenOperation } from './listen.ts'

export const listenOperations = (dependencies: Parameters<typeof listenOperation>[0]): Operation[] => [
  listenOperation(dependencies),
]
