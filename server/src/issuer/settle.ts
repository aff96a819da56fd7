import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Gathered } from './gathered.ts'
import { hashOf } from './id-hash.ts'
import { removeInteraction } from './interaction-store.ts'
import { hasOfflineAccess } from './scopes.ts'
import { removeSession, updateSession } from './session-store.ts'
import { type FinishedSignIn, insertSignIn } from './sign-in-store.ts'
import { consumeToken, removeGrant } from './token-store.ts'

/** Lost: another request used the same interaction, code or refresh token first, or the person was deactivated meanwhile. */
export type Settled = 'written' | 'sign_in_lost' | 'token_lost'

type Dependencies = { organizationId: string; database: Database; clock: Clock }

/** Writes what a request has gathered, before anything of it is answered. */
export function createSettle({ organizationId, database, clock }: Dependencies) {
  const { write } = database
  const at = (expiresIn: number) => toTimestamp(clock.now() + expiresIn * 1_000)

  const signInOf = (request: Gathered): FinishedSignIn | undefined => {
    const { signIn, keptSession, grant, tokens, usedInteraction } = request
    const code = tokens.find(({ kind }) => kind === 'AuthorizationCode')
    if (!code || !signIn || !keptSession || !grant) return undefined
    const { id, payload, expiresIn } = keptSession
    const uid = String(payload.uid)
    const isKnown = request.session?.uid === uid
    // With it, a grant has to be revoked, or its refresh token to expire.
    const sessionUid = hasOfflineAccess(code.payload.scope) ? null : uid
    return {
      ...signIn,
      interactionUid: usedInteraction ?? null,
      session: { uid, idHash: hashOf(id), payload, expiresAt: at(expiresIn), isKnown },
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

  const settleOthers = async ({ session, keptSession, endsSession, usedInteraction, endedGrants }: Gathered) => {
    if (usedInteraction) await removeInteraction(write, organizationId, usedInteraction)
    if (session && endsSession) await removeSession(write, organizationId, session.uid)
    if (session && keptSession && keptSession.payload.uid === session.uid) {
      const { id, payload, expiresIn } = keptSession
      const kept = { uid: session.uid, idHash: hashOf(id), payload, expiresAt: at(expiresIn) }
      await updateSession(write, organizationId, kept)
    }
    for (const grantId of endedGrants) await removeGrant(write, organizationId, grantId)
  }

  return async (request: Gathered): Promise<Settled> => {
    const signIn = signInOf(request)
    if (signIn) return (await settleSignIn(signIn, request)) ? 'written' : 'sign_in_lost'
    await settleOthers(request)
    return settleTokens(request)
  }
}
