import { timingSafeEqual } from 'node:crypto'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { readOrganizationToken } from '../../ground/runtime/organization-token.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import type { Expected } from '../providers/index.ts'
import type { Dependencies } from './dependencies.ts'
import { SignInFailure } from './end-sign-in.ts'
import type { FlowCookie } from './flow-cookie.ts'
import { decryptExpected } from './flow-secret.ts'
import {
  type ChosenFlow,
  type FoundFlow,
  findAwaitedState,
  findFlowOfState,
  markFlowConsumed,
  type TestFlow,
} from './flow-store.ts'

/** What a browser sends to the callback of a credential. `cookie` is its header of that name. */
export type CallbackInput = { credentialId: string; state: string; cookies: FlowCookie[]; cookie: string | undefined }

/**
 * A consumed flow expires after this time. Half of it is more than a provider and the first attempt may take (10 s, 2 s for a
 * slot, three hook attempts of 20 s), and no other attempt begins in the second half.
 */
const finishMs = 150_000

/** `flow`: consumed by this callback. `found`: the flow of this state, which is not consumed by it. */
type Consumed = { flow: ChosenFlow | TestFlow; retryUntil: number } | { found: FoundFlow } | undefined

/** Consumes the flow of the callback's state, if the browser has its cookie. Undefined: there is no flow of this state. */
export async function consumeFlow(
  { state, cookies }: CallbackInput,
  { database, clock }: Pick<Dependencies, 'database' | 'clock'>,
): Promise<Consumed> {
  const sent = readOrganizationToken(state)
  if (!sent) return undefined
  const { times, retryUntil } = timesFrom(clock.now())
  const secrets = cookies.map(({ secret }) => hashOf(secret))
  const flow = await markFlowConsumed(database.write, sent.organizationId, sent.hash, { secrets, ...times })
  if (flow) return { flow, retryUntil }
  const found = await findFlowOfState(database.read, sent.organizationId, sent.hash, times.now)
  return found && { found }
}

/**
 * Consumes the flow of the state, though the browser has not its cookie, or else that of a cookie of the browser: a wrong state ends a
 * sign-in as well. Undefined: there is none.
 */
export async function consumeMisledFlow(
  { credentialId, state, cookies }: CallbackInput,
  { database, clock }: Pick<Dependencies, 'database' | 'clock'>,
): Promise<Exclude<Consumed, { found: FoundFlow }>> {
  const { times, retryUntil } = timesFrom(clock.now())
  const consume = (organizationId: string, stateHash: Buffer) =>
    markFlowConsumed(database.write, organizationId, stateHash, { secrets: 'any', ...times })
  const sent = readOrganizationToken(state)
  const flow = sent && (await consume(sent.organizationId, sent.hash))
  if (flow) return { flow, retryUntil }
  for (const [organizationId, flows] of Map.groupBy(cookies, (cookie) => cookie.organizationId)) {
    const bound = flows.map(({ flowId, secret }) => ({ flowId, secretHash: hashOf(secret) }))
    const awaited = await findAwaitedState(database.read, organizationId, { cookies: bound, credentialId })
    const misled = awaited && (await consume(organizationId, awaited))
    if (misled) return { flow: misled, retryUntil }
  }
  return undefined
}

function timesFrom(now: number) {
  const times = { now: toTimestamp(now), expiresAt: toTimestamp(now + finishMs) }
  return { times, retryUntil: now + finishMs / 2 }
}

export const cookieOf = (cookies: FlowCookie[], { id, secretHash }: Pick<ChosenFlow, 'id' | 'secretHash'>) =>
  cookies.find(({ flowId, secret }) => flowId === id && timingSafeEqual(hashOf(secret), secretHash))

/**
 * The values that the provider's reply is checked against. Throws a `SignInFailure` unless callback, browser and state are
 * those that the flow was begun with.
 */
export function expectedOf(flow: ChosenFlow | TestFlow, { credentialId, state, cookies }: CallbackInput): Expected {
  const mismatch = (detail: string) => new SignInFailure('oidc_state_mismatch', `callback: ${detail}`)
  if (flow.credentialId !== credentialId) throw mismatch('of another credential')
  if (!timingSafeEqual(hashOf(state), flow.stateHash)) throw mismatch('state is not the one sent')
  const cookie = cookieOf(cookies, flow)
  if (!cookie) throw mismatch('cookie is missing or another')
  return { state, ...decryptExpected(flow.expected, cookie.secret) }
}
