import { toTimestamp } from '../clock.ts'
import { callbackUrlOf } from '../credentials/index.ts'
import { findInteraction, type Interaction } from '../issuer/index.ts'
import { completeSignIn } from './complete-sign-in.ts'
import type { Dependencies } from './dependencies.ts'
import { endWithFailure } from './fail-sign-in.ts'
import { SignInFailure } from './failure.ts'
import { dropFlowCookie } from './flow-cookie.ts'
import type { ChosenFlow } from './flow-store.ts'
import type { Onward } from './onward.ts'
import { type Brought, expectedOf, useCallback } from './use-callback.ts'

/** `answer`: the query that the provider sent the browser with. */
type Called = Brought & { answer: URLSearchParams }

/**
 * The browser comes back from a provider. Its flow is used up before anything else, and ends with a result for the
 * application, good or bad. Undefined: there is no such flow, or the application's request is over.
 */
export async function callback(called: Called, dependencies: Dependencies): Promise<Onward | undefined> {
  const taken = await useCallback(called, dependencies)
  if (taken && 'used' in taken) return conclude(called, taken.used, dependencies)
  const interaction = taken && (await interactionOf(taken.over, dependencies))
  // The answer was lost on its way, and the browser asks again.
  return interaction?.hasResult ? { to: interaction.returnTo } : undefined
}

async function conclude(called: Called, flow: ChosenFlow, dependencies: Dependencies): Promise<Onward | undefined> {
  const { onStep, isSecure } = dependencies
  onStep('used')
  const interaction = await interactionOf(flow, dependencies)
  try {
    await finish(called, flow, interaction, dependencies)
  } catch (error) {
    await endWithFailure(error, flow, interaction, dependencies)
  }
  onStep('ended')
  return interaction && { to: interaction.returnTo, setCookies: [dropFlowCookie(flow.id, isSecure)] }
}

const interactionOf = (
  { organizationId, interactionUid }: Pick<ChosenFlow, 'organizationId' | 'interactionUid'>,
  { database, clock }: Dependencies,
) => findInteraction(database.read, organizationId, interactionUid, toTimestamp(clock.now()))

async function finish(
  called: Called,
  flow: ChosenFlow,
  interaction: Interaction | undefined,
  dependencies: Dependencies,
) {
  const { database, findCredential, providers, baseUrl, onStep } = dependencies
  const { answer, credentialId } = called
  const expected = expectedOf(flow, called)
  if (!interaction) throw new SignInFailure('flow_expired', 'interaction: is over')
  const credential = await findCredential(database.read, flow.organizationId, credentialId)
  if (!credential) throw new SignInFailure('credential_misconfigured', 'credential: was deleted')
  const callbackUrl = callbackUrlOf(baseUrl, credentialId)
  const identity = await providers.finishUpstream({ credential, callbackUrl, answer, expected })
  onStep('identified')
  await completeSignIn({ flow, interaction, credential, identity }, dependencies)
}
