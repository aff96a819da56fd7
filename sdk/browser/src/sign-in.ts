import { answerIn, withoutAnswer } from './answer-in.ts'
import { type Claims, checkIdToken } from './id-token.ts'
import type { SessionStore } from './session-store.ts'
import { SignInError } from './sign-in-error.ts'
import { toParams } from './to-params.ts'

/** Options of a sign-in, all optional. */
export type SignInOptions = {
  /** The client id of the provider's credential, so that the person need not choose one. */
  idp?: string
  /** As in OpenID Connect: `none` shows no page and fails with `login_required` when one would be needed. */
  prompt?: 'none' | 'login' | 'select_account'
  /** Returned by `finishSignIn`: where your application continues. Default: the address of the current page. */
  returnTo?: string
}

/** The result of a finished sign-in. */
export type SignedIn = {
  claims: Claims
  /** For the issuer's userinfo endpoint. The library does not store it. */
  accessToken: string
  /** The `returnTo` of `signIn`. */
  returnTo: string
}

type Application = { issuer: string; clientId: string; redirectUri: string; store: SessionStore }
type Begun = { state: string; nonce: string; verifier: string; redirectUri: string; returnTo: string }

const begunName = 'sign_in'
const randomBytes = 32

/** Leaves the page. The promise never resolves, because nothing can follow. */
export async function beginSignIn(
  { issuer, clientId, redirectUri, store }: Application,
  correlationId: string,
  { returnTo = location.href, ...choices }: SignInOptions,
): Promise<never> {
  const begun: Begun = { state: random(), nonce: random(), verifier: random(), redirectUri, returnTo }
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(begun.verifier))
  const params = toParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: toBase64Url(new Uint8Array(challenge)),
    code_challenge_method: 'S256',
    correlation_id: correlationId,
    ...choices,
  })
  store.set(begunName, JSON.stringify(begun))
  location.assign(`${issuer}/authorize?${params}`)
  return new Promise(() => {})
}

/** Also returns the ID token. Undefined when there is no sign-in to finish. Throws a `SignInError`. */
export async function endSignIn(application: Application): Promise<(SignedIn & { idToken: string }) | undefined> {
  const answer = answerIn(location.href)
  if (!answer) return undefined
  history.replaceState(history.state, '', withoutAnswer(location.href))
  const begun = takeBegun(application.store, answer.get('state'))
  // RFC 9207: the callback names its issuer, also when it is an error.
  if (answer.get('iss') !== application.issuer) throw new SignInError('issuer_mismatch')
  const error = answer.get('error')
  if (error) throw new SignInError(error, answer.get('error_description'))
  const { id_token: idToken, access_token: accessToken } = await redeem(application, begun, answer.get('code') ?? '')
  const claims = checkIdToken(idToken, { ...application, nonce: begun.nonce })
  return { claims, accessToken, returnTo: begun.returnTo, idToken }
}

/** Removed before it is used, so that it is used once at most. */
function takeBegun(store: SessionStore, state: string | null): Begun {
  const begun: Partial<Begun> = JSON.parse(store.get(begunName) ?? '{}')
  if (!begun.state || begun.state !== state) throw new SignInError('state_mismatch')
  store.remove(begunName)
  return begun as Begun
}

async function redeem(
  { issuer, clientId }: Application,
  { redirectUri, verifier }: Begun,
  code: string,
): Promise<{ id_token: string; access_token: string }> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code,
  })
  const response = await fetch(`${issuer}/token`, { method: 'POST', body, credentials: 'omit' })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new SignInError(answer.error ?? 'server_error', answer.error_description)
  return answer
}

const random = () => toBase64Url(crypto.getRandomValues(new Uint8Array(randomBytes)))

const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
