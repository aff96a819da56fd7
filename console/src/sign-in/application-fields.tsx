import type { Application } from '@signet/management'
import { filledLines, LinesField, SelectField, SwitchField, TextField } from '../design/field.tsx'

/** The addresses that an application does not have are null. */
export type ApplicationSettings = Omit<Application, 'client_id' | 'created_at' | keyof Addresses> & Addresses
type Addresses = { home_url: string | null; backchannel_logout_uri: string | null }

export const fieldNames = [
  'name',
  'confidential',
  'redirect_uris',
  'post_logout_redirect_uris',
  'require_pkce',
  'require_nonce',
  'id_token_signed_response_alg',
  'groups_claim',
  'refresh_token_grace',
  'home_url',
  'introspects',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
]

export const newSettings: ApplicationSettings = {
  name: '',
  confidential: false,
  redirect_uris: [],
  post_logout_redirect_uris: [],
  require_pkce: true,
  require_nonce: true,
  id_token_signed_response_alg: 'RS256',
  groups_claim: true,
  refresh_token_grace: '10s',
  home_url: null,
  introspects: [],
  backchannel_logout_uri: null,
  backchannel_logout_session_required: true,
}

/** As the interface takes them. A public application always uses PKCE, and only one without PKCE may do without a nonce. */
export const toBody = (settings: ApplicationSettings): ApplicationSettings => ({
  ...settings,
  name: settings.name.trim(),
  redirect_uris: filledLines(settings.redirect_uris),
  post_logout_redirect_uris: filledLines(settings.post_logout_redirect_uris),
  require_pkce: settings.require_pkce || !settings.confidential,
  require_nonce: settings.require_nonce || !mayOmitNonce(settings),
  refresh_token_grace: settings.refresh_token_grace.trim(),
  home_url: settings.home_url?.trim() || null,
  introspects: filledLines(settings.introspects),
  backchannel_logout_uri: settings.backchannel_logout_uri?.trim() || null,
})

const mayOmitNonce = ({ confidential, require_pkce }: ApplicationSettings) => confidential && !require_pkce

type FieldsProps = { settings: ApplicationSettings; onChange: (changed: Partial<ApplicationSettings>) => void }

export function ApplicationFields(props: FieldsProps) {
  const { settings, onChange } = props
  return (
    <>
      <TextField
        name="name"
        label="Name"
        required
        maxLength={200}
        value={settings.name}
        onChange={(name) => onChange({ name })}
        hint="Shown to a person who signs out."
      />
      <SelectField
        name="confidential"
        label="Where it runs"
        value={String(settings.confidential)}
        onChange={(value) => onChange({ confidential: value === 'true' })}
        options={[
          ['false', 'In a browser or on a device: public'],
          ['true', 'On a server: confidential'],
        ]}
        hint="A confidential application keeps a client secret. One in a browser or on a device cannot, and has none."
      />
      <UriFields {...props} />
      <ProofFields {...props} />
      <TokenFields {...props} />
      <FurtherFields {...props} />
    </>
  )
}

function UriFields({ settings, onChange }: FieldsProps) {
  return (
    <>
      <LinesField
        name="redirect_uris"
        label="Redirect URIs"
        mono
        rows={3}
        lines={settings.redirect_uris}
        onChange={(redirect_uris) => onChange({ redirect_uris })}
        placeholder="https://app.example.com/callback"
        hint={uriRule(settings.confidential)}
      />
      <LinesField
        name="post_logout_redirect_uris"
        label="Redirect URIs after signing out"
        mono
        rows={2}
        lines={settings.post_logout_redirect_uris}
        onChange={(post_logout_redirect_uris) => onChange({ post_logout_redirect_uris })}
        placeholder="https://app.example.com/"
        hint="Where a sign-out may end, by the same rule. None: the person stays at Signet."
      />
    </>
  )
}

