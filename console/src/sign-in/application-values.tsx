import type { Application } from '@signet/management'
import { Copyable } from '../design/copy.tsx'
import { Properties } from '../design/properties.tsx'
import { Soft } from '../design/text.tsx'
import { Time } from '../design/time.tsx'

type ApplicationValuesProps = { application: Application; issuer: string }

/** What one enters in an OpenID Connect library. */
export function ApplicationValues({ application, issuer }: ApplicationValuesProps) {
  const { client_id, confidential, require_pkce, created_at } = application
  return (
    <Properties
      items={[
        ['Issuer', <Copyable key="issuer" text={issuer} of="issuer" />],
        [
          'Discovery URL',
          <Copyable key="discovery" text={`${issuer}/.well-known/openid-configuration`} of="discovery URL" />,
        ],
        ['Client ID', <Copyable key="client" text={client_id} of="client ID" />],
        [
          'Client secret',
          <Soft key="secret">{confidential ? 'Shown once, when it was made' : 'None: it is public'}</Soft>,
        ],
        ['Authentication', confidential ? 'client_secret_basic or client_secret_post' : 'none'],
        [
          'Flow',
          `Authorization code${require_pkce ? ' with PKCE (S256)' : ' with a nonce; PKCE (S256) if the library has it'}`,
        ],
        ['Scopes', 'openid; offline_access for a refresh token; email, phone, profile for what is known of the person'],
        ['Created', <Time key="created" at={created_at} />],
      ]}
    />
  )
}
