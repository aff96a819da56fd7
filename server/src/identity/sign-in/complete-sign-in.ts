import type { SignInHandle } from '../../delivery/events/index.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import type { Credential } from '../credentials/index.ts'
import { isOpenInvitation } from '../invitations/index.ts'
import type { Authentication, Interaction, SignIn } from '../issuer/index.ts'
import { operatorsIn } from '../organizations/index.ts'
import { type Handle, toProviderClaims } from '../persons/index.ts'
import type { UpstreamIdentity } from '../providers/index.ts'
import { method } from './authentication-events.ts'
import { commitSignIn, invitationNotOpen, type Prepared } from './commit-sign-in.ts'
import type { Dependencies } from './dependencies.ts'
import { SignInFailure } from './end-sign-in.ts'
import type { Flow } from './flow-store.ts'
import { type Recognition, recognisePerson } from './recognise-person.ts'
import { runHooks } from './run-hooks.ts'

/** Another sign-in or an administrator may change the person between lookup and commit; then both are repeated. */
const maxAttempts = 5

type Identified = {
  flow: Flow
  interaction: Interaction
  credential: Credential
  identity: UpstreamIdentity
  /** As the provider told it. */
  handle: SignInHandle | undefined
  /** No further attempt begins after this time, lest it outlive the flow. */
  retryUntil: number
}

/**
 * Finds or makes the person, runs the hooks, and commits the sign-in at once. The hooks run before the commit, for a person
 * who may not be stored yet. Throws a `SignInFailure`; then nothing is committed.
 */
export async function completeSignIn(identified: Identified, dependencies: Dependencies) {
  const { clock, onFailpoint } = dependencies
  let attempts = 0
  do {
    const prepared = await prepare(identified, dependencies)
    onFailpoint('hooked')
    if (await commitSignIn(prepared, dependencies)) return
  } while (++attempts < maxAttempts && clock.now() < identified.retryUntil)
  throw new SignInFailure('unspecified', 'person: was changed by others each time')
}

async function prepare(identified: Identified, dependencies: Dependencies): Promise<Prepared> {
  const { flow, interaction, credential, identity, handle } = identified
  const { organizationId } = flow
  const { database, clock, operatorGroup, providers } = dependencies
  const guardedGroup = operatorsIn(operatorGroup, organizationId)
  const key = { provider: credential.provider, issuer: identity.issuer, subject: identity.subject }
  const providerClaims = toProviderClaims(identity)
  const { clientId, invitationId } = interaction
  const isInvited = await isInvitedBy(invitationId, organizationId, dependencies)
  const verifiedEmail = providerClaims.handle
  const recognised = { credential, providers, key, verifiedEmail, guardedGroup, clientId, isInvited }
  const found = await recognisePerson(database.read, organizationId, recognised)
  requireHinted(found, interaction)
  const isNew = found.how === 'new'
  const person = isNew ? newPerson(dependencies) : found
  const authentications: SignIn['authentications'] = [authenticationBy(providerClaims.handle, clock.now())]
  const input = { organizationId, clientId, client: flow, person, authentications }
  const claims = await runHooks({ ...input, isStored: !isNew, isFirst: isNew || found.isFirst }, dependencies)
  const identityId = found.how === 'known' ? found.identityId : makeId(clock.now())
  const signIn = { personId: person.personId, credentialId: credential.id, identityId, authentications, claims }
  const { how } = found
  const account = found.how === 'known' ? undefined : found.account
  return { flow, how, key, account, providerClaims, region: person.region, guardedGroup, signIn, invitationId, handle }
}

/** Throws a `SignInFailure` where the invitation is over, also for a person who is known: whoever was invited comes in by that or not at all. */
async function isInvitedBy(
  invitationId: string | undefined,
  organizationId: string,
  { database, clock }: Dependencies,
): Promise<boolean> {
  if (invitationId === undefined) return false
  if (await isOpenInvitation(database.read, organizationId, invitationId, toTimestamp(clock.now()))) return true
  throw invitationNotOpen()
}

function requireHinted(found: Recognition, { hintedPersonId }: Interaction) {
  const recognised = found.how === 'new' ? undefined : found
  if (hintedPersonId === undefined || recognised?.personId === hintedPersonId) return
  throw new SignInFailure('person_mismatch', 'person: is not the one of id_token_hint', { person: recognised })
}

/** Only the hooks learn the id before it is committed. */
const newPerson = ({ clock, region }: Dependencies) => ({ personId: makeId(clock.now()), region, groups: [] })

const authenticationBy = (handle: Handle | undefined, now: number): Authentication => ({
  ...(handle && { handle: { type: handle.type, value: handle.value } }),
  method,
  timestamp: toTimestamp(now),
})
