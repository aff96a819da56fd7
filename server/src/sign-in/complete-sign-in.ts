import type { Credential } from '../credentials/index.ts'
import type { Authentication, Interaction, SignIn } from '../issuer/index.ts'
import type { Handle } from '../persons/index.ts'
import type { UpstreamIdentity } from '../providers/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import { method } from './authentication-events.ts'
import { commitSignIn, type Prepared } from './commit-sign-in.ts'
import type { Dependencies } from './dependencies.ts'
import { SignInFailure } from './failure.ts'
import type { Flow } from './flow-store.ts'
import { type Found, recognisePerson, unvouchedAddress, vouchedAddress } from './recognise-person.ts'
import { runHooks } from './run-hooks.ts'

/** Between finding a person and committing, another sign-in or an administrator may change who that is. */
const maxTries = 5

type Identified = {
  flow: Flow
  interaction: Interaction
  credential: Credential
  identity: UpstreamIdentity
  /** The first try is made in any case; no other one that might outlive the flow. */
  triesUntil: number
}

/**
 * Finds or makes the person, runs the hooks, and commits all of the sign-in at once. The hooks run before that, for a
 * person who may not exist yet. Throws a `SignInFailure`, and then nothing is committed.
 */
export async function completeSignIn(identified: Identified, dependencies: Dependencies) {
  const { clock, onFailpoint } = dependencies
  for (let tries = 0; tries === 0 || (tries < maxTries && clock.now() < identified.triesUntil); tries++) {
    const prepared = await prepare(identified, dependencies)
    onFailpoint('hooked')
    if (await commitSignIn(prepared, dependencies)) return
  }
  throw new SignInFailure('unspecified', 'person: was changed by others each time')
}

async function prepare(identified: Identified, dependencies: Dependencies): Promise<Prepared> {
  const { flow, interaction, credential, identity } = identified
  const { organizationId } = flow
  const { database, clock } = dependencies
  const key = { provider: credential.provider, issuer: identity.issuer, subject: identity.subject }
  const address = vouchedAddress(identity)
  const found = await recognisePerson(database.read, organizationId, { key, address })
  refuseAnother(found, interaction)
  const isNew = found.how === 'new'
  const person = isNew ? newPerson(dependencies) : found
  const authentications: SignIn['authentications'] = [authenticationBy(address, clock.now())]
  const fired = { organizationId, clientId: interaction.clientId, visit: flow, person, authentications }
  const claims = await runHooks({ ...fired, isKnown: !isNew, isFirst: isNew || found.isFirst }, dependencies)
  const signIn = { personId: person.personId, credentialId: credential.id, authentications, claims }
  const { email } = identity
  const unvouched = unvouchedAddress(identity)
  return { flow, how: found.how, key, address, unvouched, email, region: person.region, signIn }
}

function refuseAnother(found: Found, { hintedPersonId }: Interaction) {
  const recognised = found.how === 'new' ? undefined : found
  if (hintedPersonId === undefined || recognised?.personId === hintedPersonId) return
  throw new SignInFailure('person_mismatch', 'person: is not the one of id_token_hint', recognised)
}

/** Nobody has heard of the id before all of it is committed, but the hooks. */
const newPerson = ({ clock, region }: Dependencies) => ({ personId: makeId(clock.now()), region, groups: [] })

const authenticationBy = (address: Handle | undefined, now: number): Authentication => ({
  ...(address && { handle: { type: address.type, value: address.value } }),
  method,
  timestamp: toTimestamp(now),
})
