import type { NewEvent, SignInHandle } from '../../delivery/events/index.ts'
import type { Transaction } from '../../ground/database/database.ts'
import { violates } from '../../ground/database/postgres-error.ts'
import { hasRoom } from '../../ground/limits/index.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import type { Provider } from '../credentials/index.ts'
import { externalIdToLock, lockUserNames } from '../directories/index.ts'
import { acceptInvitation } from '../invitations/index.ts'
import { type SignIn, saveSignIn } from '../issuer/index.ts'
import { findOrganization, holdConsoleAccess, limitsOf } from '../organizations/index.ts'
import { groupEvents } from '../persons/groups/index.ts'
import {
  addIdentity,
  countPersons,
  findPersonVouchedFor,
  guardedGroupOf,
  guardedIn,
  type Handle,
  holdActivePerson,
  type IdentityKey,
  insertPerson,
  keepProviderClaims,
  mayLink,
  type ProviderClaims,
} from '../persons/index.ts'
import { authenticationSucceeded, personCreated } from './authentication-events.ts'
import type { Dependencies } from './dependencies.ts'
import { SignInFailure } from './end-sign-in.ts'
import { endFlowWithSignIn, type Flow } from './flow-store.ts'
import { type DirectoryAccount, findPushedPerson } from './recognise-by-directory.ts'
import type { Recognition } from './recognise-person.ts'

/** A sign-in before it is written. */
export type Prepared = {
  flow: Flow
  how: Recognition['how']
  key: IdentityKey & { provider: Provider }
  /** By which a directory may have made a person meanwhile. */
  account: DirectoryAccount | undefined
  providerClaims: ProviderClaims
  region: string
  /** The operator's group, where it is one of the organization. */
  guardedGroup: string | undefined
  /** With the id that a new identity is to get. */
  signIn: SignIn & { identityId: string }
  /** What the person accepts by it. */
  invitationId: string | undefined
  handle: SignInHandle | undefined
}

/** The person or the identity has changed since it was read. */
class Outdated extends Error {}

/**
 * Writes the end of the flow, the person, the identity, the result for the issuer, what the person was invited to, and the events, in one
 * transaction. Gives
 * false if the person or the identity has changed meanwhile; then nothing is written. Throws a `SignInFailure` if the flow is
 * over or the pricing tier allows no more persons.
 */
export async function commitSignIn(prepared: Prepared, dependencies: Dependencies): Promise<boolean> {
  const { database, clock, publish, tiers, endSessions, onOutcome } = dependencies
  const { flow, how, key, region, signIn, invitationId, handle } = prepared
  const { organizationId, id, interactionUid } = flow
  const now = toTimestamp(clock.now())
  const person = { personId: signIn.personId, region }
  const created = how === 'new' ? [personCreated(flow, person)] : []
  const write = async (tx: Transaction) => {
    // First, as everywhere: a group may become guarded now.
    const isGuardable = how === 'linked' || how === 'pushed' || invitationId !== undefined
    if (isGuardable) await holdConsoleAccess(tx, organizationId)
    if (how === 'new') await refuseBeyondLimit(tx, organizationId, tiers)
    if (!(await isStillPushed(tx, prepared))) throw new Outdated()
    // Sent together, in this order; anything that has changed since it was read rolls back the transaction.
    const [ended, isUnchanged, saved] = await Promise.all([
      endFlowWithSignIn(tx, organizationId, id, now),
      bindIdentity[how](tx, prepared, now),
      saveSignIn(tx, organizationId, interactionUid, signIn, { now, endSessions }),
    ])
    if (!ended || saved === 'over') throw new SignInFailure('flow_expired', 'flow: is over')
    if (!ended.isServed)
      throw new SignInFailure('credential_misconfigured', 'credential: was deleted, or is not active')
    if (saved === 'unregistered')
      throw new SignInFailure('redirect_uri_removed', 'redirect_uri: is not registered any more')
    if (!isUnchanged) throw new Outdated()
    const joined = await accept(tx, prepared, dependencies, now)
    const listed = { clientId: flow.clientId, credentialId: signIn.credentialId, provider: key.provider, handle }
    const event = authenticationSucceeded(flow, person, listed)
    await tx.last(() => publish(tx, organizationId, [...created, ...joined, event]))
    tx.afterCommit(() => onOutcome('succeeded'))
  }
  return database.transaction(write).then(
    () => true,
    (error) => {
      if (isOutdated(error)) return false
      throw error
    },
  )
}

export const invitationNotOpen = () =>
  new SignInFailure('invitation_not_open', 'invitation: was used or deleted, or has expired, since it was opened')

