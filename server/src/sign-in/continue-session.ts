import type { NewEvent } from '../events/index.ts'
import type { ContinueSession, UsedSession } from '../issuer/index.ts'
import { findPerson } from '../persons/index.ts'
import { authenticationFailed, authenticationSucceeded } from './authentication-events.ts'
import type { Dependencies } from './dependencies.ts'
import { wordOf } from './fail-sign-in.ts'
import { oauthErrorOf } from './failure.ts'
import { findNamedCredential } from './named-credential.ts'
import { runHooks } from './run-hooks.ts'
import { visitOf } from './visit.ts'

/**
 * A sign-in with a session that a browser has: the hooks run and the event is committed before anything is answered. Of one
 * that may show nothing (`prompt=none`) and fails, nothing is published.
 */
export const createContinueSession =
  (dependencies: Dependencies): ContinueSession =>
  async (session) => {
    const person = await findServed(session, dependencies)
    if (!person) return undefined
    const visit = visitOf(session, dependencies.clock.now())
    const end = (event: NewEvent, outcome: string) => publishEnd(session.organizationId, event, outcome, dependencies)
    try {
      const claims = await runHooks({ ...session, visit, person, isKnown: true, isFirst: false }, dependencies)
      await end(authenticationSucceeded(visit, person), 'succeeded')
      return { claims }
    } catch (error) {
      const word = wordOf(error)
      if (word === 'unspecified') throw error
      if (session.params.prompt !== 'none') await end(authenticationFailed(visit, word, person), word)
      return oauthErrorOf(word)
    }
  }

/** Whose session it is; undefined when that person has to sign in anew. */
async function findServed(session: UsedSession, { database }: Dependencies) {
  const { organizationId, personId, credentialId, params } = session
  const [person, wanted] = await Promise.all([
    findPerson(database.read, organizationId, personId),
    params.idp === undefined ? { id: credentialId } : findNamedCredential(database.read, organizationId, params.idp),
  ])
  // Who names a provider wants the person to be known by that one.
  return person?.active && wanted?.id === credentialId ? { personId, ...person } : undefined
}

async function publishEnd(
  organizationId: string,
  event: NewEvent,
  outcome: string,
  { database, publish, onOutcome }: Dependencies,
) {
  await database.transaction((tx) => publish(tx, organizationId, [event]))
  onOutcome(outcome)
}
