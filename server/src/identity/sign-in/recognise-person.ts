import type { Queries } from '../../ground/database/database.ts'
import { consoleClientId } from '../issuer/index.ts'
import { findSettings, type Settings } from '../organizations/index.ts'
import {
  findPersonOf,
  findPersonVouchedFor,
  guardedGroupOf,
  type Handle,
  hasIdentity,
  type IdentityKey,
  type KnownPerson,
  mayLink,
} from '../persons/index.ts'
import { SignInFailure } from './end-sign-in.ts'

type KnownRecognition = { personId: string; region: string; groups: string[]; isFirst: boolean }

/** 'known' by the identity; 'linked' to the person with the same verified address; or a new person. */
export type Recognition =
  | (KnownRecognition & { how: 'known'; identityId: string })
  | (KnownRecognition & { how: 'linked' })
  | { how: 'new' }

type Recognised = {
  key: IdentityKey
  verifiedEmail: Handle | undefined
  clientId?: string
  isInvited?: boolean
}

/**
 * Finds the person of an identity. An address links an identity to a person only if the organization's settings allow that, and never at
 * the console. Throws a `SignInFailure`. `clientId`: absent in a test. `isInvited`: then whoever is not known becomes a person, whatever the
 * settings say.
 */
export async function recognisePerson(
  queries: Queries,
  organizationId: string,
  { key, verifiedEmail, clientId, isInvited }: Recognised,
): Promise<Recognition> {
  const known = await findPersonOf(queries, organizationId, key)
  if (known) return { how: 'known', identityId: known.identityId, isFirst: false, ...requireActive(known) }
  if (isInvited) return { how: 'new' }
  // Who is not known there cannot be an administrator, whatever lets people in at applications.
  if (clientId === consoleClientId)
    throw new SignInFailure('registration_not_allowed', 'person: is not known, and signs in to the console')
  const settings = (await findSettings(queries, organizationId)) as Settings
  const owner =
    verifiedEmail && settings.link_by_verified_email
      ? await findPersonToLink(queries, organizationId, key, verifiedEmail)
      : undefined
  if (owner) {
    const isFirst = !(await hasIdentity(queries, organizationId, owner.person_id))
    return { how: 'linked', isFirst, ...requireActive({ ...owner, personId: owner.person_id }) }
  }
  const setting = refusingSetting(settings, verifiedEmail)
  if (setting !== undefined)
    throw new SignInFailure(
      'registration_not_allowed',
      `person: is not known, and ${setting} lets nobody in who is not`,
      {
        setting,
      },
    )
  return { how: 'new' }
}

/**
 * The person to whom a verified address links an identity: an admin key has vouched for the person's handle. That the same
 * address was seen twice at one provider proves nothing, since its owner may have changed in between. Whoever enters the console gets
 * identities by invitation or from an admin key alone.
 */
async function findPersonToLink(queries: Queries, organizationId: string, key: IdentityKey, verifiedEmail: Handle) {
  const owner = await findPersonVouchedFor(queries, organizationId, verifiedEmail)
  if (!owner || (await guardedGroupOf(queries, organizationId, owner.person_id)) !== undefined) return undefined
  return (await mayLink(queries, organizationId, owner.person_id, key)) ? owner : undefined
}

function requireActive({ personId, active, region, groups }: KnownPerson) {
  if (!active) throw new SignInFailure('person_not_active', 'person: is not active', { person: { personId, region } })
  return { personId, region, groups }
}

/** The setting that lets a person not register; undefined if none does. */
function refusingSetting(
  { self_registration, allowed_email_domains }: Settings,
  email: Handle | undefined,
): keyof Settings | undefined {
  if (!self_registration) return 'self_registration'
  const domain = email?.key.slice(email.key.indexOf('@') + 1)
  const isAllowed = allowed_email_domains.length === 0 || allowed_email_domains.includes(domain ?? '')
  return isAllowed ? undefined : 'allowed_email_domains'
}
