import type { Database } from '../../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import type { Lifetimes, SignIn } from '../contract.ts'
import { type FinishedSignIn, insertSignIn, removeGrant } from '../grant-store.ts'
import { insertInteraction, removeInteraction } from '../interaction-store.ts'
import { removeSession, updateSession } from '../session-store.ts'
import { consumeToken } from '../token-store.ts'
import { hasOfflineAccess } from './claims.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/**
 * Lost: another request used the same interaction, code or refresh token first, the person was deactivated, or the session
 * ended or got another id meanwhile.
 */
export type CommitOutcome = 'committed' | 'sign_in_lost' | 'token_lost'

type Dependencies = {
  organizationId: string
  database: Database
  clock: Clock
  lifetimes: Pick<Lifetimes, 'sessionMs'>
}

/** Writes the unit of work of a request before its reply is sent. */
export function createCommitRequest({ organizationId, database, clock, lifetimes }: Dependencies) {
  const { write } = database
  const timestampIn = (seconds: number) => toTimestamp(clock.now() + seconds * 1_000)

  /** A session ends this long after the authentication, however often it is used. */
  const endOfSession = ({ authentications: [latest] }: SignIn) =>
    toTimestamp(Date.parse(latest.timestamp) + lifetimes.sessionMs)

  const finishedSignIn = (work: UnitOfWork): FinishedSignIn | undefined => {
    const { signIn, session, publishEnd, writtenSession, grant, tokens, usedInteraction } = work
    const code = tokens.find(({ kind }) => kind === 'AuthorizationCode')
    if (!code || !signIn || !writtenSession || !grant) return undefined
    const { id, payload } = writtenSession
    const uid = String(payload.uid)
    const usedIdHash = publishEnd && session ? session.idHash : null
    // With offline access, the grant ends only when it is revoked or its refresh token expires.
    const sessionUid = hasOfflineAccess(code.payload.scope) ? null : uid
    return {
      ...signIn,
      interactionUid: usedInteraction ?? null,
      session: { uid, idHash: hashOf(id), usedIdHash, payload, expiresAt: endOfSession(signIn) },
      grant: {
        id: grant.id,
        sessionUid,
        payload: grant.payload,
        claims: signIn.claims,
        expiresAt: timestampIn(grant.expiresIn),
      },
      code,
    }
  }

  /**
   * Where a session is used again, code and final event are one transaction: a crash leaves both or neither. The event of an
   * interaction was committed with its result.
   */
  const commitSignIn = async (signIn: FinishedSignIn, { publishEnd }: UnitOfWork): Promise<boolean> => {
    if (!publishEnd) return insertSignIn(write, organizationId, signIn)
    return database.transaction(async (tx) => {
      const hasCode = await insertSignIn(tx, organizationId, signIn)
      await publishEnd(tx, hasCode)
      return hasCode
    })
  }

  const commitTokens = async ({ token, consumed, tokens }: UnitOfWork): Promise<CommitOutcome> => {
    if (!token || !consumed || tokens.length === 0) return 'committed'
    const { grantId } = token
    const used = { grantId, idHash: consumed, now: toTimestamp(clock.now()) }
    if (await consumeToken(write, organizationId, used, tokens)) return 'committed'
    await removeGrant(write, organizationId, grantId)
    return 'token_lost'
  }

  const commitSession = async ({ session, writtenSession }: UnitOfWork): Promise<boolean> => {
    if (!session || writtenSession?.payload.uid !== session.uid) return true
    const { id, payload } = writtenSession
    return updateSession(write, organizationId, session, { idHash: hashOf(id), payload })
  }

  const commitOthers = async ({ newInteraction, session, endsSession, usedInteraction, endedGrants }: UnitOfWork) => {
    if (newInteraction) await insertInteraction(write, organizationId, newInteraction)
    if (usedInteraction) await removeInteraction(write, organizationId, usedInteraction)
    if (session && endsSession) await removeSession(write, organizationId, session.uid)
    for (const grantId of endedGrants) await removeGrant(write, organizationId, grantId)
  }

  return async (work: UnitOfWork): Promise<CommitOutcome> => {
    const signIn = finishedSignIn(work)
    if (signIn) return (await commitSignIn(signIn, work)) ? 'committed' : 'sign_in_lost'
    if (!(await commitSession(work))) return 'sign_in_lost'
    await commitOthers(work)
    return commitTokens(work)
  }
}
