import type { Adapter, AdapterFactory, AdapterPayload, KoaContextWithOIDC } from 'oidc-provider'
import Provider from 'oidc-provider'
import type { Database } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { hashOf } from '../runtime/secret-hash.ts'
import { gathered } from './gathered.ts'
import type { InteractionCookies } from './interaction-cookie.ts'
import { loadInteraction } from './interaction-store.ts'
import type { LibraryTime } from './library-time.ts'
import { findSession } from './session-store.ts'
import { findToken, type TokenKind } from './token-store.ts'
import { windowLocationOf } from './window-location.ts'

/** What an adapter is asked of one kind of thing; the library asks nothing else with these settings. */
type Part = Partial<Adapter>

type Dependencies = {
  organizationId: string
  database: Database
  clock: Clock
  time: LibraryTime
  interactionCookies: InteractionCookies
  findClient: (clientId: string) => Promise<AdapterPayload | undefined>
}

/** The library's storage for one issuer. Most of it only gathers; `settle.ts` writes what was gathered. */
export function createAdapter(dependencies: Dependencies): AdapterFactory {
  const parts: Record<string, Part> = {
    Client: { find: dependencies.findClient },
    Interaction: interactions(dependencies),
    Session: sessions(dependencies),
    Grant: grants(dependencies),
    AuthorizationCode: tokens('AuthorizationCode', dependencies),
    AccessToken: tokens('AccessToken', dependencies),
    RefreshToken: tokens('RefreshToken', dependencies),
  }
  return (name) => (parts[name] ?? {}) as Adapter
}

const after = (clock: Clock, seconds: number): string => toTimestamp(clock.now() + seconds * 1_000)

function interactions({ organizationId, database, clock, time, interactionCookies }: Dependencies): Part {
  return {
    async upsert(uid, payload, expiresIn = 0) {
      const windowLocation = windowLocationOf(Provider.ctx as KoaContextWithOIDC)
      const expiresAt = after(clock, expiresIn)
      gathered().begunInteraction = { uid, payload: time.toStored(payload), windowLocation, expiresAt }
    },
    // For the browser that made the request, and for no other one.
    async find(uid) {
      if (!interactionCookies.has(organizationId, uid, Provider.ctx?.headers.cookie)) return undefined
      const found = await loadInteraction(database.read, organizationId, uid, toTimestamp(clock.now()))
      if (!found) return undefined
      // The library takes no result once the session of the request has ended, which it may in the meantime.
      const { session, ...payload } = time.fromStored(found.payload)
      if (!found.result || 'error' in found.result) return { ...payload, result: found.result ?? undefined }
      const { signIn } = found.result
      gathered().signIn = signIn
      const login = { accountId: signIn.personId, ts: time.secondsOf(signIn.authentications[0].timestamp) }
      // No page asks for consent or an account: to have signed in is the answer to every prompt.
      return { ...payload, result: { login, consent: {}, select_account: {} } }
    },
    async destroy(uid) {
      gathered().usedInteraction = uid
    },
  }
}

function sessions({ organizationId, database, clock, time }: Dependencies): Part {
  return {
    async find(id) {
      const found = await findSession(database.read, organizationId, hashOf(id), toTimestamp(clock.now()))
      if (!found) return undefined
      gathered().session = found
      return { ...time.fromStored(found.payload), jti: id }
    },
    // A session that gets a new id is destroyed under the old one first.
    async destroy() {
      gathered().endsSession = true
    },
    async upsert(id, payload) {
      const request = gathered()
      request.endsSession = false
      request.keptSession = { id, payload: toKept(payload, time) }
    },
  }
}

function grants({ time }: Dependencies): Part {
  return {
    async find(id) {
      const { token } = gathered()
      return token?.grantId === id ? { ...time.fromStored(token.grantPayload), jti: id } : undefined
    },
    async upsert(id, payload, expiresIn = 0) {
      gathered().grant = { id, payload: toKept(payload, time), expiresIn }
    },
    async destroy(id) {
      gathered().endedGrants.add(id)
    },
  }
}

function tokens(kind: TokenKind, { organizationId, database, clock, time }: Dependencies): Part {
  return {
    async find(id) {
      const now = toTimestamp(clock.now())
      const found = await findToken(database.read, organizationId, kind, hashOf(id), now)
      if (!found) return undefined
      gathered().token = found
      return { ...time.fromStored(found.payload), jti: id, ...(found.isConsumed && { consumed: true }) }
    },
    async upsert(id, payload, expiresIn = 0) {
      const expiresAt = after(clock, expiresIn)
      gathered().tokens.push({ idHash: hashOf(id), kind, payload: toKept(payload, time), expiresAt })
    },
    async consume(id) {
      gathered().consumed = hashOf(id)
    },
    // Whoever gives back one token, or shows one twice, ends the grant, which takes all of them along.
    async destroy() {},
    async revokeByGrantId() {},
  }
}

/** Without its id, which is its secret. */
function toKept({ jti, ...payload }: AdapterPayload, time: LibraryTime): AdapterPayload {
  return time.toStored(payload)
}
