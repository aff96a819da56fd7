import { timingSafeEqual } from 'node:crypto'
import type { Expected } from '../providers/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { hashOf } from '../runtime/secret-hash.ts'
import type { Dependencies } from './dependencies.ts'
import { SignInFailure } from './failure.ts'
import type { FlowCookie } from './flow-cookie.ts'
import { openExpected } from './flow-secret.ts'
import { readState } from './flow-state.ts'
import { type ChosenFlow, type FoundFlow, findAwaitedState, findFlowOfState, useFlow } from './flow-store.ts'

/** What a browser brought to a credential's callback. */
export type Brought = { credentialId: string; state: string; cookies: FlowCookie[] }

/**
 * What is not over then never will be: half of it is more than a provider and the first try may take (10 s, 2 s for a slot,
 * three attempts of 20 s), and no other try begins in the second half.
 */
const finishMs = 150_000

/** `used`: by this callback, and by no other one. `over`: another one had used it, and this is the browser that it is of. */
type Callback = { used: ChosenFlow; triesUntil: number } | { over: FoundFlow } | undefined

/**
 * Uses up the flow that the browser brought the state of; failing that, the one that its cookie is of, for a wrong state
 * ends a sign-in as well. Undefined: there is none for this browser.
 */
export async function useCallback(
  { credentialId, state, cookies }: Brought,
  { database, clock }: Pick<Dependencies, 'database' | 'clock'>,
): Promise<Callback> {
  const now = clock.now()
  const times = { now: toTimestamp(now), expiresAt: toTimestamp(now + finishMs) }
  const triesUntil = now + finishMs / 2
  const sent = readState(state)
  const used = sent && (await useFlow(database.write, sent.organizationId, sent.stateHash, times))
  if (used) return { used, triesUntil }
  const over = sent && (await findFlowOfState(database.read, sent.organizationId, sent.stateHash, times.now))
  if (over) return cookieOf(cookies, over) ? { over } : undefined
  for (const { organizationId, flowId, secret } of cookies) {
    const bound = { flowId, credentialId, secretHash: hashOf(secret) }
    const awaited = await findAwaitedState(database.read, organizationId, bound)
    const misled = awaited && (await useFlow(database.write, organizationId, awaited, times))
    if (misled) return { used: misled, triesUntil }
  }
  return undefined
}

const cookieOf = (cookies: FlowCookie[], { id, secretHash }: Pick<ChosenFlow, 'id' | 'secretHash'>) =>
  cookies.find(({ flowId, secret }) => flowId === id && timingSafeEqual(hashOf(secret), secretHash))

/**
 * What the provider's answer is held against. Throws a `SignInFailure` unless callback, browser and state are those that
 * the flow was begun with.
 */
export function expectedOf(flow: ChosenFlow, { credentialId, state, cookies }: Brought): Expected {
  const mismatch = (detail: string) => new SignInFailure('oidc_state_mismatch', `callback: ${detail}`)
  if (flow.credentialId !== credentialId) throw mismatch('of another credential')
  if (!timingSafeEqual(hashOf(state), flow.stateHash)) throw mismatch('state is not the one sent')
  const cookie = cookieOf(cookies, flow)
  if (!cookie) throw mismatch('cookie is missing or another')
  return { state, ...openExpected(flow.expected, cookie.secret) }
}
