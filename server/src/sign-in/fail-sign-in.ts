import { toTimestamp } from '../clock.ts'
import { type Interaction, saveResult } from '../issuer/index.ts'
import { findPerson } from '../persons/index.ts'
import { ProviderFailure } from '../providers/index.ts'
import { authenticationFailed } from './authentication-events.ts'
import type { Dependencies } from './dependencies.ts'
import { type FailureWord, oauthErrorOf, type Recognised, SignInFailure } from './failure.ts'
import { endFlow, type Flow } from './flow-store.ts'

/** What it was that ended a sign-in; of a fault of ours nothing is told. */
export const wordOf = (error: unknown): FailureWord =>
  error instanceof ProviderFailure || error instanceof SignInFailure ? error.word : 'unspecified'

/** The message of a failure names the step, and holds no secret and no address; what is a fault of ours is shown whole. */
export function logFailure(log: Dependencies['log'], error: unknown, { organizationId, id }: Flow) {
  const flow = { organization_id: organizationId, flow_id: id }
  const word = wordOf(error)
  if (word === 'unspecified') log.error({ ...flow, err: error }, 'a sign-in failed by a fault of the service')
  else log.info({ ...flow, reason: word, detail: (error as Error).message }, 'a sign-in failed')
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
export async function recognisedIn(
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
