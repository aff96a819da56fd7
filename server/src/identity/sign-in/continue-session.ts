import type { Transaction } from '../../ground/database/database.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import type { Provider } from '../credentials/index.ts'
import type { ContinueSession, UsedSession } from '../issuer/index.ts'
import { findPerson } from '../persons/index.ts'
import {
  authenticationFailed,
  authenticationSucceeded,
  type ClientContext,
  type FailureCode,
  type RecognisedPerson,
} from './authentication-events.ts'
import { clientContextOf } from './client-context.ts'
import type { Dependencies } from './dependencies.ts'
import { codeOf, logFailure, oauthErrorOf, providerOf, reasonOf } from './end-sign-in.ts'
import { endFlowOf } from './flow-store.ts'
import { runHooks } from './run-hooks.ts'

/**
 * A sign-in with the session of a browser. The hooks run first; the final event is published with the code, or at once if
 * there will be no code. A failure with `prompt=none`, which may show no page, publishes nothing.
 */
export const createContinueSession =
  (dependencies: Dependencies): ContinueSession =>
  async (session) => {
    const { database, clock, log } = dependencies
    const person = await findServedPerson(session, dependencies)
    if (!person) return undefined
    const client = clientContextOf(session, clock.now())
    const provider = await providerOf(session, dependencies)
    const publishEnd = createPublishEnd({ session, client, person, provider }, dependencies)
    const endFlow = createEndFlow(session, dependencies)
    try {
      const claims = await runHooks({ ...session, client, person, isStored: true, isFirst: false }, dependencies)
      return { claims, endFlow, publishEnd: (tx, hasCode) => publishEnd(tx, hasCode ? 'succeeded' : 'flow_expired') }
    } catch (error) {
      const code = codeOf(error)
      logFailure(log, error, session)
      await database.transaction(async (tx) => {
        if (await endFlow(tx)) await publishEnd(tx, code)
      })
      return oauthErrorOf(code, reasonOf(error))
    }
  }

/** The flow of a request that goes on with the session of its browser ends without an event of its own. */
const createEndFlow =
  ({ organizationId, interactionUid }: UsedSession, { clock }: Dependencies) =>
  async (tx: Transaction) =>
    interactionUid === undefined || endFlowOf(tx, organizationId, interactionUid, toTimestamp(clock.now()))

/** The person of the session; undefined if that person has to sign in again. */
async function findServedPerson(session: UsedSession, { database, credentials }: Dependencies) {
  const { organizationId, personId, credentialId, params } = session
  const [person, isServed] = await Promise.all([
    findPerson(database.read, organizationId, personId),
    params.idp === undefined
      ? credentials.has(organizationId, credentialId)
      : isNamed(session, params.idp, credentials),
  ])
  return person?.active && isServed ? { personId, ...person } : undefined
}

/** An application that names a provider accepts only a session of that one. */
const isNamed = async (
  { organizationId, credentialId }: UsedSession,
  idp: string,
  credentials: Dependencies['credentials'],
) => (await credentials.findNamed(organizationId, idp))?.id === credentialId

type Continued = {
  session: UsedSession
  client: ClientContext
  person: RecognisedPerson
  provider: Provider | undefined
}

const createPublishEnd =
  ({ session, client, person, provider }: Continued, { publish, onOutcome }: Dependencies) =>
  async (tx: Transaction, outcome: 'succeeded' | FailureCode) => {
    const hasSucceeded = outcome === 'succeeded'
    if (!hasSucceeded && session.params.prompt === 'none') return
    const { clientId, credentialId } = session
    const listed = { clientId, credentialId, provider }
    const event = hasSucceeded
      ? authenticationSucceeded(client, person, listed)
      : authenticationFailed(client, { ...listed, code: outcome, person })
    await tx.last(() => publish(tx, session.organizationId, [event]))
    tx.afterCommit(() => onOutcome(outcome))
  }
