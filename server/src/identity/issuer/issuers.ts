import type { FastifyInstance } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import type { PageOrigins } from '../../ground/http/chain/operation.ts'
import type { Keyring, OnRotated } from '../../ground/keys/index.ts'
import { setBounded } from '../../ground/runtime/bounded-map.ts'
import { createCache } from '../../ground/runtime/cache.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { isOriginOfAnyApplication, isOriginOfApplication } from '../applications/index.ts'
import type { LookOf } from '../organizations/index.ts'
import { issuerOf } from './addresses.ts'
import type { BeginSignIn, ContinueSession, FindPastRequest, Lifetimes } from './contract.ts'
import type { EndSessions } from './end-sessions.ts'
import { endSessionsOfCredentials } from './end-sessions-of-credentials.ts'
import { browserOf, type Issuer, type Limits, serveEndpoints } from './endpoints.ts'
import type { InteractionCookies } from './interaction-cookie.ts'
import type { StoredIssuerKey } from './keys/issuer-key-store.ts'
import { createIssuerKeys } from './keys/issuer-keys.ts'
import { createClients } from './library/clients.ts'
import { createResources, type Resources } from './library/resources.ts'
import { createLibraryTime, type LibraryTime } from './library/time.ts'
import { createSignOutTokens, type SignOutTokens } from './posted-sign-out.ts'
import { createReadIdToken, type ReadIdToken } from './read-id-token.ts'
import { sweepExpired } from './sweep-store.ts'

/** Issuers in memory, some 100 kB each; the least recently used is dropped first. */
const maxIssuers = 1_000

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  baseUrl: string
  lifetimes: Lifetimes
  keyLeadMs: number
  keyRotationMs: number
  limits: Limits
  interactionCookies: InteractionCookies
  beginSignIn: BeginSignIn
  endSessions: EndSessions
  continueSession: ContinueSession
  refuseIfMoving: (organizationId: string) => Promise<void>
  lookOf: LookOf
  findPastRequest: FindPastRequest
  onError: (error: unknown) => void
}

export type Issuers = {
  /** Adds the routes of all issuers. */
  serve(app: FastifyInstance): void
  /** Takes effect in this process at once, in others two seconds later. */
  forgetApplication(organizationId: string, clientId: string): void
  forgetResource(organizationId: string, identifier: string): void
  forgetOrganization(organizationId: string): void
  /** The subject of an ID token of this organization; undefined: the token is invalid or has expired. */
  readIdToken(organizationId: string, token: string): Promise<string | undefined>
  /** The origins of the applications' pages. */
  pageOrigins: PageOrigins
  /** Takes effect in this process at once. */
  rotateKeys(organizationId: string, isEmergency: boolean, onRotated: OnRotated): Promise<void>
  /** Rotates keys that are due: a bounded number per run, safe in several processes at once. */
  rotateDueKeys(): Promise<void>
  /** Removes what credentials that have ended vouched for. */
  endSessionsOfCredentials(signal: AbortSignal): Promise<void>
  /** Removes expired rows. */
  sweep(signal: AbortSignal): Promise<void>
}

type Built = Issuer & {
  version: string
  clients: ReturnType<typeof createClients>
  resources: Resources
  readIdToken: ReadIdToken
}

export function createIssuers(dependencies: Dependencies): Issuers {
  const { database, clock, lifetimes } = dependencies
  const issuerKeys = createIssuerKeys({ ...dependencies, ...lifetimes })
  const signOutTokens = createSignOutTokens({ ...dependencies, ...lifetimes })
  const building = { ...dependencies, issuerKeys, time: createLibraryTime(clock), signOutTokens }
  const built = new Map<string, Built>()

  const rebuildWith = async (organizationId: string, keys: StoredIssuerKey[]): Promise<Built> => {
    const version = versionOf(keys)
    const before = built.get(organizationId)
    const issuer = before?.version === version ? before : { ...(await build(building, organizationId, keys)), version }
    setBounded(built, organizationId, issuer, maxIssuers)
    return issuer
  }

  // Looks up whether the organization exists and which keys it has: no process signs with a key for longer than two seconds
  // after another key replaced it.
  const issuerCache = createCache(clock, maxIssuers, async (organizationId: string) => {
    const keys = await issuerKeys.find(organizationId)
    if (keys) return rebuildWith(organizationId, keys)
    built.delete(organizationId)
    return undefined
  })

  return {
    serve: (app) => serveEndpoints(app, { ...dependencies, signOutTokens, find: issuerCache.find }),
    forgetApplication: (organizationId, clientId) => built.get(organizationId)?.clients.forget(clientId),
    forgetResource: (organizationId, identifier) => built.get(organizationId)?.resources.forget(identifier),
    forgetOrganization: issuerCache.forget,
    readIdToken: async (organizationId, token) => (await issuerCache.find(organizationId))?.readIdToken(token),
    pageOrigins: {
      isAllowed: (organizationId, origin) => isOriginOfApplication(database.read, organizationId, origin),
      isAllowedSomewhere: (origin) => isOriginOfAnyApplication(database.read, origin),
    },
    rotateKeys: (organizationId, isEmergency, onRotated) =>
      issuerKeys.rotate(organizationId, isEmergency, (tx, rotated) => {
        tx.afterCommit(() => issuerCache.forget(organizationId))
        return onRotated(tx, rotated)
      }),
    rotateDueKeys: issuerKeys.rotateDueKeys,
    endSessionsOfCredentials: (signal) =>
      endSessionsOfCredentials({ ...dependencies, flowMs: lifetimes.flowMs }, signal),
    sweep: (signal) => sweepExpired(database.write, clock, signal),
  }
}

type Building = Dependencies & {
  issuerKeys: ReturnType<typeof createIssuerKeys>
  time: LibraryTime
  signOutTokens: SignOutTokens
}

async function build(building: Building, organizationId: string, stored: StoredIssuerKey[]) {
  // Loaded with the first issuer: the library takes 16 MB.
  const { createProvider } = await import('./library/provider.ts')
  const { database, clock, baseUrl, issuerKeys, lookOf, findPastRequest } = building
  const clients = createClients(database.read, clock, { organizationId, baseUrl })
  const resources = createResources(database.read, clock, organizationId)
  const decrypt = (key: StoredIssuerKey) => issuerKeys.decrypt(organizationId, key)
  const keys = stored.filter(({ isPublished }) => isPublished).map(decrypt)
  const provider = createProvider({
    ...building,
    isSecure: baseUrl.startsWith('https:'),
    organizationId,
    looks: {
      lookOf: (wishes) => lookOf(organizationId, wishes),
      findPast: (uid) => findPastRequest(organizationId, uid),
    },
    browserOf,
    findClient: clients.find,
    findResource: resources.find,
    keys,
    hintKeys: stored.map(decrypt),
  })
  const issuer = issuerOf(baseUrl, organizationId)
  const readIdToken = createReadIdToken({ issuer, keys, clock, findClient: clients.find })
  return { handle: provider.callback(), clients, resources, readIdToken }
}

/** The order of the keys decides which ones sign. */
const versionOf = (keys: StoredIssuerKey[]) => keys.map(({ kid, isPublished }) => `${kid} ${isPublished}`).join()
