import type { FastifyInstance } from 'fastify'
import { isOriginOfAnyApplication, isOriginOfApplication } from '../applications/index.ts'
import type { Database } from '../database/database.ts'
import type { PageOrigins } from '../http/operation.ts'
import type { Keyring } from '../keys/index.ts'
import { createLookUps } from '../runtime/cache.ts'
import type { Clock } from '../runtime/clock.ts'
import { keepNewest } from '../runtime/keep-newest.ts'
import { issuerOf } from './addresses.ts'
import { createClients } from './clients.ts'
import type { Lifetimes } from './configuration.ts'
import { callerOf, type Limits, serveEndpoints } from './endpoints.ts'
import type { InteractionCookies } from './interaction-cookie.ts'
import type { StoredIssuerKey } from './issuer-key-store.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { createLibraryTime } from './library-time.ts'
import type { createProvider } from './provider.ts'
import { createReadIdToken, type ReadIdToken } from './read-id-token.ts'
import type { BeginSignIn, ContinueSession } from './sign-in.ts'
import { createSignOutTokens } from './sign-out-token.ts'
import { sweepExpired } from './sweep.ts'

/** Issuers that are kept built, some 100 kB each; the one unused for longest goes first. */
const maxKept = 1_000

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
  continueSession: ContinueSession
  onError: (error: unknown) => void
}

/** One organization's issuer, ready to answer. */
export type Issuer = { handle: ReturnType<ReturnType<typeof createProvider>['callback']> }

export type Issuers = {
  /** Adds the routes of all issuers. */
  serve(app: FastifyInstance): void
  /** In this process from now on; in others two seconds later. */
  forgetApplication(organizationId: string, clientId: string): void
  forgetOrganization(organizationId: string): void
  /** The person whom an ID token of this organization is about; undefined: it is not, or not any more, valid. */
  readIdToken(organizationId: string, token: string): Promise<string | undefined>
  /** Which pages are those of applications. */
  pageOrigins: PageOrigins
  /** As `IssuerKeys` has it; in this process from now on. */
  rotateKeys(organizationId: string, isEmergency: boolean): Promise<void>
  /** Rotates keys by age, and removes what has expired: some at a time, safe in several processes at once. */
  keepUp(): Promise<void>
  sweep(signal: AbortSignal): Promise<void>
}

type Built = Issuer & {
  version: string
  clients: ReturnType<typeof createClients>
  readIdToken: ReadIdToken
}

export function createIssuers(dependencies: Dependencies): Issuers {
  const { database, clock, lifetimes } = dependencies
  const issuerKeys = createIssuerKeys({ ...dependencies, ...lifetimes })
  const time = createLibraryTime(clock)
  const signOutTokens = createSignOutTokens({ ...dependencies, ...lifetimes })
  const built = new Map<string, Built>()

  const build = async (organizationId: string, stored: StoredIssuerKey[]) => {
    // Loaded with the first issuer: the library takes 16 MB.
    const { createProvider } = await import('./provider.ts')
    const clients = createClients(database.read, clock, organizationId)
    const open = (key: StoredIssuerKey) => issuerKeys.open(organizationId, key)
    const keys = stored.filter(({ isPublished }) => isPublished).map(open)
    const issuer = issuerOf(dependencies.baseUrl, organizationId)
    const provider = createProvider({
      ...dependencies,
      organizationId,
      time,
      callerOf,
      signOutTokens,
      findClient: clients.find,
      keys,
      hintKeys: stored.map(open),
    })
    const readIdToken = createReadIdToken({ issuer, keys, clock, findClient: clients.find })
    return { handle: provider.callback(), clients, readIdToken }
  }

  /** The order of the keys tells which ones sign. */
  const versionOf = (keys: StoredIssuerKey[]) => keys.map(({ kid, isPublished }) => `${kid} ${isPublished}`).join()

  const builtWith = async (organizationId: string, keys: StoredIssuerKey[]): Promise<Built> => {
    const version = versionOf(keys)
    const before = built.get(organizationId)
    const issuer = before?.version === version ? before : { ...(await build(organizationId, keys)), version }
    keepNewest(built, organizationId, issuer, maxKept)
    return issuer
  }

  // Whether the organization still exists, and which keys it has: no process signs with a key for longer than two seconds
  // after another one took its place.
  const lookUps = createLookUps(clock, maxKept, async (organizationId: string) => {
    const keys = await issuerKeys.find(organizationId)
    if (keys) return builtWith(organizationId, keys)
    built.delete(organizationId)
    return undefined
  })

  return {
    serve: (app) => serveEndpoints(app, { ...dependencies, signOutTokens, find: lookUps.find }),
    forgetApplication: (organizationId, clientId) => built.get(organizationId)?.clients.forget(clientId),
    forgetOrganization: lookUps.forget,
    readIdToken: async (organizationId, token) => (await lookUps.find(organizationId))?.readIdToken(token),
    pageOrigins: {
      isAllowed: (organizationId, origin) => isOriginOfApplication(database.read, organizationId, origin),
      isAllowedSomewhere: (origin) => isOriginOfAnyApplication(database.read, origin),
    },
    rotateKeys: async (organizationId, isEmergency) => {
      const rotate = isEmergency ? issuerKeys.rotateInEmergency : issuerKeys.rotate
      await rotate(organizationId)
      lookUps.forget(organizationId)
    },
    keepUp: issuerKeys.keepUp,
    sweep: (signal) => sweepExpired(database.write, clock, signal),
  }
}
