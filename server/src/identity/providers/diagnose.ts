import type { Credential } from '../credentials/index.ts'
import { keyTypes } from './algorithms.ts'
import type { ProviderOverride } from './connector.ts'
import type { ProviderFailure } from './failure.ts'
import { connectors } from './registry.ts'

/**
 * What can fail in a sign-in, in the order in which it happens. `state`: whether the answer belongs to this sign-in, before
 * anything else of it is read. `authorization`: what the provider answered.
 */
export const signInSteps = [
  'discovery',
  'state',
  'authorization',
  'token',
  'id_token',
  'userinfo',
  'emails',
  'claims',
] as const
export type SignInStep = (typeof signInSteps)[number]

/** `field`: what to mend, as the interface calls it, or the operator's setting. Undefined: nothing of the credential. */
export type Diagnosis = { step: SignInStep; field?: string; message: string }

/** A field of the credential: its scopes are in its options, and so is what names its server. */
type Cause = 'client_id' | 'client_secret' | 'callback_url' | 'scopes' | 'server'
type Mend = { cause?: Cause; message: string }

const client: Mend = { cause: 'client_id', message: 'The provider does not know this client, or has it switched off.' }
const secret: Mend = { cause: 'client_secret', message: 'The client secret is wrong, or has expired.' }
const callback: Mend = {
  cause: 'callback_url',
  message: 'Register the callback URL of the credential at the provider, character by character.',
}
const scope: Mend = { cause: 'scopes', message: 'The provider does not know one of the scopes, or does not allow it.' }
const flow: Mend = { message: 'Allow the client the authorization code flow at the provider.' }
const consent: Mend = { message: 'An administrator has to consent to the client at the provider.' }
const clock: Mend = { message: 'The clocks of the provider and of Signet differ, or the ID token is an old one.' }
const tenant: Mend = {
  cause: 'server',
  message: 'The account is of a tenant, or of a kind, that the credential does not allow.',
}
const audience: Mend = { cause: 'client_id', message: 'The ID token was made for another client.' }

const algorithm: Mend = {
  cause: 'server',
  message: `The provider must sign ID tokens by one of ${Object.keys(keyTypes).join(', ')}, and list it in its discovery document.`,
}

/** By OAuth errors, and by what is wrong with an ID token. */
const mends: Partial<Record<SignInStep, Record<string, Mend>>> = {
  discovery: { no_safe_algorithm: algorithm },
  authorization: {
    access_denied: { message: 'The person refused, or is not assigned to the client at the provider.' },
    application_suspended: client,
    consent_required: consent,
    interaction_required: consent,
    invalid_client: client,
    invalid_scope: scope,
    redirect_uri_mismatch: callback,
    unauthorized_client: client,
    unsupported_response_type: flow,
  },
  token: {
    incorrect_client_credentials: secret,
    invalid_client: secret,
    invalid_scope: scope,
    redirect_uri_mismatch: callback,
    unauthorized_client: client,
    unsupported_grant_type: flow,
  },
  id_token: {
    alg: { message: 'The ID token is signed by an algorithm that is not allowed for this provider.' },
    aud: audience,
    azp: audience,
    auth_time: clock,
    exp: clock,
    iat: clock,
    nbf: clock,
    iss: { cause: 'server', message: 'The ID token is of another issuer.' },
    nonce: { message: 'The ID token was made for another sign-in: its nonce is another.' },
    signature: { message: 'The signature of the ID token fits no key of the provider.' },
    tid: tenant,
    ver: { message: 'The ID token must be of version 2.0.' },
  },
}

const unreachable: Mend = { cause: 'server', message: 'The provider gave no usable answer, or may not be called.' }
const others: Record<SignInStep, Mend> = {
  discovery: { cause: 'server', message: 'There is no provider at this address, or no such tenant.' },
  state: { message: 'The answer belongs to another sign-in or another provider, or came back in another browser.' },
  authorization: { message: 'The provider refused the request.' },
  token: { message: 'The provider refused the code.' },
  id_token: { message: 'The ID token breaks a rule.' },
  userinfo: { message: 'The provider did not tell who the person is; the client may lack a permission there.' },
  emails: { message: 'The provider did not tell the addresses of the person; the client may lack a permission there.' },
  claims: { message: 'The provider sent no subject that can be used.' },
}

/** Those that sign-ins with this credential have. */
export function stepsOf({ provider, scopes }: Pick<Credential, 'provider' | 'scopes'>): SignInStep[] {
  const { overridable, idToken, profileRequests = [] } = connectors[provider]
  const has: Partial<Record<SignInStep, boolean>> = {
    discovery: overridable.includes('issuer'),
    id_token: idToken !== undefined && scopes.includes('openid'),
    userinfo: profileRequests.includes('profile'),
    emails: profileRequests.includes('emails'),
  }
  return signInSteps.filter((step) => has[step] ?? true)
}

/** `override`: what the operator sets for this provider. */
export function diagnose(failure: ProviderFailure, credential: Credential, override: ProviderOverride): Diagnosis {
  const step = stepOf(failure)
  const known = mends[step] ?? {}
  const general = failure.code === 'provider_unreachable' ? unreachable : others[step]
  const { cause, message } = Object.hasOwn(known, failure.reason) ? (known[failure.reason] as Mend) : general
  const field = cause && fieldOf(cause, failure, credential, override)
  return { step, ...(field && { field }), message }
}

function stepOf({ step, code }: ProviderFailure): SignInStep {
  if (step === 'callback') return code === 'oidc_state_mismatch' ? 'state' : 'authorization'
  if (step === 'ID token' || step === 'keys') return 'id_token'
  return step === 'profile' ? 'userinfo' : step
}

function fieldOf(cause: Cause, failure: ProviderFailure, { provider }: Credential, override: ProviderOverride) {
  if (cause === 'scopes') return `options.${provider}.authorize_scopes`
  return cause === 'server' ? serverFieldOf(failure, provider, override) : cause
}

/** A server that was reached may not know the tenant; one that was not is another's: the operator's, or the provider's own. */
function serverFieldOf({ code }: ProviderFailure, provider: Credential['provider'], override: ProviderOverride) {
  const { serverOption } = connectors[provider]
  const { trust_email, ...addresses } = override
  const isReached = code !== 'provider_unreachable'
  const isOperators = Object.keys(addresses).length > 0
  const namesTenant = serverOption === 'tenant' && isReached && (addresses.issuer ?? '{tenant}').includes('{tenant}')
  if (namesTenant) return `options.${provider}.tenant`
  if (isOperators) return 'SIGNET_PROVIDERS'
  return serverOption && serverOption !== 'tenant' ? `options.${provider}.${serverOption}` : undefined
}
