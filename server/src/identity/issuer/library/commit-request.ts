import type { AdapterPayload } from 'oidc-provider'
import type { Database } from '../../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import type { Browser, Lifetimes, SignIn } from '../contract.ts'
import type { EndSessions } from '../end-sessions.ts'
import { type FinishedSignIn, insertSignIn, removeGrant } from '../grant-store.ts'
import { insertInteraction, removeInteraction } from '../interaction-store.ts'
import { updateSession } from '../session-store.ts'
import { consumeToken, removeMisusedGrant } from '../token-store.ts'
import { hasOfflineAccess } from './claims.ts'
import { isRegistered } from './redirect-uri.ts'
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
  endSessions: EndSessions
}

/** Writes the unit of work of a request before its reply is sent. */
export const createCommitRequest =
  (dependencies: Dependencies) =>
  async (work: UnitOfWork, browser: Browser): Promise<CommitOutcome> => {
    const signIn = finishedSignIn(work, browser, dependencies)
    if (signIn) return (await commitSignIn(signIn, work, dependencies)) ? 'committed' : 'sign_in_lost'
    if (!(await commitSession(work, dependencies))) return 'sign_in_lost'
    await commitOthers(work, dependencies)
    return commitTokens(work, dependencies)
  }

function finishedSignIn(
  work: UnitOfWork,
  browser: Browser,
  { clock, lifetimes }: Dependencies,
): FinishedSignIn | undefined {
  const { signIn, session, publishEnd, writtenSession, grant, tokens, usedInteraction, client } = work
  const code = tokens.find(({ kind }) => kind === 'AuthorizationCode')
  if (!code || !signIn || !writtenSession || !grant) return undefined
  const { id, payload } = writtenSession
  const uid = String(payload.uid)
  const usedIdHash = publishEnd && session ? session.idHash : null
  // With offline access, the grant ends only when it is revoked or its refresh token expires.
  const sessionUid = hasOfflineAccess(code.payload.scope) ? null : uid
  return {
    ...signIn,
    browser,
    interactionUid: usedInteraction ?? null,
    session: {
      uid,
      idHash: hashOf(id),
      usedIdHash,
      payload,
      lastUsedAt: toTimestamp(clock.now()),
      expiresAt: endOfSession(signIn, lifetimes),
    },
    grant: {
      id: grant.id,
      sessionUid,
      sid: code.payload.sid ?? null,
      payload: grant.payload,
      claims: signIn.claims,
      expiresAt: toTimestamp(clock.now() + grant.expiresIn * 1_000),
    },
    code,
    clientId: String(code.payload.clientId),
    redirectUris: registeredFor(String(code.payload.redirectUri), client),
  }
}

/** The registered redirect URIs that allow this one. */
const registeredFor = (uri: string, client: AdapterPayload = {}): string[] => {
  const { registered_uris: registered = [], token_endpoint_auth_method: method } = client
  return (registered as string[]).filter((each) => isRegistered(uri, [each], method === 'none'))
}

/** A session ends this long after the authentication, however often it is used. */
const endOfSession = ({ authentications: [latest] }: SignIn, { sessionMs }: Dependencies['lifetimes']) =>
  toTimestamp(Date.parse(latest.timestamp) + sessionMs)

/**
 * Where a session is used again, code and final event are one transaction: a crash leaves both or neither. The event of an
 * interaction was committed with its result.
 */
async function commitSignIn(
  signIn: FinishedSignIn,
  { publishEnd, endFlow }: UnitOfWork,
  { organizationId, database }: Dependencies,
): Promise<boolean> {
  if (!publishEnd) return insertSignIn(database.write, organizationId, signIn)
  return database.transaction(async (tx) => {
    if (endFlow && !(await endFlow(tx))) return false
    const hasCode = await insertSignIn(tx, organizationId, signIn)
    await publishEnd(tx, hasCode)
    return hasCode
  })
}

async function commitSession({ session, writtenSession }: UnitOfWork, { organizationId, database }: Dependencies) {
  if (!session || writtenSession?.payload.uid !== session.uid) return true
  const { id, payload } = writtenSession
  return updateSession(database.write, organizationId, session, { idHash: hashOf(id), payload })
}

async function commitOthers(
  { newInteraction, session, endsSession, usedInteraction, endedGrants }: UnitOfWork,
  { organizationId, database, clock, endSessions }: Dependencies,
) {
  const { write } = database
  if (newInteraction) await insertInteraction(write, organizationId, newInteraction)
  if (usedInteraction) await removeInteraction(write, organizationId, usedInteraction)
  if (session && endsSession)
    await database.transaction((tx) =>
      endSessions(tx, organizationId, { signedOut: session.uid }, toTimestamp(clock.now())),
    )
  for (const grantId of endedGrants) await removeGrant(write, organizationId, grantId)
}

async function commitTokens(
  { token, consumed, tokens }: UnitOfWork,
  { organizationId, database: { write }, clock }: Dependencies,
): Promise<CommitOutcome> {
  if (!token || !consumed || tokens.length === 0) return 'committed'
  const use = { grantId: token.grantId, idHash: consumed, foundAt: token.foundAt, now: clock.now() }
  if (await consumeToken(write, organizationId, use, tokens)) return 'committed'
  await removeMisusedGrant(write, organizationId, use)
  return 'token_lost'
}
