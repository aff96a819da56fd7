import { callbackUrlOf } from '../credentials/index.ts'
import type { Redirect } from '../issuer/index.ts'
import { hashOf } from '../runtime/secret-hash.ts'
import { type BrowserContext, storeFlow } from './client-context.ts'
import type { Dependencies } from './dependencies.ts'
import { endAtOnce, SignInFailure } from './end-sign-in.ts'
import { setFlowCookie } from './flow-cookie.ts'
import { encryptExpected, makeSecret } from './flow-secret.ts'
import { makeState } from './flow-state.ts'
import type { FlowChange } from './flow-store.ts'

/** `state` 'begun': the person chose this provider on the page; otherwise the sign-in begins with the callback. */
type Start = { credentialId: string; state: FlowChange['state'] }

/** As `startUpstream`; an error ends the sign-in. */
export const startUpstreamOrEnd = (context: BrowserContext, start: Start, dependencies: Dependencies) =>
  startUpstream(context, start, dependencies).catch((error) =>
    endAtOnce(context, error, dependencies, start.credentialId),
  )

/** Stores the flow, bound to the browser, and gives the redirect to the provider. Undefined: the flow is over. */
export async function startUpstream(
  context: BrowserContext,
  { credentialId, state: flowState }: Start,
  dependencies: Dependencies,
): Promise<Redirect | undefined> {
  const { flowMs, isSecure, onFailpoint } = dependencies
  const { url, state, ...expected } = await beginUpstream(context, credentialId, dependencies)
  const secret = makeSecret()
  const encrypted = encryptExpected(expected, secret)
  const choice = { credentialId, stateHash: hashOf(state), secretHash: hashOf(secret), expected: encrypted }
  const flow = await storeFlow(context, { state: flowState, choice }, dependencies)
  if (!flow) return undefined
  onFailpoint('stored')
  const cookie = { organizationId: flow.organizationId, flowId: flow.id, secret }
  return {
    to: url,
    setCookies: setFlowCookie(cookie, context.cookies, { isSecure, maxAgeSeconds: Math.ceil(flowMs / 1_000) }),
  }
}

async function beginUpstream(
  { organizationId, interaction }: BrowserContext,
  credentialId: string,
  { credentials, providers, baseUrl }: Dependencies,
) {
  const credential = await credentials.find(organizationId, credentialId)
  if (!credential) throw new SignInFailure('credential_misconfigured', 'credential: was deleted, or is not active')
  const callbackUrl = callbackUrlOf(baseUrl, credentialId)
  const { isIssuerNew, ...begun } = await providers.beginUpstream({
    credential,
    callbackUrl,
    state: makeState(organizationId),
    authRequirements: interaction.params,
  })
  if (isIssuerNew) await credentials.saveIssuer(organizationId, credential, begun.issuer)
  return begun
}
