import { Type } from 'typebox'
import { conflict, notFound } from '../../ground/errors.ts'
import { closed, named, rule } from '../../ground/http/chain/schemas.ts'
import { credentialFields } from './credential-fields.ts'
import type { NewCredential } from './credential-store.ts'
import { Options, shownOptions } from './provider-options.ts'

/** The record of 2.1, with the callback. The client secret is never shown. */
export const CredentialRecord = named(
  'Credential',
  Type.Object(
    {
      ...credentialFields,
      options: Options,
      callback_url: Type.String({
        description: 'The redirect URI to register at the provider.',
        examples: ['https://id.example.com/sso/callback/0199a3f2-5c00-7000-8000-0242ac120002'],
      }),
    },
    { description: 'An OAuth client at an identity provider.' },
  ),
)

/** Each credential has its own callback. */
export const callbackUrlOf = (baseUrl: string, credentialId: string): string =>
  `${baseUrl}/sso/callback/${credentialId}`

export const toRecord = (credential: NewCredential, baseUrl: string) => ({
  client_id: credential.client_id,
  provider: credential.provider,
  label: credential.label,
  external_cred_id: credential.external_cred_id,
  options: shownOptions(credential.provider, credential.options),
  active: credential.active,
  trust_email_domains: credential.trust_email_domains,
  callback_url: callbackUrlOf(baseUrl, credential.id),
})

/** Any text: an invalid client id is a 404. */
export const CredentialPath = Type.Object({
  oauth_client_id: Type.String({
    description: 'The OAuth client ID of the credential, percent-encoded.',
    examples: ['8c1f2a7e.apps.example.com'],
  }),
})

/** Of what takes a credential away. */
export const KeepSessions = closed({
  keep_sessions: Type.Optional(
    Type.Enum(['true', 'false'], {
      ...rule('must be true or false'),
      description:
        'Whether sessions, refresh tokens and codes that came of it go on. Default: false. A key that is no admin key ends none.',
    }),
  ),
})

export const noSuchCredential = () => notFound('credential')
export const clientIdTaken = () => conflict('already_exists', 'client_id: has a credential already')
