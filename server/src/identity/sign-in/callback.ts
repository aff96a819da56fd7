import type { SignInHandle } from '../../delivery/events/index.ts'
import { onBehalfOf } from '../../ground/database/connection-turns.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { readOrganizationToken } from '../../ground/runtime/organization-token.ts'
import { callbackUrlOf } from '../credentials/index.ts'
import { findInteraction, hasSession, type Interaction, type Redirect } from '../issuer/index.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { type CallbackInput, consumeFlow, consumeMisledFlow, cookieOf, expectedOf } from './consume-flow.ts'
import type { Dependencies } from './dependencies.ts'
import { endFlowWithError, SignInFailure } from './end-sign-in.ts'
import { finishTest } from './end-test.ts'
import { dropFlowCookie } from './flow-cookie.ts'
import { type ChosenFlow, type FoundFlow, markFlowBegun, type TestFlow } from './flow-store.ts'
import { type Ended, type Shown, testOverPage } from './sign-in-pages.ts'
import { toldHandle } from './told-handle.ts'

/** `parameters`: the query that the provider sent the browser with. */
type Callback = CallbackInput & { parameters: URLSearchParams }
type ConsumedCallback = Callback & { retryUntil: number }
type BegunFlow = { flow: ChosenFlow | TestFlow; retryUntil: number }

/**
 * 'finishing': another callback of this browser is finishing the sign-in; the browser is to try again. `Ended`: there is nothing to
 * go on with.
 */
type CallbackReply = Redirect | Shown | Ended | 'finishing'

/**
 * The browser returns from a provider. Its flow is consumed before anything else, and ends with a result for the application,
 * a sign-in or an error; that of a test, with its steps.
 */
export async function handleCallback(callback: Callback, dependencies: Dependencies): Promise<CallbackReply> {
  const consumed = await consumeFlow(callback, dependencies)
  if (consumed && 'flow' in consumed) return finishOnBehalf(callback, consumed, dependencies)
  const reply = consumed && (await replyWithoutFlow(callback, consumed.found, dependencies))
  if (reply) return reply
  if (consumed && !consumed.found.isOpen) return { ended: consumed.found }
  const misled = await consumeMisledFlow(callback, dependencies)
  return misled
    ? finishOnBehalf(callback, misled, dependencies)
    : { ended: consumed?.found ?? organizationIn(callback) }
}

/** From here on the organization is known. */
const finishOnBehalf = (callback: Callback, consumed: BegunFlow, dependencies: Dependencies) =>
  onBehalfOf(consumed.flow.organizationId, () => finishCallback(callback, consumed, dependencies))

function organizationIn({ state }: Callback): Ended['ended'] {
  const { organizationId } = readOrganizationToken(state) ?? {}
  return organizationId === undefined ? undefined : { organizationId, clientId: null }
}

async function finishCallback(
  callback: Callback,
  { flow, retryUntil }: BegunFlow,
  dependencies: Dependencies,
): Promise<CallbackReply> {
  if (flow.interactionUid !== null) return endFlowOf({ ...callback, retryUntil }, flow, dependencies)
  await finishTest(callback, flow, dependencies)
  return { page: testOverPage, status: 200, setCookies: [dropFlowCookie(flow.id, dependencies.isSecure)] }
}

/**
 * The flow is open, and the browser has lost its cookie; or a callback has consumed it, whose reply was lost or is not yet there. Nothing
 * of this callback is used. The browser goes on with its own request alone, which it proves by a cookie. Undefined: it cannot.
 */
async function replyWithoutFlow(
  { cookies, cookie }: Callback,
  found: FoundFlow,
  dependencies: Dependencies,
): Promise<CallbackReply | undefined> {
  const { organizationId, interactionUid, isOpen, isFinishing } = found
  const hasCookie = cookieOf(cookies, found) !== undefined
  if (interactionUid === null) return !isOpen && hasCookie ? { page: testOverPage, status: 200 } : undefined
  if (!hasCookie && !dependencies.interactionCookies.has(organizationId, interactionUid, cookie)) return undefined
  const interaction = await interactionOf({ organizationId, interactionUid }, dependencies)
  if (!interaction) return undefined
  if (interaction.hasResult) return { to: interaction.returnTo }
  if (isFinishing) return 'finishing'
  return goOnWithSession({ found, interaction, cookie }, dependencies)
}

type GoingOn = { found: FoundFlow; interaction: Interaction; cookie: string | undefined }

/** The issuer judges the session as it does for a new request, and gives the sign-in its final event. Undefined: there is no session. */
async function goOnWithSession({ found, interaction, cookie }: GoingOn, { database, clock, isSecure }: Dependencies) {
  const { organizationId, id } = found
  const now = toTimestamp(clock.now())
  if (!(await hasSession(database.read, organizationId, { cookie, isSecure, now }))) return undefined
  await markFlowBegun(database.write, organizationId, id, now)
  return { to: interaction.returnTo }
}

async function endFlowOf(
  callback: ConsumedCallback,
  flow: ChosenFlow,
  dependencies: Dependencies,
): Promise<Redirect | Ended> {
  const { onFailpoint, isSecure } = dependencies
  onFailpoint('consumed')
  const interaction = await interactionOf(flow, dependencies)
  const told: Told = { handle: undefined }
  try {
    await dependencies.tracer.within({ name: 'sign-in', kind: 'internal' }, () =>
      finish(callback, { flow, interaction, told }, dependencies),
    )
  } catch (error) {
    await endFlowWithError(error, { ...flow, ...told }, interaction, dependencies)
  }
  onFailpoint('ended')
  const setCookies = [dropFlowCookie(flow.id, isSecure)]
  return interaction ? { to: interaction.returnTo, setCookies } : { ended: flow, setCookies }
}

const interactionOf = (
  { organizationId, interactionUid }: Pick<ChosenFlow, 'organizationId' | 'interactionUid'>,
  { database, clock }: Dependencies,
) => findInteraction(database.read, organizationId, interactionUid, toTimestamp(clock.now()))

/** What the provider has told by the time at which a sign-in ends. */
type Told = { handle: SignInHandle | undefined }

async function finish(
  callback: ConsumedCallback,
  { flow, interaction, told }: { flow: ChosenFlow; interaction: Interaction | undefined; told: Told },
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
  const handle = toldHandle(flow.organizationId, identity, dependencies)
  told.handle = handle
  await completeSignIn({ flow, interaction, credential, identity, handle, retryUntil }, dependencies)
}
