import { callbackUrlOf } from '../credentials/index.ts'
import type { Onward } from '../issuer/index.ts'
import { hashOf } from '../runtime/secret-hash.ts'
import type { Dependencies } from './dependencies.ts'
import { endAtOnce } from './end-at-once.ts'
import { SignInFailure } from './failure.ts'
import { setFlowCookie } from './flow-cookie.ts'
import { makeSecret, sealExpected } from './flow-secret.ts'
import { makeState } from './flow-state.ts'
import { keepFlowOf, type Visitor } from './visitor.ts'

type Choosing = { credentialId: string; begins: boolean }

/** As `leadUpstream`; what goes wrong ends the sign-in. */
export const sendUpstream = (visitor: Visitor, choosing: Choosing, dependencies: Dependencies) =>
  leadUpstream(visitor, choosing, dependencies).catch((error) =>
    endAtOnce(visitor, error, dependencies, choosing.credentialId),
  )

/**
 * Where the browser proves to the provider who it is, once the flow is kept and bound to it. Undefined: the flow is over.
 * `begins`: the person chose this provider; else the sign-in begins when the browser comes back.
 */
export async function leadUpstream(
  visitor: Visitor,
  { credentialId, begins }: Choosing,
  dependencies: Dependencies,
): Promise<Onward | undefined> {
  const { flowMs, isSecure, onFailpoint } = dependencies
  const { url, state, ...expected } = await begin(visitor, credentialId, dependencies)
  const secret = makeSecret()
  const sealed = sealExpected(expected, secret)
  const chosen = { credentialId, stateHash: hashOf(state), secretHash: hashOf(secret), expected: sealed }
  const flow = await keepFlowOf(visitor, { chosen, begins }, dependencies)
  if (!flow) return undefined
  onFailpoint('kept')
  const cookie = { organizationId: flow.organizationId, flowId: flow.id, secret }
  return {
    to: url,
    setCookies: setFlowCookie(cookie, visitor.cookies, { isSecure, maxAgeSeconds: Math.ceil(flowMs / 1_000) }),
  }
}

async function begin({ organizationId, interaction }: Visitor, credentialId: string, dependencies: Dependencies) {
  const { credentials, providers, baseUrl } = dependencies
  const credential = await credentials.find(organizationId, credentialId)
  if (!credential) throw new SignInFailure('credential_misconfigured', 'credential: was deleted')
  const callbackUrl = callbackUrlOf(baseUrl, credentialId)
  const { isIssuerNew, ...begun } = await providers.beginUpstream({
    credential,
    callbackUrl,
    state: makeState(organizationId),
    wishes: interaction.params,
  })
  if (isIssuerNew) await credentials.saveIssuer(organizationId, credential, begun.issuer)
  return begun
}
