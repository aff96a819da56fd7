import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import { ApiError, badRequest, sessionEnded } from '../../ground/errors.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { grantedTo } from '../../ground/http/chain/roles.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { type KeyAuthentication, limitsOf, type Tiers } from '../organizations/index.ts'
import { createOwnPageCheck } from './own-page.ts'
import {
  maxCookies,
  noOrganization,
  readSessionCookie,
  readSessionCookies,
  type SessionCookie,
} from './session-cookie.ts'
import { findStoredSession, noteSessionUse, type StoredSession } from './session-store.ts'

export const idleMs = 8 * 3_600_000
/** A sign-in is recent for this time. */
const recentMs = 3_600_000

export type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  authentication: KeyAuthentication
  tiers: Tiers
  operatorKey: () => string | undefined
  baseUrl: string
}

export type Session = {
  /** Public: a page names by it the session that it was opened with. */
  id: string
  organizationId: string
  /** Undefined: the operator's session. */
  principal: Principal | undefined
  /** When the key was shown, or the person authenticated at the provider. */
  authenticatedAt: Date
  isSignInRecent: boolean
  usedAt: Date
  /** When it ends unless it is used. */
  expiresAt: Date
  endsAt: Date
}

type StoredPerson = StoredSession & { personId: string }

/** Finds the sessions that a browser has cookies for. */
export function createFindSessions(dependencies: Dependencies) {
  const { database, clock, authentication, tiers, baseUrl } = dependencies
  const isSecure = baseUrl.startsWith('https:')
  const isOfOwnPage = createOwnPageCheck(baseUrl)
  const operator = createFingerprint(dependencies)

  /** Read anew: the session can do what its key or person may do now. */
  const findPrincipal = async (
    organizationId: string,
    stored: StoredSession,
  ): Promise<Principal | undefined | 'ended'> => {
    const { keyId, personId, operatorKeyHash, opensByKey } = stored
    if (personId !== null) return findPerson(organizationId, { ...stored, personId })
    if (keyId === null) return operator.isSame(operatorKeyHash) ? undefined : 'ended'
    // First: it says so where the organization is moving.
    const key = await authentication.authenticateKeyId(organizationId, keyId)
    return opensByKey && key && key !== 'expired' ? key : 'ended'
  }

  /** No role is left to one who is out of the groups, was deactivated or signed out. No tier: the organization was deleted. */
  const findPerson = async (
    organizationId: string,
    { personId, roles, pricingTier }: StoredPerson,
  ): Promise<Principal | 'ended'> => {
    if (roles.length > 0 && pricingTier !== null)
      return {
        type: 'person',
        id: personId,
        name: null,
        ...grantedTo(roles),
        expiresAt: null,
        limits: limitsOf(tiers, pricingTier),
      }
    await authentication.refuseIfMoving(organizationId)
    return 'ended'
  }

  /** Undefined: it has ended. */
  const findByCookie = async ({ organizationId, hash }: SessionCookie): Promise<Session | undefined> => {
    const now = clock.now()
    const moments = { now: toTimestamp(now), idleSince: toTimestamp(now - idleMs) }
    const stored = await findStoredSession(database.read, organizationId, hash, moments)
    const principal = stored && (await findPrincipal(organizationId, stored))
    if (!stored || principal === 'ended') return undefined
    const { id, authenticatedAt, usedAt, endsAt } = stored
    const isSignInRecent = now - authenticatedAt.getTime() < recentMs
    const times = { authenticatedAt, usedAt, endsAt, expiresAt: expiryOf(usedAt, endsAt) }
    return { id, organizationId, principal, isSignInRecent, ...times }
  }

  /** An organization that moves has no sessions here. */
  const findUnlessMoving = (cookie: SessionCookie) => findByCookie(cookie).catch(noneWhereMoving)

  return {
    isSecure,
    isOfOwnPage,
    operatorKeyHash: operator.current,
    findUnlessMoving,
    /** Undefined: there is no cookie for the holder that the request names, or another page may have sent it. Throws a 401 where it has ended. */
    findFor: async ({ headers }: FastifyRequest): Promise<Session | undefined> => {
      if (!isOfOwnPage(headers)) return undefined
      const cookie = readSessionCookie(headers.cookie, organizationIn(headers), isSecure)
      if (!cookie) return undefined
      const session = await findByCookie(cookie)
      if (!session) throw sessionEnded()
      return session
    },
    /** Sessions of other organizations that a browser has no cookie for when it gets one more: those that were used longest ago. */
    findSurplus: async (header: string | undefined, organizationId: string) => {
      const isOther = (each: SessionCookie) => ![organizationId, noOrganization].includes(each.organizationId)
      const cookies = readSessionCookies(header, isSecure).filter(isOther)
      if (cookies.length < maxCookies) return []
      const found = await Promise.all(
        cookies.map(async (cookie) => ({ cookie, session: await findUnlessMoving(cookie) })),
      )
      const usedAt = ({ session }: (typeof found)[number]) => session?.usedAt.getTime() ?? 0
      return found.sort((a, b) => usedAt(b) - usedAt(a)).slice(maxCookies - 1)
    },
    /** Those of the browser, the one that was used last first. */
    listSessions: async ({ headers }: FastifyRequest): Promise<Session[]> => {
      const found = await Promise.all(readSessionCookies(headers.cookie, isSecure).map(findUnlessMoving))
      return found.filter((each) => each !== undefined).sort((a, b) => b.usedAt.getTime() - a.usedAt.getTime())
    },
    /** If it cannot be written, the session only ends sooner. */
    noteUse: async (session: Session, atMostEveryMs: number): Promise<Session> => {
      const now = clock.now()
      if (now - session.usedAt.getTime() < atMostEveryMs) return session
      await noteSessionUse(database.write, session.organizationId, session.id, toTimestamp(now)).catch(() => {})
      const usedAt = new Date(now)
      return { ...session, usedAt, expiresAt: expiryOf(usedAt, session.endsAt) }
    },
  }
}

/** Whose session a request of the console is about; without the header, the operator's. */
export function organizationIn(headers: FastifyRequest['headers']): string {
  const organizationId = headers['service-orgid']
  if (organizationId === undefined) return noOrganization
  if (typeof organizationId !== 'string' || !isUuid(organizationId)) throw badRequest('Service-OrgID: must be a UUID')
  return organizationId.toLowerCase()
}

function noneWhereMoving(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 423)) throw error
}

export const expiryOf = (usedAt: Date, endsAt: Date) => new Date(Math.min(usedAt.getTime() + idleMs, endsAt.getTime()))

/** Recognizes the operator's key without storing what it could be guessed by. */
function createFingerprint({ keyring, operatorKey }: Pick<Dependencies, 'keyring' | 'operatorKey'>) {
  const fingerprints = () =>
    keyring.derive('operator key of console sessions').map((key) =>
      createHmac('sha256', key)
        .update(operatorKey() ?? '')
        .digest(),
    )
  return {
    current: () => fingerprints()[0] as Buffer,
    /** Also under an earlier master key, as long as that is given. */
    isSame: (hash: Buffer | null) =>
      operatorKey() !== undefined && fingerprints().some((each) => hash !== null && timingSafeEqual(each, hash)),
  }
}
