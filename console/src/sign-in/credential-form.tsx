import type { Credential } from '@signet/management'
import { useCallback, useMemo, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { changedMembers, isEmpty } from '../design/differences.ts'
import { filledLines, LinesField, TextField } from '../design/field.tsx'
import { Notice } from '../design/state.tsx'
import { OptionFields } from '../providers/option-fields.tsx'
import { type Options, optionFields, readOptions, toOptions } from '../providers/options.ts'
import { providers } from '../providers/providers.ts'
import type { Call } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'
import { NamingFields } from './new-credential-form.tsx'

type Fields = { clientSecret: string; label: string; externalId: string; options: Options; trustedDomains: string[] }

const readFields = ({ provider, label, external_cred_id, options, trust_email_domains }: Credential): Fields => ({
  clientSecret: '',
  label,
  externalId: external_cred_id,
  options: readOptions(provider, options),
  trustedDomains: trust_email_domains,
})

/** Everything of a credential but its client ID, which does not change. */
export const CredentialForm = ({ credential }: { credential: Credential }) => (
  <OpenedRecord record={credential}>
    {(opened, onSaved) => <EditForm credential={opened} onSaved={onSaved} />}
  </OpenedRecord>
)

type EditFormProps = { credential: Credential; onSaved: (credential: Credential) => void }

function EditForm({ credential, onSaved }: EditFormProps) {
  const { client_id, provider } = credential
  const [fields, setFields] = useState(() => readFields(credential))
  const change = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }))
  const path = useMemo(() => ({ oauth_client_id: client_id }), [client_id])
  const changes = useMemo(() => changesOf(credential, fields), [credential, fields])
  const call: Call<{ result: Credential }> = useCallback(
    (signet) => signet.modifyOidcCredential({ path, body: changes }),
    [path, changes],
  )
  const read: Call<object> = async (signet) => settingsOf((await signet.getOidcCredential({ path })).result)
  return (
    <Form
      fields={['client_secret', 'label', 'external_cred_id', ...optionFields(provider), 'trust_email_domains']}
      call={call}
      submit="Save"
      secrets={['client_secret']}
      opened={{ record: settingsOf(credential), read }}
      scope="credentials:write"
      saved="The credential is saved."
      onSaved={({ result }) => onSaved(result)}
      disabled={isEmpty(changes)}
    >
      <NamingFields fields={fields} onChange={change} />
      <SecretField
        credential={credential}
        secret={fields.clientSecret}
        onChange={(clientSecret) => change({ clientSecret })}
      />
      <OptionFields provider={provider} options={fields.options} onChange={(options) => change({ options })} />
      <TrustField domains={fields.trustedDomains} onChange={(trustedDomains) => change({ trustedDomains })} />
      <PointingElsewhere credential={credential} />
    </Form>
  )
}

/** What becomes of a credential that signs persons in somewhere else than an admin key has confirmed. */
function PointingElsewhere({ credential: { provider } }: { credential: Credential }) {
  const isAdmin = useIsAdmin()
  if (isAdmin || !providers[provider].serverOption) return null
  return (
    <Notice tone="info">
      With another tenant, organization URL or issuer nobody signs in with the credential until an admin key activates
      it.
    </Notice>
  )
}

type TrustFieldProps = { domains: string[]; onChange: (domains: string[]) => void }

function TrustField({ domains, onChange }: TrustFieldProps) {
  const isAdmin = useIsAdmin()
  return (
    <LinesField
      name="trust_email_domains"
      label="Trusted e-mail domains"
      mono
      rows={2}
      lines={domains}
      onChange={onChange}
      disabled={!isAdmin}
      hint="One a line. Addresses in these very domains count as confirmed, because this provider is the customer's own: whoever administers it may sign in as anybody with such an address. Another tenant, organization URL or issuer empties the list. Only admin keys and owners set it."
    />
  )
}

/** Whether it is active is no matter of the form. */
const settingsOf = ({ active, ...settings }: Credential) => settings

type SecretFieldProps = { credential: Credential; secret: string; onChange: (secret: string) => void }

function SecretField({ credential: { provider }, secret, onChange }: SecretFieldProps) {
  const isAdmin = useIsAdmin()
  const { serverOption } = providers[provider]
  const needsSecret = !isAdmin && (serverOption === 'organization_url' || serverOption === 'issuer')
  return (
    <TextField
      name="client_secret"
      label="New client secret"
      mono
      maxLength={1_000}
      value={secret}
      onChange={onChange}
      type="password"
      autoComplete="new-password"
      hint={
        <>
          Empty: the present one stays. It cannot be shown.
          {needsSecret &&
            ' A key that is no admin key changes the organization URL or issuer only together with the secret, which is sent there.'}
        </>
      }
    />
  )
}

const changesOf = (credential: Credential, fields: Fields) =>
  changedMembers(toBody(credential.provider, readFields(credential)), toBody(credential.provider, fields))

const toBody = (
  provider: Credential['provider'],
  { clientSecret, label, externalId, options, trustedDomains }: Fields,
) => ({
  client_secret: clientSecret.trim(),
  label: label.trim(),
  external_cred_id: externalId.trim(),
  options: toOptions(provider, options),
  trust_email_domains: filledLines(trustedDomains),
})
