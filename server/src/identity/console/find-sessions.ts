import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import { ApiError, badRequest, sessionEnded } from '../../ground/errors.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { grantedTo } from '../../ground/http/chain/roles.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import {
  type KeyAuthentication,
  limitsOf,
  type OperatorGroup,
  operatorsIn,
  type Tiers,
} from '../organizations/index.ts'
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
  operatorGroup: OperatorGroup | undefined
  baseUrl: string
}

export type Session = {
  /** Public: a page names by it the session that it was opened with. */
  id: string
  organizationId: string
  /** It stands for the operator: begun with the operator's key, or of a person in the operator's group. */
  isOperators: boolean
  /** Undefined: it was begun with the operator's key. */
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
/** `mayEnter`, `isOperator`: the pages of its organization, those of the operator. */
type Found = { session: Session; mayEnter: boolean; isOperator: boolean }

/** Finds the sessions that a browser has cookies for. */
export function createFindSessions(dependencies: Dependencies) {
  const { database, clock, authentication, tiers, operatorGroup, baseUrl } = dependencies
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

  /** Nothing is left to one who is out of the groups, was deactivated or signed out. No tier: the organization was deleted. */
  const findPerson = async (
    organizationId: string,
    { personId, roles, isOperator, pricingTier }: StoredPerson,
  ): Promise<Principal | 'ended'> => {
    if ((roles.length > 0 || isOperator) && pricingTier !== null)
      return {
        type: 'person',
        id: personId,
        name: null,
        ...grantedTo(roles),
        guardedGroup: operatorsIn(operatorGroup, organizationId),
        expiresAt: null,
        limits: limitsOf(tiers, pricingTier),
      }
    await authentication.refuseIfMoving(organizationId)
    return 'ended'
  }

  /** Undefined: it has ended. */
  const findAny = async ({ organizationId, hash }: SessionCookie): Promise<Found | undefined> => {
    const now = clock.now()
    const idleSince = toTimestamp(now - idleMs)
    const moments = { now: toTimestamp(now), idleSince, operators: operatorsIn(operatorGroup, organizationId) }
    const stored = await findStoredSession(database.read, organizationId, hash, moments)
    const principal = stored && (await findPrincipal(organizationId, stored))
    if (!stored || principal === 'ended') return undefined
    const { id, authenticatedAt, usedAt, endsAt } = stored
    const isSignInRecent = now - authenticatedAt.getTime() < recentMs
    const times = { authenticatedAt, usedAt, endsAt, expiresAt: expiryOf(usedAt, endsAt) }
    const session = { id, organizationId, isOperators: !principal, principal, isSignInRecent, ...times }
    return { session, mayEnter: principal?.roles?.length !== 0, isOperator: stored.isOperator }
  }

  /** An organization that moves has no sessions here. */
  const findUnlessMoving = (cookie: SessionCookie) => findAny(cookie).catch(noneWhereMoving)

  /** Of the person in the operator's group, where the browser has none that was begun with the operator's key. */
  const findOperators = async (header: string | undefined): Promise<Session | undefined> => {
    const own = readSessionCookie(header, noOrganization, isSecure)
    const begun = own && (await findAny(own))
    if (begun) return begun.session
    const cookie = operatorGroup && readSessionCookie(header, operatorGroup.organizationId, isSecure)
    const found = cookie && (await findUnlessMoving(cookie))
    if (found?.isOperator) return asOperators(found.session)
    if (own) throw sessionEnded()
    return undefined
  }

  return {
    isSecure,
    isOfOwnPage,
    operatorKeyHash: operator.current,
    findUnlessMoving,
    /** Undefined: there is no cookie for the holder that the request names, or another page may have sent it. Throws a 401 where it has ended. */
    findFor: async ({ headers }: FastifyRequest): Promise<Session | undefined> => {
      if (!isOfOwnPage(headers)) return undefined
      const organizationId = organizationIn(headers)
      if (organizationId === noOrganization) return findOperators(headers.cookie)
      const cookie = readSessionCookie(headers.cookie, organizationId, isSecure)
      if (!cookie) return undefined
      const found = await findAny(cookie)
      if (!found?.mayEnter) throw sessionEnded()
      return found.session
    },
    /** Sessions of other organizations that a browser has no cookie for when it gets one more: those that were used longest ago. */
    findSurplus: async (header: string | undefined, organizationId: string) => {
      const isOther = (each: SessionCookie) => ![organizationId, noOrganization].includes(each.organizationId)
      const cookies = readSessionCookies(header, isSecure).filter(isOther)
      if (cookies.length < maxCookies) return []
      const found = await Promise.all(
        cookies.map(async (cookie) => ({ cookie, session: (await findUnlessMoving(cookie))?.session })),
      )
      const usedAt = ({ session }: (typeof found)[number]) => session?.usedAt.getTime() ?? 0
      return found.sort((a, b) => usedAt(b) - usedAt(a)).slice(maxCookies - 1)
    },
    /** Those of the browser, the one that was used last first; of the operator's at most one. */
    listSessions: async ({ headers }: FastifyRequest): Promise<Session[]> => {
      const found = await Promise.all(readSessionCookies(headers.cookie, isSecure).map(findUnlessMoving))
      const sessions = found.flatMap((each) => (each?.mayEnter ? [each.session] : []))
      const operators = found.find((each) => each?.isOperator)
      if (operators && !sessions.some(({ isOperators }) => isOperators)) sessions.push(asOperators(operators.session))
      return sessions.sort((a, b) => b.usedAt.getTime() - a.usedAt.getTime())
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
  if (typeof organizationId !== 'string' || !isUuid(organizationId))
    throw badRequest('invalid_value', 'Service-OrgID: must be a UUID')
  return organizationId.toLowerCase()
}

function noneWhereMoving(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 423)) throw error
}

const asOperators = (session: Session): Session => ({ ...session, isOperators: true })

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
