import type { Transaction } from '../../ground/database/database.ts'

/** What an application is told: that a session of its has ended (`sid`), or all of a person (`subject` without `sid`). */
export type Logout = { clientId: string; subject?: string; sid?: string }

/** In the transaction that ends the sessions. Applications without a `backchannel_logout_uri` are told nothing. */
export async function enqueueLogouts(_tx: Transaction, _organizationId: string, _logouts: Logout[]): Promise<void> {}
