import type { Adapter, AdapterFactory, AdapterPayload, KoaContextWithOIDC } from 'oidc-provider'
import Provider, { errors } from 'oidc-provider'
import type { Database } from '../../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import { consoleClientId, toStoredClientId } from '../console-client/console-client.ts'
import { consoleSecretsOf } from '../console-client/console-cookie.ts'
import { findConsoleSignIn } from '../console-client/console-sign-in-store.ts'
import type { Browser } from '../contract.ts'
import type { InteractionCookies } from '../interaction-cookie.ts'
import { loadInteraction, mayReturn } from '../interaction-store.ts'
import { findSession } from '../session-store.ts'
import { findToken, type TokenKind } from '../token-store.ts'
import { knownScope } from './claims.ts'
import type { LibraryTime } from './time.ts'
import { unitOfWork } from './unit-of-work.ts'

/** The storage of one kind of record; with this configuration the library calls no other methods. */
type Part = Partial<Adapter>

type Dependencies = {
  organizationId: string
  database: Database
  clock: Clock
  time: LibraryTime
  interactionCookies: InteractionCookies
  /** Whether browsers use https. */
  isSecure: boolean
  browserOf: (ctx: KoaContextWithOIDC) => Browser
  findClient: (clientId: string) => Promise<AdapterPayload | undefined>
}

/** The library's storage for one issuer. Its writes are only noted; `commit-request.ts` makes them. */
export function createAdapter(dependencies: Dependencies): AdapterFactory {
  const parts: Record<string, Part> = {
    Client: clients(dependencies),
    Interaction: interactions(dependencies),
    Session: sessions(dependencies),
    Grant: grants(dependencies),
    AuthorizationCode: tokens('AuthorizationCode', dependencies),
    AccessToken: tokens('AccessToken', dependencies),
    RefreshToken: refreshTokens(dependencies),
  }
  return (name) => (parts[name] ?? {}) as Adapter
}

const clients = ({ findClient }: Dependencies): Part => ({
  async find(id) {
    const found = await findClient(id)
    if (found) unitOfWork().client = found
    return found
  },
})

const timestampIn = (clock: Clock, seconds: number): string => toTimestamp(clock.now() + seconds * 1_000)

function interactions(dependencies: Dependencies): Part {
  const { organizationId, database, clock, time, interactionCookies, browserOf } = dependencies
  return {
    async upsert(uid, payload, expiresIn = 0) {
      const { windowLocation } = browserOf(Provider.ctx as KoaContextWithOIDC)
      const expiresAt = timestampIn(clock, expiresIn)
      const invitationId = await findInvitation(payload, dependencies)
      unitOfWork().newInteraction = { uid, payload: time.toStored(payload), windowLocation, invitationId, expiresAt }
    },
    // Only for the browser that made the request.
    async find(uid) {
      if (!interactionCookies.has(organizationId, uid, Provider.ctx?.headers.cookie)) return undefined
      const found = await loadInteraction(database.read, organizationId, uid, toTimestamp(clock.now()))
      if (!found) return undefined
      // It was removed since: neither a code nor an error goes there.
      if (!mayReturn(found)) throw new errors.InvalidRedirectUri()
      if (!found.result) goOnWithSession(uid)
      // The library refuses a result if the session of the request has ended, which it may have meanwhile.
      const { session, ...payload } = time.fromStored(found.payload)
      if (!found.result || 'error' in found.result) return { ...payload, result: found.result ?? undefined }
      const { signIn } = found.result
      unitOfWork().signIn = signIn
      const login = { accountId: signIn.personId, ts: time.secondsOf(signIn.authentications[0].timestamp) }
      // No page asks for consent or an account: a sign-in satisfies every prompt.
      return { ...payload, result: { login, consent: {}, select_account: {} } }
    },
    async destroy(uid) {
      unitOfWork().usedInteraction = uid
    },
  }
}

/** Of a request of the console: only where this browser has opened it. Whoever only follows the address of the request joins nothing. */
async function findInvitation({ params }: AdapterPayload, { organizationId, database, clock, isSecure }: Dependencies) {
  if (params?.client_id !== consoleClientId) return null
  const stateHash = hashOf(String(params.state))
  const secretHashes = consoleSecretsOf(Provider.ctx?.headers.cookie, stateHash, isSecure).map(hashOf)
  const now = toTimestamp(clock.now())
  const found = await findConsoleSignIn(database.read, organizationId, { stateHash, secretHashes, now })
  return found?.invitationId ?? null
}

