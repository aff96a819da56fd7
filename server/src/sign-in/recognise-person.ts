import type { Queries } from '../database/database.ts'
import { findSettings, type Settings } from '../organizations/index.ts'
import { findPersonVouchedFor, type Handle, readHandle } from '../persons/index.ts'
import type { UpstreamIdentity } from '../providers/index.ts'
import { SignInFailure } from './failure.ts'
import { findPersonOf, hasIdentity, type IdentityKey, type KnownPerson, mayJoin } from './identity-store.ts'

/** `known` by the identity; `joins` whoever has its address; or nobody yet, who becomes a new person. */
export type Found =
  | { how: 'known' | 'joins'; personId: string; region: string; groups: string[]; isFirst: boolean }
  | { how: 'new' }

type Recognition = { key: IdentityKey; address: Handle | undefined }

/** An address that the provider vouches for, where it can be a handle. */
export const vouchedAddress = ({ email, emailVerified }: UpstreamIdentity): Handle | undefined =>
  email !== undefined && emailVerified ? readHandle('EmailAddress', email) : undefined

/** The address of an identity whose provider does not vouch for it, where it can be a handle. */
export const unvouchedAddress = ({ email, emailVerified }: UpstreamIdentity): Handle | undefined =>
  email !== undefined && !emailVerified ? readHandle('EmailAddress', email) : undefined

/**
 * Whose identity this is. An address alone finds nobody. Only where the organization wants that it joins an identity to a
 * person. Throws a `SignInFailure`.
 */
export async function recognisePerson(
  queries: Queries,
  organizationId: string,
  { key, address }: Recognition,
): Promise<Found> {
  const known = await findPersonOf(queries, organizationId, key)
  if (known) return { how: 'known', isFirst: false, ...onlyActive(known) }
  const settings = (await findSettings(queries, organizationId)) as Settings
  const owner =
    address && settings.link_by_verified_email ? await findJoined(queries, organizationId, { key, address }) : undefined
  if (owner) {
    const isFirst = !(await hasIdentity(queries, organizationId, owner.person_id))
    return { how: 'joins', isFirst, ...onlyActive({ ...owner, personId: owner.person_id }) }
  }
  if (!mayRegister(settings, address))
    throw new SignInFailure(
      'registration_not_allowed',
      'person: is not known, and the settings let nobody in who is not',
    )
  return { how: 'new' }
}

/**
 * The person whom an address joins an identity to. The provider vouches for the address, and an admin key for the person's
 * handle; that the same address was seen twice at one provider proves nothing, for it may have got another owner in between.
 */
async function findJoined(
  queries: Queries,
  organizationId: string,
  { key, address }: { key: IdentityKey; address: Handle },
) {
  const owner = await findPersonVouchedFor(queries, organizationId, address)
  return owner && (await mayJoin(queries, organizationId, owner.person_id, key)) ? owner : undefined
}

function onlyActive({ personId, active, region, groups }: KnownPerson) {
  if (!active) throw new SignInFailure('person_not_active', 'person: is not active', { personId, region })
  return { personId, region, groups }
}

function mayRegister({ self_registration, allowed_email_domains }: Settings, address: Handle | undefined): boolean {
  if (!self_registration || allowed_email_domains.length === 0) return self_registration
  const domain = address?.key.slice(address.key.indexOf('@') + 1)
  return domain !== undefined && allowed_email_domains.includes(domain)
}
