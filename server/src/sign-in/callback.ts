import { callbackUrlOf } from '../credentials/index.ts'
import { findInteraction, type Interaction, type Onward } from '../issuer/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { completeSignIn } from './complete-sign-in.ts'
import type { Dependencies } from './dependencies.ts'
import { endWithFailure } from './fail-sign-in.ts'
import { SignInFailure } from './failure.ts'
import { dropFlowCookie } from './flow-cookie.ts'
import type { ChosenFlow } from './flow-store.ts'
import { type Brought, expectedOf, useCallback } from './use-callback.ts'

/** `answer`: the query that the provider sent the browser with. */
type Called = Brought & { answer: URLSearchParams }
type Concluded = Called & { triesUntil: number }

/** `being finished`: another callback of this browser is about to; it is to ask again. */
type Answered = Onward | 'being finished' | undefined

/**
 * The browser comes back from a provider. Its flow is used up before anything else, and ends with a result for the
 * application, good or bad. Undefined: there is no such flow, or the application's request is over.
 */
export async function callback(called: Called, dependencies: Dependencies): Promise<Answered> {
  const taken = await useCallback(called, dependencies)
  if (!taken) return undefined
  if ('used' in taken) return conclude({ ...called, triesUntil: taken.triesUntil }, taken.used, dependencies)
  const interaction = await interactionOf(taken.over, dependencies)
  // The answer was lost on its way, and the browser asks again.
  if (interaction?.hasResult) return { to: interaction.returnTo }
  return interaction && taken.over.isBeingFinished ? 'being finished' : undefined
}

async function conclude(called: Concluded, flow: ChosenFlow, dependencies: Dependencies): Promise<Onward | undefined> {
  const { onFailpoint, isSecure } = dependencies
  onFailpoint('used')
  const interaction = await interactionOf(flow, dependencies)
  try {
    await finish(called, flow, interaction, dependencies)
  } catch (error) {
    await endWithFailure(error, flow, interaction, dependencies)
  }
  onFailpoint('ended')
  return interaction && { to: interaction.returnTo, setCookies: [dropFlowCookie(flow.id, isSecure)] }
}

const interactionOf = (
  { organizationId, interactionUid }: Pick<ChosenFlow, 'organizationId' | 'interactionUid'>,
  { database, clock }: Dependencies,
) => findInteraction(database.read, organizationId, interactionUid, toTimestamp(clock.now()))

async function finish(
  called: Concluded,
  flow: ChosenFlow,
  interaction: Interaction | undefined,
  dependencies: Dependencies,
) {
  const { credentials, providers, baseUrl, onFailpoint } = dependencies
  const { answer, credentialId, triesUntil } = called
  const expected = expectedOf(flow, called)
  if (!interaction) throw new SignInFailure('flow_expired', 'interaction: is over')
  const credential = await credentials.find(flow.organizationId, credentialId)
  if (!credential) throw new SignInFailure('credential_misconfigured', 'credential: was deleted')
  const callbackUrl = callbackUrlOf(baseUrl, credentialId)
  const identity = await providers.finishUpstream({ credential, callbackUrl, answer, expected })
  onFailpoint('identified')
  await completeSignIn({ flow, interaction, credential, identity, triesUntil }, dependencies)
}
