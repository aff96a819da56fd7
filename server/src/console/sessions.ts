import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import { keyNotValid, sessionEnded } from '../errors.ts'
import type { Key } from '../http/operation.ts'
import type { RecordChange } from '../http/recorded-change.ts'
import type { Keyring } from '../keys/index.ts'
import type { KeyAuthentication } from '../organizations/index.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import { makeOrganizationToken } from '../runtime/organization-token.ts'
import { hashOf } from '../runtime/secret-hash.ts'
import { createOwnPageCheck } from './own-page.ts'
import { hasSessionCookie, noOrganization, readSessionCookie, sessionCookie } from './session-cookie.ts'
import {
  endOldestSessions,
  findStoredSession,
  holdKey,
  insertSession,
  noteSessionUse,
  removeSession,
  type StoredSession,
} from './session-store.ts'

const hourMs = 3_600_000
const idleMs = 8 * hourMs
const longestMs = 24 * hourMs
/** A use is written once in this time. */
const usedEveryMs = 60_000
/** Of one key; one more ends the oldest. */
const maxSessions = 100

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  authentication: KeyAuthentication
  operatorKey: string | undefined
  baseUrl: string
}

/** What a session was begun with: an API key, or the operator's. */
export type Holder = { organizationId: string; key: Key } | 'operator'

export type Session = {
  id: string
  organizationId: string
  /** Undefined: the operator's session. */
  key: Key | undefined
  /** When it ends unless it is used. */
  expiresAt: Date
  endsAt: Date
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(dependencies: Dependencies) {
  const { database, clock, authentication, baseUrl } = dependencies
  const isSecure = baseUrl.startsWith('https:')
  const isOfOwnPage = createOwnPageCheck(baseUrl)
  const operator = createFingerprint(dependencies)

  /** The key is read anew: the session can do what it may do now. */
  const findKey = async (organizationId: string, { keyId, operatorKeyHash }: StoredSession) => {
    if (keyId === null) return operator.isSame(operatorKeyHash) ? undefined : 'ended'
    const key = await authentication.authenticateKeyId(organizationId, keyId)
    return key && key !== 'expired' ? key : 'ended'
  }

  /** If it cannot be written, the session only ends sooner. */
  const noteUse = async (organizationId: string, { id, usedAt }: StoredSession, now: number) => {
    if (now - usedAt.getTime() < usedEveryMs) return usedAt.getTime()
    await noteSessionUse(database.write, organizationId, id, toTimestamp(now)).catch(() => {})
    return now
  }

  const findSession = async (request: FastifyRequest): Promise<Session | undefined> => {
    const cookie = readSessionCookie(request.headers.cookie, isSecure)
    if (!cookie || !isOfOwnPage(request.headers)) return undefined
    const { organizationId, hash } = cookie
    const now = clock.now()
    const times = { now: toTimestamp(now), idleSince: toTimestamp(now - idleMs) }
    const stored = await findStoredSession(database.read, organizationId, hash, times)
    const key = stored && (await findKey(organizationId, stored))
    if (!stored || key === 'ended') throw sessionEnded()
    // An event stream that goes on is no use: nobody need be there.
    const usedAt = request.isStreamed ? stored.usedAt.getTime() : await noteUse(organizationId, stored, now)
    const { id, endsAt } = stored
    return { id, organizationId, key, expiresAt: new Date(Math.min(usedAt + idleMs, endsAt.getTime())), endsAt }
  }

  return {
    isOfOwnPage,
    findSession,
    organizationOfSession: ({ headers }: FastifyRequest): string | undefined => {
      const isOfConsole = headers['service-console'] !== undefined || hasSessionCookie(headers.cookie, isSecure)
      if (!isOfConsole) return undefined
      return readSessionCookie(headers.cookie, isSecure)?.organizationId ?? noOrganization
    },
    /** Begins one, with a cookie that nobody has seen before. Throws a 401 where the key was revoked meanwhile. */
    begin: async (holder: Holder, record: RecordChange): Promise<string> => {
      const now = clock.now()
      const organizationId = holder === 'operator' ? noOrganization : holder.organizationId
      const keyId = holder === 'operator' ? null : holder.key.keyId
      const token = makeOrganizationToken(organizationId)
      const endsAt = new Date(now + longestMs)
      const session = { id: makeId(now), keyId, createdAt: new Date(now), endsAt, tokenHash: hashOf(token) }
      await database.transaction(async (tx) => {
        if (keyId && !(await holdKey(tx, organizationId, keyId))) throw keyNotValid('api_key')
        await endOldestSessions(tx, organizationId, keyId, maxSessions)
        await insertSession(tx, organizationId, { ...session, operatorKeyHash: keyId ? null : operator.current() })
        if (keyId) await record(tx, organizationId, { target: targetOf(session.id), after: shown(session) })
      })
      return sessionCookie(token, { isSecure, maxAgeSeconds: longestMs / 1000 })
    },
    /** Gives the cookie that removes the browser's. */
    end: async ({ id, organizationId, key, endsAt }: Session, record: RecordChange): Promise<string> => {
      await database.transaction(async (tx) => {
        const isEnded = !(await removeSession(tx, organizationId, id))
        if (key && !isEnded) await record(tx, organizationId, { target: targetOf(id), before: shown({ id, endsAt }) })
      })
      return sessionCookie('', { isSecure, maxAgeSeconds: 0 })
    },
  }
}

const targetOf = (id: string) => ({ type: 'console_session', id }) as const

const shown = ({ id, endsAt }: { id: string; endsAt: Date }) => ({ id, ends_at: endsAt })

/** Recognizes the operator's key without storing what it could be guessed by. */
function createFingerprint({ keyring, operatorKey }: Pick<Dependencies, 'keyring' | 'operatorKey'>) {
  const fingerprints = keyring.derive('operator key of console sessions').map((key) =>
    createHmac('sha256', key)
      .update(operatorKey ?? '')
      .digest(),
  )
  return {
    current: () => fingerprints[0] as Buffer,
    /** Also under an earlier master key, as long as that is given. */
    isSame: (hash: Buffer | null) =>
      operatorKey !== undefined && fingerprints.some((each) => hash !== null && timingSafeEqual(each, hash)),
  }
}
