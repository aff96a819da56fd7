import type { Transaction } from '../database/database.ts'
import type { ContinueSession, UsedSession } from '../issuer/index.ts'
import { findPerson } from '../persons/index.ts'
import { authenticationFailed, authenticationSucceeded } from './authentication-events.ts'
import type { Dependencies } from './dependencies.ts'
import { logFailure, wordOf } from './fail-sign-in.ts'
import { type FailureWord, oauthErrorOf, type Recognised } from './failure.ts'
import { runHooks } from './run-hooks.ts'
import { type Visit, visitOf } from './visit.ts'

/**
 * A sign-in with a session that a browser has. The hooks run before anything is answered; how it ended is published with the
 * code, and at once where there will be none. Of one that may show nothing (`prompt=none`) and fails, nothing is published.
 */
export const createContinueSession =
  (dependencies: Dependencies): ContinueSession =>
  async (session) => {
    const { database, clock, log } = dependencies
    const person = await findServed(session, dependencies)
    if (!person) return undefined
    const visit = visitOf(session, clock.now())
    const publishEnd = createPublishEnd({ session, visit, person }, dependencies)
    try {
      const claims = await runHooks({ ...session, visit, person, isKnown: true, isFirst: false }, dependencies)
      return { claims, publishEnd: (tx, hasCode) => publishEnd(tx, hasCode ? 'succeeded' : 'flow_expired') }
    } catch (error) {
      const word = wordOf(error)
      logFailure(log, error, session)
      await database.transaction((tx) => publishEnd(tx, word))
      return oauthErrorOf(word)
    }
  }

/** Whose session it is; undefined when that person has to sign in anew. */
async function findServed(session: UsedSession, { database, credentials }: Dependencies) {
  const { organizationId, personId, credentialId, params } = session
  const [person, isServed] = await Promise.all([
    findPerson(database.read, organizationId, personId),
    params.idp === undefined
      ? credentials.has(organizationId, credentialId)
      : isNamed(session, params.idp, credentials),
  ])
  return person?.active && isServed ? { personId, ...person } : undefined
}

/** Who names a provider wants the person to be known by that one. */
const isNamed = async (
  { organizationId, credentialId }: UsedSession,
  idp: string,
  credentials: Dependencies['credentials'],
) => (await credentials.findNamed(organizationId, idp))?.id === credentialId

type Continued = { session: UsedSession; visit: Visit; person: Recognised }

const createPublishEnd =
  ({ session, visit, person }: Continued, { publish, onOutcome }: Dependencies) =>
  async (tx: Transaction, outcome: 'succeeded' | FailureWord) => {
    const hasSucceeded = outcome === 'succeeded'
    if (!hasSucceeded && session.params.prompt === 'none') return
    const event = hasSucceeded ? authenticationSucceeded(visit, person) : authenticationFailed(visit, outcome, person)
    await publish(tx, session.organizationId, [event])
    tx.afterCommit(() => onOutcome(outcome))
  }