const uriRule = (isConfidential: boolean) =>
  'Where a sign-in may end, one a line: https, or http to localhost, 127.0.0.1 or [::1]' +
  (isConfidential ? '. ' : ', or a scheme of its own with a period in it, such as com.example.app:/callback. ') +
  'Without a fragment. Compared exactly, port and trailing slash included' +
  (isConfidential ? '.' : '; only http://127.0.0.1 and http://[::1] match every port.')

function ProofFields({ settings, onChange }: FieldsProps) {
  const { confidential, require_pkce, require_nonce } = settings
  return (
    <>
      <SwitchField
        name="require_pkce"
        label="Require PKCE"
        checked={require_pkce || !confidential}
        disabled={!confidential}
        onChange={(require_pkce) => onChange({ require_pkce })}
        hint={
          confidential
            ? 'Switch it off only for a library without PKCE (S256). It must then send a nonce.'
            : 'A public application always uses PKCE (S256).'
        }
      />
      <SwitchField
        name="require_nonce"
        label="Require a nonce without PKCE"
        checked={require_nonce || !mayOmitNonce(settings)}
        disabled={!mayOmitNonce(settings)}
        onChange={(require_nonce) => onChange({ require_nonce })}
        hint="Switch it off only for a library that supports neither PKCE nor a nonce."
      />
    </>
  )
}

function TokenFields({ settings, onChange }: FieldsProps) {
  const { groups_claim, id_token_signed_response_alg, refresh_token_grace } = settings
  return (
    <>
      <SwitchField
        name="groups_claim"
        label="Groups claim"
        checked={groups_claim}
        onChange={(groups_claim) => onChange({ groups_claim })}
        hint="Tokens and user info name the groups of the person. Switch it off if the library gives “groups” another meaning."
      />
      <SelectField
        name="id_token_signed_response_alg"
        label="ID tokens are signed by"
        value={id_token_signed_response_alg}
        onChange={(value) => onChange({ id_token_signed_response_alg: value === 'ES256' ? 'ES256' : 'RS256' })}
        options={[
          ['RS256', 'RS256'],
          ['ES256', 'ES256'],
        ]}
        hint="Every library supports RS256. ES256 makes shorter tokens."
      />
      <TextField
        name="refresh_token_grace"
        label="Refresh grace"
        required
        mono
        value={refresh_token_grace}
        onChange={(refresh_token_grace) => onChange({ refresh_token_grace })}
        hint="How long after its first use a refresh token may be used again, by two tabs at once or after a lost reply: 0s (never) to 60s. A later use ends all tokens of that sign-in."
      />
    </>
  )
}

function FurtherFields({ settings, onChange }: FieldsProps) {
  return (
    <>
      <TextField
        name="home_url"
        label="Home page"
        mono
        value={settings.home_url ?? ''}
        onChange={(home_url) => onChange({ home_url })}
        placeholder="https://app.example.com/"
        hint="Where a person returns who cannot go on with a sign-in."
      />
      <LinesField
        name="introspects"
        label="Resources whose tokens it introspects"
        mono
        rows={2}
        lines={settings.introspects}
        onChange={(introspects) => onChange({ introspects })}
        placeholder="https://api.example.com"
        hint="Identifiers, one a line. Only a confidential application can introspect."
      />
      <TextField
        name="backchannel_logout_uri"
        label="Back-channel logout URI"
        mono
        value={settings.backchannel_logout_uri ?? ''}
        onChange={(backchannel_logout_uri) => onChange({ backchannel_logout_uri })}
        placeholder="https://app.example.com/backchannel-logout"
        hint="Where the application learns by a logout token that a session has ended."
      />
      <SwitchField
        name="backchannel_logout_session_required"
        label="Logout tokens name the session"
        checked={settings.backchannel_logout_session_required}
        onChange={(backchannel_logout_session_required) => onChange({ backchannel_logout_session_required })}
        hint="They have “sid” where one session ends."
      />
    </>
  )
}
