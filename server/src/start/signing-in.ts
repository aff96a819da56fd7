import type { Publish } from '../delivery/events/index.ts'
import type { Hooks } from '../delivery/hooks/index.ts'
import { type CallerLimit, createCallerLimit } from '../ground/http/socket/rate-limit.ts'
import { createEgressClient } from '../ground/outbound/index.ts'
import { createRecorder } from '../identity/audit-log/index.ts'
import type { Credentials } from '../identity/credentials/index.ts'
import { findKept } from '../identity/directories/index.ts'
import { createInteractionCookies, createIssuers, type EndSessions, type Issuers } from '../identity/issuer/index.ts'
import { createLookOf, refuseIfMoving } from '../identity/organizations/index.ts'
import { createHandleHashes } from '../identity/persons/index.ts'
import { createProviders } from '../identity/providers/index.ts'
import {
  createBeginSignIn,
  createContinueSession,
  findPastRequest,
  type SignInDependencies,
} from '../identity/sign-in/index.ts'
import type { Base } from './base.ts'

/** Connections to identity providers; each sign-in has one at a time. */
const providerConnections = 512

type SignInParts = { publish: Publish; hooks: Hooks; credentials: Credentials; endSessions: EndSessions }
type SignIn = SignInDependencies & { stop(): Promise<void> }

/** Only providers that the operator configured may have private addresses. */
export function buildSignIn(base: Base, parts: SignInParts): SignIn {
  const { config, keyring, metrics, tracer, clock, options } = base
  const { baseUrl, region, tiers, operatorGroup } = config
  const providers = createProviders({
    createEgressClient: (trustedOrigins) =>
      createEgressClient({ resolve: new Map(), allowCidrs: [], trustedOrigins, maxConnections: providerConnections }),
    clock,
    overrides: config.providers,
  })
  const { flowMs } = config.lifetimes
  const isSecure = baseUrl.startsWith('https:')
  return {
    ...base,
    ...parts,
    baseUrl,
    lookOf: createLookOf({ ...base, baseUrl }),
    handleHashes: createHandleHashes(keyring),
    recordAs: createRecorder({ clock, keyring }),
    findKept,
    isSecure,
    region,
    tiers,
    operatorGroup,
    flowMs,
    providers,
    onFailpoint: options.onSignInFailpoint ?? (() => {}),
    interactionCookies: createInteractionCookies({ keyring, clock, isSecure, flowMs }),
    runTokenMinted: parts.hooks.runTokenMinted,
    onOutcome: (outcome) => {
      metrics?.signedIn(outcome)
      tracer.current()?.set({ 'signet.outcome': outcome })
    },
    stop: providers.close,
  }
}

export function buildIssuers(base: Base, signIn: SignIn, signInLimit: CallerLimit): Issuers {
  const { config, clock, log, database } = base
  const { baseUrl, lifetimes, keyLeadMs, keyRotationMs, rates } = config
  return createIssuers({
    ...base,
    baseUrl,
    lifetimes,
    keyLeadMs,
    keyRotationMs,
    limits: { signIn: signInLimit, token: createCallerLimit(clock, rates.token) },
    interactionCookies: signIn.interactionCookies,
    endSessions: signIn.endSessions,
    beginSignIn: createBeginSignIn(signIn),
    continueSession: createContinueSession(signIn),
    refuseIfMoving: (organizationId) => refuseIfMoving(database.read, organizationId),
    lookOf: signIn.lookOf,
    findPastRequest: (organizationId, uid) => findPastRequest(organizationId, { uid }, signIn),
    onError: (err) => log.error({ err }, 'request to an issuer failed'),
  })
}
