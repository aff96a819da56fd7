import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { ApiError, badRequest, keyNotValid, sessionEnded, sessionReplaced } from '../../ground/errors.ts'
import type { Key } from '../../ground/http/chain/operation.ts'
import type { RecordChange } from '../../ground/http/chain/recorded-change.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid, makeId } from '../../ground/runtime/identifiers.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import type { KeyAuthentication } from '../organizations/index.ts'
import { createOwnPageCheck } from './own-page.ts'
import {
  makeSessionToken,
  maxCookies,
  noOrganization,
  readSessionCookie,
  readSessionCookies,
  type SessionCookie,
  sessionCookie,
} from './session-cookie.ts'
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
  /** Public: a page names by it the session that it was opened with. */
  id: string
  organizationId: string
  /** Undefined: the operator's session. */
  key: Key | undefined
  usedAt: Date
  /** When it ends unless it is used. */
  expiresAt: Date
  endsAt: Date
}

/** What writes the entries of the audit log for the beginning of a session, and for the end of one. */
type Records = { begun: RecordChange; ended: RecordChange }

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

  /** Undefined: it has ended. */
  const findByCookie = async ({ organizationId, hash }: SessionCookie): Promise<Session | undefined> => {
    const now = clock.now()
    const times = { now: toTimestamp(now), idleSince: toTimestamp(now - idleMs) }
    const stored = await findStoredSession(database.read, organizationId, hash, times)
    const key = stored && (await findKey(organizationId, stored))
    if (!stored || key === 'ended') return undefined
    const { id, usedAt, endsAt } = stored
    return { id, organizationId, key, usedAt, endsAt, expiresAt: expiryOf(usedAt, endsAt) }
  }

  /** An organization that moves has no sessions here. */
  const findUnlessMoving = (cookie: SessionCookie) => findByCookie(cookie).catch(noneWhereMoving)

  /** Undefined: there is no cookie for the holder that the request names, or another page may have sent it. Throws a 401 where it has ended. */
  const findFor = async ({ headers }: FastifyRequest): Promise<Session | undefined> => {
    if (!isOfOwnPage(headers)) return undefined
    const cookie = readSessionCookie(headers.cookie, organizationIn(headers), isSecure)
    if (!cookie) return undefined
    const session = await findByCookie(cookie)
    if (!session) throw sessionEnded()
    return session
  }

  /** If it cannot be written, the session only ends sooner. */
  const noteUse = async (session: Session, atMostEveryMs: number): Promise<Session> => {
    const now = clock.now()
    if (now - session.usedAt.getTime() < atMostEveryMs) return session
    await noteSessionUse(database.write, session.organizationId, session.id, toTimestamp(now)).catch(() => {})
    const usedAt = new Date(now)
    return { ...session, usedAt, expiresAt: expiryOf(usedAt, session.endsAt) }
  }

  /** Sessions of other organizations that a browser has no cookie for when it gets one more: those that were used longest ago. */
  const findSurplus = async (header: string | undefined, organizationId: string) => {
    const isOther = (each: SessionCookie) => ![organizationId, noOrganization].includes(each.organizationId)
    const cookies = readSessionCookies(header, isSecure).filter(isOther)
    if (cookies.length < maxCookies) return []
    const found = await Promise.all(
      cookies.map(async (cookie) => ({ cookie, session: await findUnlessMoving(cookie) })),
    )
    const usedAt = ({ session }: (typeof found)[number]) => session?.usedAt.getTime() ?? 0
    return found.sort((a, b) => usedAt(b) - usedAt(a)).slice(maxCookies - 1)
  }

  const remove = async (tx: Transaction, { id, organizationId, key, endsAt }: Session, record: RecordChange) => {
    const isEnded = !(await removeSession(tx, organizationId, id))
    if (!key || isEnded) return
    const actor = { type: 'console', id: key.keyId, name: key.name } as const
    await record(tx, organizationId, { target: targetOf(id), before: shown({ id, endsAt }), actor })
  }

  const insert = async (tx: Transaction, organizationId: string, keyId: string | null, token: string) => {
    const now = clock.now()
    if (keyId && !(await holdKey(tx, organizationId, keyId))) throw keyNotValid('api_key')
    await endOldestSessions(tx, organizationId, keyId, maxSessions)
    const times = { createdAt: new Date(now), endsAt: new Date(now + longestMs) }
    const session = { id: makeId(now), keyId, ...times, tokenHash: hashOf(token) }
    await insertSession(tx, organizationId, { ...session, operatorKeyHash: keyId ? null : operator.current() })
    return session
  }

  return {
    isOfOwnPage,
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
    /** Those of the browser, the one that was used last first. */
    listSessions: async ({ headers }: FastifyRequest): Promise<Session[]> => {
      const found = await Promise.all(readSessionCookies(headers.cookie, isSecure).map(findUnlessMoving))
      return found.filter((each) => each !== undefined).sort((a, b) => b.usedAt.getTime() - a.usedAt.getTime())
    },
    /**
     * Begins one, with a cookie that nobody has seen before, in place of the one that the browser had for the same holder. Gives lines for
     * `Set-Cookie`. Throws a 401 where the key was revoked meanwhile.
     */
    begin: async (holder: Holder, header: string | undefined, { begun, ended }: Records): Promise<string[]> => {
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
    },
    /** Gives the cookie that removes the browser's. */
    end: async (session: Session, record: RecordChange): Promise<string> => {
      await database.transaction((tx) => remove(tx, session, record))
      return sessionCookie(session.organizationId, '', { isSecure, maxAgeSeconds: 0 })
    },
  }
}

/** Whose session a request of the console is about; without the header, the operator's. */
function organizationIn(headers: FastifyRequest['headers']): string {
  const organizationId = headers['service-orgid']
  if (organizationId === undefined) return noOrganization
  if (typeof organizationId !== 'string' || !isUuid(organizationId)) throw badRequest('Service-OrgID: must be a UUID')
  return organizationId.toLowerCase()
}

function noneWhereMoving(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 423)) throw error
}

const expiryOf = (usedAt: Date, endsAt: Date) => new Date(Math.min(usedAt.getTime() + idleMs, endsAt.getTime()))

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
