import type { Database } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { hashOf } from '../runtime/secret-hash.ts'
import type { Lifetimes } from './configuration.ts'
import type { Gathered } from './gathered.ts'
import { keepInteraction, removeInteraction } from './interaction-store.ts'
import { hasOfflineAccess } from './scopes.ts'
import { removeSession, updateSession } from './session-store.ts'
import type { SignIn } from './sign-in.ts'
import { type FinishedSignIn, insertSignIn } from './sign-in-store.ts'
import { consumeToken, removeGrant } from './token-store.ts'

/**
 * Lost: another request used the same interaction, code or refresh token first, the person was deactivated, or the session
 * ended or got another id meanwhile.
 */
export type Settled = 'written' | 'sign_in_lost' | 'token_lost'

type Dependencies = {
  organizationId: string
  database: Database
  clock: Clock
  lifetimes: Pick<Lifetimes, 'sessionMs'>
}

/** Writes what a request has gathered, before anything of it is answered. */
export function createSettle({ organizationId, database, clock, lifetimes }: Dependencies) {
  const { write } = database
  const at = (expiresIn: number) => toTimestamp(clock.now() + expiresIn * 1_000)

  /** Since the proof, however often it is used. */
  const endOfSession = ({ authentications: [latest] }: SignIn) =>
    toTimestamp(Date.parse(latest.timestamp) + lifetimes.sessionMs)

  const signInOf = (request: Gathered): FinishedSignIn | undefined => {
    const { signIn, session, publishEnd, keptSession, grant, tokens, usedInteraction } = request
    const code = tokens.find(({ kind }) => kind === 'AuthorizationCode')
    if (!code || !signIn || !keptSession || !grant) return undefined
    const { id, payload } = keptSession
    const uid = String(payload.uid)
    const usedIdHash = publishEnd && session ? session.idHash : null
    // With it, a grant has to be revoked, or its refresh token to expire.
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
        expiresAt: at(grant.expiresIn),
      },
      code,
    }
  }

  /** Code and event are of one transaction: a crash leaves both or neither. That of an interaction was committed with its result. */
  const settleSignIn = async (signIn: FinishedSignIn, { publishEnd }: Gathered): Promise<boolean> => {
    if (!publishEnd) return insertSignIn(write, organizationId, signIn)
    return database.transaction(async (tx) => {
      const hasCode = await insertSignIn(tx, organizationId, signIn)
      await publishEnd(tx, hasCode)
      return hasCode
    })
  }

  const settleTokens = async ({ token, consumed, tokens }: Gathered): Promise<Settled> => {
    if (!token || !consumed || tokens.length === 0) return 'written'
    const { grantId } = token
    const used = { grantId, idHash: consumed, now: toTimestamp(clock.now()) }
    if (await consumeToken(write, organizationId, used, tokens)) return 'written'
    await removeGrant(write, organizationId, grantId)
    return 'token_lost'
  }

  const settleSession = async ({ session, keptSession }: Gathered): Promise<boolean> => {
    if (!session || keptSession?.payload.uid !== session.uid) return true
    const { id, payload } = keptSession
    return updateSession(write, organizationId, session, { idHash: hashOf(id), payload })
  }

  const settleOthers = async (request: Gathered) => {
    const { begunInteraction, session, endsSession, usedInteraction, endedGrants } = request
    if (begunInteraction) await keepInteraction(write, organizationId, begunInteraction)
    if (usedInteraction) await removeInteraction(write, organizationId, usedInteraction)
    if (session && endsSession) await removeSession(write, organizationId, session.uid)
    for (const grantId of endedGrants) await removeGrant(write, organizationId, grantId)
  }

  return async (request: Gathered): Promise<Settled> => {
    const signIn = signInOf(request)
    if (signIn) return (await settleSignIn(signIn, request)) ? 'written' : 'sign_in_lost'
    if (!(await settleSession(request))) return 'sign_in_lost'
    await settleOthers(request)
    return settleTokens(request)
  }
}
