import type { Transaction } from '../database/database.ts'
import { violates } from '../database/postgres-error.ts'
import { type SignIn, saveResult } from '../issuer/index.ts'
import { findOrganization, hasRoom, limitsOf } from '../organizations/index.ts'
import {
  countPersons,
  findPersonVouchedFor,
  type Handle,
  holdActivePerson,
  insertHandles,
  insertPerson,
  vouchForHandle,
  withdrawVouching,
} from '../persons/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import { authenticationSucceeded, personCreated } from './authentication-events.ts'
import type { Dependencies } from './dependencies.ts'
import { SignInFailure } from './failure.ts'
import { endFlow, type Flow } from './flow-store.ts'
import { confirmIdentity, type IdentityKey, insertIdentity, mayJoin } from './identity-store.ts'
import type { Found } from './recognise-person.ts'

/** All that is known of a sign-in before it is written. */
export type Prepared = {
  flow: Flow
  how: Found['how']
  key: IdentityKey
  /** Vouched for by the provider. */
  address: Handle | undefined
  /** Told by the provider, which does not vouch for it. */
  unvouched: Handle | undefined
  email: string | undefined
  region: string
  signIn: SignIn
}

/** What was found is no longer so. */
class Outdated extends Error {}

/**
 * The end of the flow, the person, the identity, the result for the issuer and the events, in one transaction. Gives false
 * when the person is no longer who it was; then nothing is written. Throws a `SignInFailure` when it came too late or the
 * pricing tier allows no more persons.
 */
export async function commitSignIn(prepared: Prepared, dependencies: Dependencies): Promise<boolean> {
  const { database, clock, publish, tiers, onOutcome } = dependencies
  const { flow, how, region, signIn } = prepared
  const { organizationId, id, interactionUid } = flow
  const now = toTimestamp(clock.now())
  const person = { personId: signIn.personId, region }
  const created = how === 'new' ? [personCreated(flow, person)] : []
  const write = async (tx: Transaction) => {
    if (how === 'new') await refuseBeyondLimit(tx, organizationId, tiers)
    // Sent together, in this order; what is not as it was found rolls back all of it.
    const [isOpen, isAsFound, isSaved] = await Promise.all([
      endFlow(tx, organizationId, id, now),
      bindIdentity[how](tx, prepared, now),
      saveResult(tx, organizationId, interactionUid, { signIn }, now),
      publish(tx, organizationId, [...created, authenticationSucceeded(flow, person)]),
    ])
    if (!isOpen || !isSaved) throw new SignInFailure('flow_expired', 'flow: is over')
    if (!isAsFound) throw new Outdated()
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

/** The person may have been deleted. */
const isOutdated = (error: unknown) =>
  error instanceof Outdated ||
  violates(error, 'identities_org_id_person_id_fkey') ||
  violates(error, 'handles_org_id_person_id_fkey') ||
  violates(error, 'issuer_interactions_person_fkey')

async function refuseBeyondLimit(tx: Transaction, organizationId: string, tiers: Dependencies['tiers']) {
  const organization = await findOrganization(tx, organizationId)
  if (!organization) throw new SignInFailure('unspecified', 'organization: was deleted')
  const limit = limitsOf(tiers, organization.pricing_tier).max_persons
  if (!(await hasRoom(tx, organizationId, { limit, adding: 1, count: () => countPersons(tx, organizationId) })))
    throw new SignInFailure('person_limit_reached', `persons: the pricing tier allows at most ${limit}`)
}

/**
 * How the identity gets its person, by how the person was found. Each gives whether that still is so. The person is held
 * before anything else is read: whoever ends the person's sessions comes before, and is seen, or after, and ends this one.
 */
const bindIdentity: Record<Found['how'], (tx: Transaction, prepared: Prepared, now: string) => Promise<boolean>> = {
  known: async (tx, prepared) => {
    const { flow, key, email, signIn } = prepared
    const [person, isTheirs] = await Promise.all([
      holdActivePerson(tx, flow.organizationId, signIn.personId),
      confirmIdentity(tx, flow.organizationId, signIn.personId, key, email),
      followAddress(tx, prepared),
    ])
    return person !== undefined && isTheirs
  },
  joins: async (tx, prepared, now) => {
    const { flow, key, address, signIn } = prepared
    const { organizationId } = flow
    const [person, owner, isAllowed, isOurs] = await Promise.all([
      holdActivePerson(tx, organizationId, signIn.personId),
      findPersonVouchedFor(tx, organizationId, address as Handle),
      mayJoin(tx, organizationId, signIn.personId, key),
      writeIdentity(tx, prepared, now),
    ])
    return person !== undefined && owner?.person_id === signIn.personId && isAllowed && isOurs
  },
  new: async (tx, prepared, now) => {
    const { flow, key, address, region, signIn } = prepared
    const { organizationId } = flow
    // An address that another person has becomes no handle: that person keeps it.
    const handles = address ? [{ ...address, verified: true, vouchedBy: key.issuer, position: 0 }] : []
    const [, , isOurs] = await Promise.all([
      insertPerson(tx, organizationId, { id: signIn.personId, active: true, region, createdAt: now }),
      insertHandles(tx, organizationId, signIn.personId, handles),
      writeIdentity(tx, prepared, now),
    ])
    return isOurs
  },
}

/** What the provider says of the address now is true of the person's handles as well. */
async function followAddress(tx: Transaction, { flow, key, address, unvouched, signIn }: Prepared) {
  const { organizationId } = flow
  if (address) await vouchForHandle(tx, organizationId, signIn.personId, { ...address, issuer: key.issuer })
  if (unvouched) await withdrawVouching(tx, organizationId, signIn.personId, { ...unvouched, issuer: key.issuer })
}

const writeIdentity = (tx: Transaction, { flow, key, email, signIn }: Prepared, createdAt: string) =>
  insertIdentity(tx, flow.organizationId, signIn.personId, {
    id: makeId(Date.parse(createdAt)),
    ...key,
    credentialId: signIn.credentialId,
    email,
    createdAt,
  })