/**
 * The request waited for a sign-in, and the browser that made it comes without: it has a session by now, which the policy judges
 * as it would that of a new request. The session keeps its id, for other tabs may be using it at this moment.
 */
function goOnWithSession(uid: string) {
  unitOfWork().resumedInteraction = uid
  const session = Provider.ctx?.oidc.session
  if (session) Object.defineProperty(session, 'resetIdentifier', { value: () => {} })
}

function sessions({ organizationId, database, clock, time }: Dependencies): Part {
  return {
    async find(id) {
      const found = await findSession(database.read, organizationId, hashOf(id), toTimestamp(clock.now()))
      if (!found) return undefined
      unitOfWork().session = found
      return { ...time.fromStored(found.payload), jti: id }
    },
    // A session that gets a new id is destroyed under the old one first.
    async destroy() {
      unitOfWork().endsSession = true
    },
    async upsert(id, payload) {
      const work = unitOfWork()
      work.endsSession = false
      work.writtenSession = { id, payload: toStored(withoutConsole(payload), time) }
    },
  }
}

function grants({ time }: Dependencies): Part {
  return {
    async find(id) {
      const { token } = unitOfWork()
      return token?.grantId === id ? { ...time.fromStored(token.grantPayload), jti: id } : undefined
    },
    async upsert(id, payload, expiresIn = 0) {
      unitOfWork().grant = { id, payload: toStored(payload, time), expiresIn }
    },
    async destroy(id) {
      unitOfWork().endedGrants.add(id)
    },
  }
}

function tokens(kind: TokenKind, { organizationId, database, clock, time }: Dependencies) {
  return {
    async find(id: string) {
      const now = toTimestamp(clock.now())
      const found = await findToken(database.read, organizationId, kind, hashOf(id), now)
      if (!found) return undefined
      unitOfWork().token = found
      return { ...time.fromStored(found.payload), jti: id, ...(found.isConsumed && { consumed: true }) }
    },
    async upsert(id: string, payload: AdapterPayload, expiresIn = 0) {
      const expiresAt = timestampIn(clock, expiresIn)
      unitOfWork().tokens.push({ idHash: hashOf(id), kind, payload: toStored(payload, time), expiresAt })
    },
    async consume(id: string) {
      unitOfWork().consumed = hashOf(id)
    },
    // A token that is revoked or used twice ends its grant, and with it all tokens.
    async destroy() {},
    async revokeByGrantId() {},
  } satisfies Part
}

/**
 * As at a sign-in: some clients send at a refresh all scopes that they requested then. The library compares them after it has found the
 * token.
 */
function refreshTokens(dependencies: Dependencies): Part {
  const { find, ...others } = tokens('RefreshToken', dependencies)
  return {
    ...others,
    async find(id) {
      const found: AdapterPayload | undefined = await find(id)
      const { params } = Provider.ctx?.oidc ?? {}
      const granted = String(found?.scope ?? '').split(' ')
      if (typeof params?.scope === 'string') params.scope = knownScope(params.scope, granted)
      // The library would end the grant of a token that it finds to be used; at a revocation it is to find it.
      const isOneTooMany = Provider.ctx?.oidc.route === 'token' && unitOfWork().token?.isUsedUp
      return isOneTooMany ? undefined : found
    },
  }
}

/** Without the id, which is a secret. */
function toStored({ jti, ...payload }: AdapterPayload, time: LibraryTime): AdapterPayload {
  const { clientId } = payload
  return time.toStored(clientId === undefined ? payload : { ...payload, clientId: toStoredClientId(clientId) })
}

/** The console is not among the applications of a session: it is told of no sign-out, and no list has it. */
function withoutConsole({ authorizations, ...payload }: AdapterPayload): AdapterPayload {
  const { [consoleClientId]: _console, ...others } = authorizations ?? {}
  return authorizations === undefined ? payload : { ...payload, authorizations: others }
}
