import { makeOrganizationToken } from '../../ground/runtime/organization-token.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import { type Credential, callbackUrlOf } from '../credentials/index.ts'
import type { AuthorizeParams, Redirect } from '../issuer/index.ts'
import { type BrowserContext, storeFlow } from './client-context.ts'
import type { Dependencies } from './dependencies.ts'
import { endAtOnce, SignInFailure } from './end-sign-in.ts'
import { type FlowCookies, setFlowCookie } from './flow-cookie.ts'
import { encryptExpected, makeSecret } from './flow-secret.ts'
import type { Choice, Flow, FlowChange } from './flow-store.ts'

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
  const { organizationId, interaction, cookies } = context
  const credential = await dependencies.credentials.find(organizationId, credentialId)
  if (!credential) throw new SignInFailure('credential_misconfigured', 'credential: was deleted, or is not active')
  const prepared = await prepareUpstream(
    { organizationId, credential, authRequirements: interaction.params },
    dependencies,
  )
  const flow = await storeFlow(context, { state: flowState, choice: prepared.choice }, dependencies)
  if (!flow) return undefined
  dependencies.onFailpoint('stored')
  return redirectToProvider(flow, prepared, cookies, dependencies)
}

type Upstream = { organizationId: string; credential: Credential; authRequirements: AuthorizeParams }

/** `choice` is to be stored with the flow, before the browser is sent to `url` with the secret as a cookie. */
type Prepared = { url: string; secret: string; choice: Choice }

export async function prepareUpstream(upstream: Upstream, dependencies: Dependencies): Promise<Prepared> {
  const { url, state, ...expected } = await beginUpstream(upstream, dependencies)
  const secret = makeSecret()
  const hashes = { stateHash: hashOf(state), secretHash: hashOf(secret) }
  return {
    url,
    secret,
    choice: { credentialId: upstream.credential.id, ...hashes, expected: encryptExpected(expected, secret) },
  }
}

export function redirectToProvider(
  { organizationId, id: flowId }: Pick<Flow, 'organizationId' | 'id'>,
  { url, secret }: Prepared,
  cookies: FlowCookies,
  { flowMs, isSecure }: Dependencies,
): Redirect {
  const cookie = { organizationId, flowId, secret }
  return { to: url, setCookies: setFlowCookie(cookie, cookies, { isSecure, maxAgeSeconds: Math.ceil(flowMs / 1_000) }) }
}

async function beginUpstream(
  { organizationId, credential, authRequirements }: Upstream,
  { credentials, providers, baseUrl }: Dependencies,
) {
  const callbackUrl = callbackUrlOf(baseUrl, credential.id)
  const { isIssuerNew, ...begun } = await providers.beginUpstream({
    credential,
    callbackUrl,
    state: makeOrganizationToken(organizationId),
    authRequirements,
  })
  if (isIssuerNew) await credentials.saveIssuer(organizationId, credential, begun.issuer)
  return begun
}
