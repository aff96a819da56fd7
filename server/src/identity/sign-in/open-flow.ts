import { toTimestamp } from '../../ground/runtime/clock.ts'
import type { Choice } from '../credentials/index.ts'
import type { BeginSignIn, BegunSignIn, Redirect } from '../issuer/index.ts'
import { type BrowserContext, storeFlow, toBrowserContext } from './client-context.ts'
import type { Dependencies } from './dependencies.ts'
import { endAtOnce, endUnbegun, SignInFailure } from './end-sign-in.ts'
import { moveFlow } from './flow-store.ts'
import { startUpstream, startUpstreamOrEnd } from './start-upstream.ts'

/** Undefined: the flow is over. */
export type Opened = Redirect | { choices: Choice[] } | undefined

/** A browser with only one provider to choose is redirected there; with several, the page offers them. */
export async function openFlow(context: BrowserContext, dependencies: Dependencies): Promise<Opened> {
  const choices = await choicesFor(context, dependencies)
  const [first] = choices
  if (!first) return endUnbegun(context, noCredential(), dependencies)
  if (choices.length === 1)
    return startUpstreamOrEnd(context, { credentialId: first.id, state: 'stored' }, dependencies)
  // The stored flow lets a person who leaves the page be counted, and one who returns to it stay in the same sign-in.
  return (await storeFlow(context, { state: 'stored' }, dependencies)) ? { choices } : undefined
}

/**
 * Redirects a browser with only one provider to choose, so that it need not open the page first. Everything else, errors
 * included, is left to the page, which requires the browser's cookie: a link alone, which anybody may follow, ends nothing.
 */
export const createBeginSignIn =
  (dependencies: Dependencies): BeginSignIn =>
  async (begun) => {
    const context = toBrowserContext(begun, dependencies)
    try {
      await takeOverFlow(begun, dependencies)
      const [only, ...others] = await choicesFor(context, dependencies)
      if (!only || others.length > 0) return undefined
      return await startUpstream(context, { credentialId: only.id, state: 'stored' }, dependencies)
    } catch {
      return undefined
    }
  }

/** A sign-in that has begun stays the same one, with one final event. */
async function takeOverFlow(
  { organizationId, replaces: from, interaction: { uid: to } }: BegunSignIn,
  { database, clock, flowMs }: Dependencies,
) {
  if (from === undefined) return
  await moveFlow(database.write, organizationId, { from, to, expiresAt: toTimestamp(clock.now() + flowMs) })
}

const noCredential = () => new SignInFailure('credential_misconfigured', 'idp: no such credential')

/** `credentialId` undefined: the person cancelled. For a credential that is not offered the page is shown again. */
export async function chooseProvider(
  context: BrowserContext,
  credentialId: string | undefined,
  dependencies: Dependencies,
): Promise<Opened> {
  if (credentialId === undefined)
    return endAtOnce(context, new SignInFailure('flow_cancelled', 'page: cancelled'), dependencies)
  const choices = await choicesFor(context, dependencies)
  if (choices.length === 0) return endAtOnce(context, noCredential(), dependencies)
  return choices.some(({ id }) => id === credentialId)
    ? startUpstreamOrEnd(context, { credentialId, state: 'begun' }, dependencies)
    : openFlow(context, dependencies)
}

async function choicesFor(
  { organizationId, interaction }: BrowserContext,
  { credentials }: Pick<Dependencies, 'credentials'>,
): Promise<Choice[]> {
  const { idp } = interaction.params
  if (idp === undefined) return credentials.list(organizationId)
  const named = await credentials.findNamed(organizationId, idp)
  return named ? [named] : []
}
