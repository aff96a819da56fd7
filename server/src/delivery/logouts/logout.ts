import type { Queries, Transaction } from '../../ground/database/database.ts'
import type { Signer } from '../../ground/keys/index.ts'

/** What an application is told: that a session of its has ended (`sid`), or without `sid` all of a person. */
export type Logout = { clientId: string; subject?: string; sid?: string }

/**
 * To be called in the transaction that ends the sessions: a logout token goes to each of the applications after the commit. One without
 * `backchannel_logout_uri` is told nothing. It locks nothing, so it need not come last. Implemented by `queue`.
 */
export type EnqueueLogouts = (tx: Transaction, organizationId: string, logouts: Logout[]) => Promise<void>

/** The trigger of these deliveries, its type and its name: no event has it. */
export const logoutTrigger = 'logout'

/** `issuer`: the claim `iss`. Without `signer` the key cannot be read now. */
export type LogoutTarget = { targetUrl: string; issuer: string; signer: Signer | undefined }

/** By client id. Applications that are gone, or have no address any more, are missing. */
export type LoadLogoutTargets = (
  queries: Queries,
  applications: { organizationId: string; clientId: string }[],
) => Promise<Map<string, LogoutTarget>>
