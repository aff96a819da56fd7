import { onBehalfOf } from '../../ground/database/connection-turns.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { callbackUrlOf } from '../credentials/index.ts'
import { findInteraction, type Interaction, type Redirect } from '../issuer/index.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { type CallbackInput, consumeFlow, expectedOf } from './consume-flow.ts'
import type { Dependencies } from './dependencies.ts'
import { endFlowWithError, SignInFailure } from './end-sign-in.ts'
import { finishTest } from './end-test.ts'
import { dropFlowCookie } from './flow-cookie.ts'
import type { ChosenFlow, ConsumedFlow, TestFlow } from './flow-store.ts'
import { type Shown, testOverPage } from './sign-in-pages.ts'

/** `parameters`: the query that the provider sent the browser with. */
type Callback = CallbackInput & { parameters: URLSearchParams }
type ConsumedCallback = Callback & { retryUntil: number }

/** 'finishing': another callback of this browser is finishing the sign-in; the browser is to try again. */
type CallbackReply = Redirect | Shown | 'finishing' | undefined

/**
 * The browser returns from a provider. Its flow is consumed before anything else, and ends with a result for the application,
 * a sign-in or an error; that of a test, with its steps. Undefined: there is no such flow, or the application's request is over.
 */
export async function handleCallback(callback: Callback, dependencies: Dependencies): Promise<CallbackReply> {
  const consumed = await consumeFlow(callback, dependencies)
  if (!consumed) return undefined
  if ('over' in consumed) return replyAgain(consumed.over, dependencies)
  // From here on the organization is known.
  return onBehalfOf(consumed.flow.organizationId, () => finishCallback(callback, consumed, dependencies))
}

async function finishCallback(
  callback: Callback,
  { flow, retryUntil }: { flow: ChosenFlow | TestFlow; retryUntil: number },
  dependencies: Dependencies,
): Promise<CallbackReply> {
  if (flow.interactionUid !== null) return endFlowOf({ ...callback, retryUntil }, flow, dependencies)
  await finishTest(callback, flow, dependencies)
  return { page: testOverPage, status: 200, setCookies: [dropFlowCookie(flow.id, dependencies.isSecure)] }
}

/** The earlier reply was lost, or is not yet there, and the browser tries again. */
async function replyAgain(over: ConsumedFlow, dependencies: Dependencies): Promise<CallbackReply> {
  const { organizationId, interactionUid } = over
  if (interactionUid === null) return { page: testOverPage, status: 200 }
  const interaction = await interactionOf({ organizationId, interactionUid }, dependencies)
  if (interaction?.hasResult) return { to: interaction.returnTo }
  return interaction && over.isFinishing ? 'finishing' : undefined
}

async function endFlowOf(
  callback: ConsumedCallback,
  flow: ChosenFlow,
  dependencies: Dependencies,
): Promise<Redirect | undefined> {
  const { onFailpoint, isSecure } = dependencies
  onFailpoint('consumed')
  const interaction = await interactionOf(flow, dependencies)
  try {
    await dependencies.tracer.within({ name: 'sign-in', kind: 'internal' }, () =>
      finish(callback, flow, interaction, dependencies),
    )
  } catch (error) {
    await endFlowWithError(error, flow, interaction, dependencies)
  }
  onFailpoint('ended')
  return interaction && { to: interaction.returnTo, setCookies: [dropFlowCookie(flow.id, isSecure)] }
}

const interactionOf = (
  { organizationId, interactionUid }: Pick<ChosenFlow, 'organizationId' | 'interactionUid'>,
  { database, clock }: Dependencies,
) => findInteraction(database.read, organizationId, interactionUid, toTimestamp(clock.now()))

async function finish(
  callback: ConsumedCallback,
  flow: ChosenFlow,
  interaction: Interaction | undefined,
  dependencies: Dependencies,
) {
  const { credentials, providers, baseUrl, tracer, onFailpoint } = dependencies
  const { parameters, credentialId, retryUntil } = callback
  const expected = expectedOf(flow, callback)
  if (!interaction) throw new SignInFailure('flow_expired', 'interaction: is over')
  const credential = await credentials.find(flow.organizationId, credentialId)
  if (!credential) throw new SignInFailure('credential_misconfigured', 'credential: was deleted, or is not active')
  const callbackUrl = callbackUrlOf(baseUrl, credentialId)
  const work = { name: 'identify', kind: 'client', attributes: { 'signet.provider': credential.provider } } as const
  const identity = await tracer.within(work, () =>
    providers.finishUpstream({ credential, callbackUrl, parameters, expected }),
  )
  onFailpoint('identified')
  await completeSignIn({ flow, interaction, credential, identity, retryUntil }, dependencies)
}
