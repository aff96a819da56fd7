import type { Queries } from '../../ground/database/database.ts'
import type { Credential } from '../credentials/index.ts'
import { consoleClientId } from '../issuer/index.ts'
import { findSettings, type Settings } from '../organizations/index.ts'
import {
  findPersonOf,
  findPersonVouchedFor,
  guardedGroupOf,
  guardedIn,
  type Handle,
  hasIdentity,
  type IdentityKey,
  type KnownPerson,
  mayLink,
} from '../persons/index.ts'
import type { Providers } from '../providers/index.ts'
import { SignInFailure } from './end-sign-in.ts'
import { type DirectoryAccount, findDirectoryAccount, findPushedPerson } from './recognise-by-directory.ts'

type KnownRecognition = { personId: string; region: string; groups: string[]; isFirst: boolean }

/**
 * 'known' by the identity; 'pushed': made by the directory for this account; 'linked' to the person with the same verified address; or a
 * new person. `account`: how the directory at this credential calls it, which may make a person of it meanwhile.
 */
export type Recognition =
  | (KnownRecognition & { how: 'known'; identityId: string })
  | (KnownRecognition & { how: 'pushed' | 'linked'; account: DirectoryAccount | undefined })
  | { how: 'new'; account: DirectoryAccount | undefined }

type Recognised = {
  credential: Credential
  providers: Pick<Providers, 'accountsAt'>
  key: IdentityKey
  verifiedEmail: Handle | undefined
  /** The operator's group, where it is one of the organization. */
  guardedGroup: string | undefined
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
  recognised: Recognised,
): Promise<Recognition> {
  const { key, guardedGroup, clientId, isInvited } = recognised
  const known = await findPersonOf(queries, organizationId, key)
  if (known) return { how: 'known', identityId: known.identityId, isFirst: false, ...requireActive(known) }
  // Who is not known there cannot be an administrator, whatever lets people in at applications.
  if (clientId === consoleClientId && !isInvited)
    throw new SignInFailure('registration_not_allowed', 'person: is not known, and signs in to the console')
  const account = await findDirectoryAccount(queries, organizationId, recognised)
  const pushed = await findPushedPerson(queries, organizationId, { key, account, guardedGroup })
  if (pushed) {
    const isFirst = !(await hasIdentity(queries, organizationId, pushed.personId))
    return { how: 'pushed', account, isFirst, ...requireActive(pushed) }
  }
  return isInvited
    ? { how: 'new', account }
    : { account, ...(await registerPerson(queries, organizationId, recognised)) }
}

/** Somebody whom neither an identity nor a directory tells. */
async function registerPerson(
  queries: Queries,
  organizationId: string,
  { key, verifiedEmail, guardedGroup }: Recognised,
): Promise<(KnownRecognition & { how: 'linked' }) | { how: 'new' }> {
  const settings = (await findSettings(queries, organizationId)) as Settings
  const owner =
    verifiedEmail && settings.link_by_verified_email
      ? await findPersonToLink(queries, organizationId, { key, verifiedEmail, guardedGroup })
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
async function findPersonToLink(
  queries: Queries,
  organizationId: string,
  { key, verifiedEmail, guardedGroup }: Pick<Recognised, 'key' | 'guardedGroup'> & { verifiedEmail: Handle },
) {
  const owner = await findPersonVouchedFor(queries, organizationId, [verifiedEmail])
  if (!owner || (await guardedGroupOf(queries, guardedIn(organizationId, guardedGroup), owner.person_id)) !== undefined)
    return undefined
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
