import type { Provider } from '../credentials/index.ts'
import { type Interaction, saveResult } from '../issuer/index.ts'
import { findPerson } from '../persons/index.ts'
import { ProviderFailure } from '../providers/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { authenticationFailed } from './authentication-events.ts'
import type { Dependencies } from './dependencies.ts'
import { type FailureWord, oauthErrorOf, type Recognised, SignInFailure } from './failure.ts'
import { endFlow, type Flow } from './flow-store.ts'

/** What it was that ended a sign-in; of a fault of ours nothing is told. */
export const wordOf = (error: unknown): FailureWord =>
  error instanceof ProviderFailure || error instanceof SignInFailure ? error.word : 'unspecified'

/** A session that is used again is no flow. */
type Logged = Pick<Flow, 'organizationId'> & { id?: string; credentialId?: string | undefined }

/** The message of a failure names the step, and holds no secret and no address; `trace` are ids of the provider's own. */
export function logFailure(log: Dependencies['log'], error: unknown, logged: Logged, provider?: Provider) {
  const { organizationId: organization_id, id: flow_id, credentialId: credential_id } = logged
  const ids = { organization_id, flow_id, credential_id, provider }
  const reason = wordOf(error)
  if (reason === 'unspecified') return log.error({ ...ids, err: error }, 'a sign-in failed by a fault of the service')
  const trace = error instanceof ProviderFailure ? error.trace : {}
  log.info({ ...ids, reason, detail: (error as Error).message, trace }, 'a sign-in failed')
}

/** Tells the log why, and ends the flow with it. `credentialId`: the one that the person was to sign in with. */
export async function endWithFailure(
  error: unknown,
  flow: Flow & Pick<Logged, 'credentialId'>,
  interaction: Interaction | undefined,
  dependencies: Dependencies,
) {
  logFailure(dependencies.log, error, flow, await providerOf(flow, dependencies))
  const recognised = await recognisedIn(error, flow.organizationId, interaction, dependencies)
  await failSignIn(flow, wordOf(error), dependencies, recognised)
}

/** For the log: undefined also where it cannot be read. */
async function providerOf(
  { organizationId, credentialId }: Logged,
  { credentials }: Pick<Dependencies, 'credentials'>,
): Promise<Provider | undefined> {
  if (credentialId === undefined) return undefined
  const credential = await credentials.find(organizationId, credentialId).catch(() => undefined)
  return credential?.provider
}

/**
 * The end of the flow, the error for the application and the event, in one transaction. A flow that has ended already
 * stays as it is: it has its final event.
 */
export async function failSignIn(
  flow: Flow,
  word: FailureWord,
  { database, clock, publish, onOutcome }: Pick<Dependencies, 'database' | 'clock' | 'publish' | 'onOutcome'>,
  recognised?: Recognised,
) {
  const { organizationId, id, interactionUid } = flow
  const now = toTimestamp(clock.now())
  await database.transaction(async (tx) => {
    if (!(await endFlow(tx, organizationId, id, now))) return
    // An interaction that is over takes no result; the event is told all the same.
    await Promise.all([
      saveResult(tx, organizationId, interactionUid, oauthErrorOf(word), now),
      publish(tx, organizationId, [authenticationFailed(flow, word, recognised)]),
    ])
    tx.afterCommit(() => onOutcome(word))
  })
}

/** Whom the sign-in had recognised; else who was signed in in that browser before it began. */
async function recognisedIn(
  error: unknown,
  organizationId: string,
  interaction: Interaction | undefined,
  { database }: Pick<Dependencies, 'database'>,
): Promise<Recognised | undefined> {
  if (error instanceof SignInFailure && error.recognised) return error.recognised
  if (!interaction?.sessionPersonId) return undefined
  const person = await findPerson(database.read, organizationId, interaction.sessionPersonId)
  return person && { personId: person.person_id, region: person.region }
}
