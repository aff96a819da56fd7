import { analyticsOf, type NewEvent, type SignInHandle } from '../../delivery/events/index.ts'
import type { Provider } from '../credentials/index.ts'
import type { Browser } from '../issuer/index.ts'
import { providerFailureCodes } from '../providers/index.ts'

/** The only method: a person authenticates at an identity provider. */
export const method = 'oidc'

/** The outcome of a sign-in that did not fail. */
export const succeeded = 'succeeded'

/** The browser of a sign-in, as its events describe it. */
export type ClientContext = Browser & { correlationId: string }

/** `failure_reason` of AuthenticationFailed_v1. */
export const failureCodes = [
  ...providerFailureCodes,
  /** The sign-in began, and was not finished in time. */
  'flow_expired',
  /** By the person. */
  'flow_cancelled',
  'person_not_active',
  /** The application's `id_token_hint` is of another person. */
  'person_mismatch',
  /** The pricing tier allows no more persons. */
  'person_limit_reached',
  /** The organization's settings allow no new persons, or none with this address. */
  'registration_not_allowed',
  /** The invitation to the console was used or deleted, or has expired, since it was opened. */
  'invitation_not_open',
  'sync_hook_failed',
  /** A hook refused the person. */
  'sync_hook_denied',
  /** The application has not got the redirect URI of its request any more. */
  'redirect_uri_removed',
  /** A fault of the service. */
  'unspecified',
] as const
export type FailureCode = (typeof failureCodes)[number]

export type RecognisedPerson = { personId: string; region: string }

/** What a sign-in is listed with, beside what its event says. `clientId` null: not known. `handle`: once the provider has told one. */
export type Listed = {
  clientId: string | null
  credentialId: string | null | undefined
  provider: Provider | undefined
  handle?: SignInHandle | undefined
}

const signInOf = (outcome: string, { clientId, credentialId, provider, handle }: Listed) => ({
  outcome,
  provider,
  credentialId: credentialId ?? undefined,
  clientId: clientId ?? undefined,
  handle,
})

export const authenticationSucceeded = (
  client: ClientContext,
  { personId, region }: RecognisedPerson,
  listed: Listed,
): NewEvent => ({
  name: 'AuthenticationSucceeded_v1',
  signIn: signInOf(succeeded, listed),
  content: {
    ...metadataOf(client),
    person_id: personId,
    region,
    success_authn_method: method,
    authenticated_methods: [method],
  },
})

/** What is known of a sign-in that failed. `person`: who was recognised. */
export type Failure = Listed & { code: FailureCode; person?: RecognisedPerson | undefined }

/** The source is the person's browser, unless the service ended the sign-in by itself (6.1: SDK or Cloud). */
export const authenticationFailed = (client: ClientContext, { code, person, ...listed }: Failure): NewEvent => ({
  name: 'AuthenticationFailed_v1',
  signIn: signInOf(code, listed),
  source: code === 'flow_expired' ? 'Cloud' : 'SDK',
  content: {
    ...metadataOf(client),
    ...(person && { person_id: person.personId, region: person.region, authenticated_methods: [method] }),
    failed_authn_method: method,
    failure_reason: code,
  },
})

export const personCreated = (client: ClientContext, { personId, region }: RecognisedPerson): NewEvent => ({
  name: 'PersonCreated_v1',
  content: { analytics_metadata: analyticsOf(client), person_id: personId, region },
})

const metadataOf = (client: ClientContext) => ({
  analytics_metadata: analyticsOf(client),
  browser_metadata: { user_agent: client.userAgent, window_location: client.windowLocation },
})