/** Gives the event of a person who was there before and joins the group. Throws a `SignInFailure` if the invitation is not open any more. */
async function accept(
  tx: Transaction,
  { flow, how, signIn, invitationId }: Prepared,
  { recordAs, findKept }: Pick<Dependencies, 'recordAs' | 'findKept'>,
  now: string,
): Promise<NewEvent[]> {
  if (invitationId === undefined) return []
  const origin = { requestId: null, clientAddress: flow.clientAddress }
  const accepting = { invitationId, personId: signIn.personId, now, origin, recordAs, findKept }
  const joined = await acceptInvitation(tx, flow.organizationId, accepting)
  if (!joined) throw invitationNotOpen()
  return how === 'new' ? [] : groupEvents(flow, joined.person, joined)
}

/** The person may have been deleted. */
const isOutdated = (error: unknown) =>
  error instanceof Outdated ||
  violates(error, 'identities_org_id_person_id_fkey') ||
  violates(error, 'handles_org_id_person_id_fkey') ||
  violates(error, 'vouchers_org_id_identity_id_fkey') ||
  violates(error, 'issuer_interactions_org_id_person_id_fkey')

/** Throws a `SignInFailure` if the pricing tier allows no more persons. */
export async function refuseBeyondLimit(tx: Transaction, organizationId: string, tiers: Dependencies['tiers']) {
  const organization = await findOrganization(tx, organizationId)
  if (!organization) throw new SignInFailure('unspecified', 'organization: was deleted')
  const limit = limitsOf(tiers, organization.pricing_tier).max_persons
  if (!(await hasRoom(tx, organizationId, { limit, adding: 1, count: () => countPersons(tx, organizationId) })))
    throw new SignInFailure('person_limit_reached', `persons: the pricing tier allows at most ${limit}`)
}

/**
 * Whether the directory at this credential makes a person of this account as it did when the person was recognised, or makes none. It stays
 * so until the transaction ends, so that a user who is created at the same time and a first sign-in make one person.
 */
async function isStillPushed(tx: Transaction, { flow, how, key, account, guardedGroup, signIn }: Prepared) {
  if (!account) return true
  const { organizationId } = flow
  // First, as everywhere; and nobody enters a group meanwhile.
  if (how !== 'new' && !(await holdActivePerson(tx, organizationId, signIn.personId))) return false
  await lockUserNames(tx, organizationId, [externalIdToLock(account.directoryId, account.externalId)])
  const pushed = await findPushedPerson(tx, organizationId, { key, account, guardedGroup })
  return pushed?.personId === (how === 'pushed' ? signIn.personId : undefined)
}

type Bind = (tx: Transaction, prepared: Prepared, now: string) => Promise<boolean>

/**
 * How the identity gets its person, by how the person was recognised. Each gives whether that still holds. The person is
 * locked before anything else is read, so that ending the person's sessions happens before, and is seen, or after, and ends
 * this one.
 */
const bindIdentity: Record<Recognition['how'], Bind> = {
  known: async (tx, { flow, key, providerClaims, signIn }, now) => {
    const { organizationId } = flow
    const [person, isKept] = await Promise.all([
      holdActivePerson(tx, organizationId, signIn.personId),
      keepProviderClaims(
        tx,
        organizationId,
        signIn.personId,
        { id: signIn.identityId, issuer: key.issuer, ...providerClaims },
        now,
      ),
    ])
    return person !== undefined && isKept
  },
  pushed: (tx, prepared, now) => addNew(tx, prepared, now),
  linked: async (tx, prepared, now) => {
    const { flow, key, providerClaims, guardedGroup, signIn } = prepared
    const { organizationId } = flow
    const [person, guarded, owner, isAllowed, isAdded] = await Promise.all([
      holdActivePerson(tx, organizationId, signIn.personId),
      guardedGroupOf(tx, guardedIn(organizationId, guardedGroup), signIn.personId),
      findPersonVouchedFor(tx, organizationId, [providerClaims.handle as Handle]),
      mayLink(tx, organizationId, signIn.personId, key),
      addNew(tx, prepared, now),
    ])
    const isSame = person !== undefined && guarded === undefined && owner?.person_id === signIn.personId
    return isSame && isAllowed && isAdded
  },
  new: async (tx, prepared, now) => {
    const { flow, region, signIn } = prepared
    const [, isAdded] = await Promise.all([
      insertPerson(tx, flow.organizationId, { id: signIn.personId, active: true, region, createdAt: now }),
      addNew(tx, prepared, now),
    ])
    return isAdded
  },
}

const addNew = (tx: Transaction, { flow, key, providerClaims, signIn }: Prepared, createdAt: string) =>
  addIdentity(tx, flow.organizationId, signIn.personId, {
    id: signIn.identityId,
    ...key,
    ...providerClaims,
    credentialId: signIn.credentialId,
    createdAt,
  })
