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
  type ConsumedFlow,
  findAwaitedState,
  findFlowOfState,
  markFlowConsumed,
  type TestFlow,
} from './flow-store.ts'

/** What a browser sends to the callback of a credential. */
export type CallbackInput = { credentialId: string; state: string; cookies: FlowCookie[] }

/**
 * A consumed flow expires after this time. Half of it is more than a provider and the first attempt may take (10 s, 2 s for a
 * slot, three hook attempts of 20 s), and no other attempt begins in the second half.
 */
const finishMs = 150_000

/** `flow`: consumed by this callback. `over`: consumed earlier, by a callback of the same browser. */
type Consumed = { flow: ChosenFlow | TestFlow; retryUntil: number } | { over: ConsumedFlow } | undefined

/**
 * Consumes the flow of the callback's state, or else that of the browser's cookie: a wrong state ends a sign-in as well.
 * Undefined: this browser has no such flow.
 */
export async function consumeFlow(
  { credentialId, state, cookies }: CallbackInput,
  { database, clock }: Pick<Dependencies, 'database' | 'clock'>,
): Promise<Consumed> {
  const now = clock.now()
  const times = { now: toTimestamp(now), expiresAt: toTimestamp(now + finishMs) }
  const retryUntil = now + finishMs / 2
  const sent = readOrganizationToken(state)
  const flow = sent && (await markFlowConsumed(database.write, sent.organizationId, sent.hash, times))
  if (flow) return { flow, retryUntil }
  const over = sent && (await findFlowOfState(database.read, sent.organizationId, sent.hash, times.now))
  if (over) return cookieOf(cookies, over) ? { over } : undefined
  for (const { organizationId, flowId, secret } of cookies) {
    const bound = { flowId, credentialId, secretHash: hashOf(secret) }
    const awaited = await findAwaitedState(database.read, organizationId, bound)
    const misled = awaited && (await markFlowConsumed(database.write, organizationId, awaited, times))
    if (misled) return { flow: misled, retryUntil }
  }
  return undefined
}

const cookieOf = (cookies: FlowCookie[], { id, secretHash }: Pick<ChosenFlow, 'id' | 'secretHash'>) =>
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
