import type { Transaction } from '../../ground/database/database.ts'
import { readHandle } from './handle.ts'
import { vouchByIdentity, withdrawByIdentity } from './handle-store.ts'
import {
  findIdentity,
  insertIdentity,
  type KnownIdentity,
  lockAddresses,
  type NewIdentity,
  type ProviderClaims,
  updateIdentity,
  withdrawFromEarlier,
} from './identity-store.ts'

type Claimed = { email?: string; emailVerified: boolean; profile?: object }

/** What a provider says of a person, as it is stored. */
export function toProviderClaims({ email, emailVerified, profile = {} }: Claimed): ProviderClaims {
  const handle = email === undefined ? undefined : readHandle('EmailAddress', email)
  const claims = { email: email ?? null, emailKey: handle?.key ?? email ?? null, emailVerified, profile }
  return { ...claims, handle: emailVerified ? handle : undefined }
}

/** Of the address that is confirmed. */
const confirmedKeyOf = ({ emailVerified, emailKey }: ProviderClaims): string[] =>
  emailVerified && emailKey !== null ? [emailKey] : []

/**
 * Stores a new identity of a person with what its provider says. Gives false where somebody has the identity by now, or the person has
 * another one at its issuer.
 */
export async function addIdentity(tx: Transaction, organizationId: string, personId: string, identity: NewIdentity) {
  const confirmed = confirmedKeyOf(identity)
  const [, , isInserted] = await Promise.all([
    lockAddresses(tx, organizationId, identity.issuer, confirmed),
    withdrawFromEarlier(tx, organizationId, identity, confirmed, identity.createdAt),
    insertIdentity(tx, organizationId, personId, identity),
    identity.handle && vouchByIdentity(tx, organizationId, personId, identity.handle, identity),
  ])
  return isInserted
}

type SignedIn = ProviderClaims & { id: string; issuer: string }

/**
 * Stores what the provider of a known identity says now, and what follows for the handles of the person. A sign-in that says what the one
 * before said is one statement and writes nothing. Gives false where the person does not have the identity any more, or another sign-in
 * with it came first.
 */
export async function keepProviderClaims(
  tx: Transaction,
  organizationId: string,
  personId: string,
  identity: SignedIn,
  now: string,
): Promise<boolean> {
  const known = await findIdentity(tx, organizationId, personId, identity)
  if (!known || known.isCurrent) return known !== undefined
  return changeProviderClaims(tx, organizationId, personId, { ...identity, ...known }, now)
}

/** Sent together, like the statements above: each sees what those before it have done. */
async function changeProviderClaims(
  tx: Transaction,
  organizationId: string,
  personId: string,
  identity: SignedIn & KnownIdentity,
  now: string,
) {
  const { id, issuer, confirmedKey, handle } = identity
  const confirmed = confirmedKeyOf(identity)
  const [, , isUpdated] = await Promise.all([
    lockAddresses(tx, organizationId, issuer, confirmedKey === null ? confirmed : [confirmedKey, ...confirmed]),
    withdrawFromEarlier(tx, organizationId, identity, confirmed, now),
    updateIdentity(tx, organizationId, { ...identity, now }),
    withdrawByIdentity(tx, organizationId, id, handle?.key ?? null),
    handle && vouchByIdentity(tx, organizationId, personId, handle, identity),
  ])
  return isUpdated
}
