import type { FastifyRequest } from 'fastify'
import type { Transaction } from '../../ground/database/database.ts'
import { keyNotValid, sessionEnded, sessionReplaced } from '../../ground/errors.ts'
import type { Key } from '../../ground/http/chain/operation.ts'
import type { RecordChange } from '../../ground/http/chain/recorded-change.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import { createFindSessions, type Dependencies, type Session } from './find-sessions.ts'
import { makeSessionToken, noOrganization, readSessionCookie, sessionCookie } from './session-cookie.ts'
import { endOldestSessions, holdKey, insertSession, removeSession } from './session-store.ts'

const longestMs = 24 * 3_600_000
/** A use is written once in this time. */
const usedEveryMs = 60_000
/** Of one key; one more ends the oldest. */
const maxSessions = 100

/** What a session was begun with: an API key, or the operator's. */
export type Holder = { organizationId: string; key: Key } | 'operator'

/** What writes the entries of the audit log for the beginning of a session, and for the end of one. */
type Records = { begun: RecordChange; ended: RecordChange }

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(dependencies: Dependencies) {
  const sessions = createFindSessions(dependencies)
  const { isSecure, isOfOwnPage, findFor, listSessions, noteUse } = sessions
  return {
    isOfOwnPage,
    listSessions,
    /** For an operation: the page must have been opened with this very session, else it shows what is true no more. */
    findSession: async (request: FastifyRequest): Promise<Session | undefined> => {
      const session = await findFor(request)
      if (!session) return undefined
      if (request.headers['service-console'] !== session.id) throw sessionReplaced()
      // An event stream that goes on is no use: nobody need be there.
      return request.isStreamed ? session : noteUse(session, usedEveryMs)
    },
    /** For a page that is being opened, which knows no session yet. */
    openSession: async (request: FastifyRequest): Promise<Session> => {
      const session = await findFor(request)
      if (!session) throw sessionEnded()
      return noteUse(session, 0)
    },
    begin: createBegin(dependencies, sessions),
    /** Gives the cookie that removes the browser's. */
    end: async (session: Session, record: RecordChange): Promise<string> => {
      await dependencies.database.transaction((tx) => remove(tx, session, record))
      return sessionCookie(session.organizationId, '', { isSecure, maxAgeSeconds: 0 })
    },
  }
}

/**
 * Begins a session, with a cookie that nobody has seen before, in place of the one that the browser had for the same holder. Gives lines
 * for `Set-Cookie`. Throws a 401 where the key was revoked meanwhile.
 */
function createBegin({ database, clock }: Dependencies, sessions: ReturnType<typeof createFindSessions>) {
  const { isSecure, operatorKeyHash, findUnlessMoving, findSurplus } = sessions

  const insert = async (tx: Transaction, organizationId: string, keyId: string | null, token: string) => {
    const now = clock.now()
    if (keyId && !(await holdKey(tx, organizationId, keyId))) throw keyNotValid('api_key')
    await endOldestSessions(tx, organizationId, keyId, maxSessions)
    const times = { createdAt: new Date(now), endsAt: new Date(now + longestMs) }
    const session = { id: makeId(now), keyId, ...times, tokenHash: hashOf(token) }
    await insertSession(tx, organizationId, { ...session, operatorKeyHash: keyId ? null : operatorKeyHash() })
    return session
  }

  return async (holder: Holder, header: string | undefined, { begun, ended }: Records): Promise<string[]> => {
    const [organizationId, keyId] =
      holder === 'operator' ? [noOrganization, null] : [holder.organizationId, holder.key.keyId]
    const token = makeSessionToken(organizationId)
    const former = readSessionCookie(header, organizationId, isSecure)
    const replaced = former && (await findUnlessMoving(former))
    const surplus = keyId ? await findSurplus(header, organizationId) : []
    await database.transaction(async (tx) => {
      const session = await insert(tx, organizationId, keyId, token)
      if (keyId) await begun(tx, organizationId, { target: targetOf(session.id), after: shown(session) })
      for (const each of [replaced, ...surplus.map((one) => one.session)]) if (each) await remove(tx, each, ended)
    })
    const dropped = surplus.map(({ cookie }) =>
      sessionCookie(cookie.organizationId, '', { isSecure, maxAgeSeconds: 0 }),
    )
    return [sessionCookie(organizationId, token, { isSecure, maxAgeSeconds: longestMs / 1000 }), ...dropped]
  }
}

async function remove(tx: Transaction, { id, organizationId, key, endsAt }: Session, record: RecordChange) {
  const isEnded = !(await removeSession(tx, organizationId, id))
  if (!key || isEnded) return
  const actor = { type: 'console', id: key.keyId, name: key.name } as const
  await record(tx, organizationId, { target: targetOf(id), before: shown({ id, endsAt }), actor })
}

const targetOf = (id: string) => ({ type: 'console_session', id }) as const

const shown = ({ id, endsAt }: { id: string; endsAt: Date }) => ({ id, ends_at: endsAt })
