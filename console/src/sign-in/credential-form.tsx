import type { Credential, CredentialChanges } from '@signet/management'
import { useCallback, useState } from 'react'
import { TextField } from '../design/field.tsx'
import { Form } from '../design/form.tsx'
import { Soft } from '../design/text.tsx'
import { notify } from '../design/toasts.tsx'
import { OptionFields } from '../providers/option-fields.tsx'
import { type Options, optionFields, readOptions, toOptions } from '../providers/options.ts'
import type { Call } from '../service/signet.ts'
import { useMay, useSession } from '../session/session.ts'
import { NamingFields } from './new-credential-form.tsx'
import { useCredentialChanged } from './use-credential-changed.ts'

type Fields = { clientSecret: string; label: string; externalId: string; options: Options }

const readFields = ({ provider, label, external_cred_id, options }: Credential): Fields => ({
  ...{ clientSecret: '', label, externalId: external_cred_id },
  options: readOptions(provider, options),
})

/** Everything of a credential but its client ID, which does not change. It begins anew where the record was saved. */
export function CredentialForm({ credential }: { credential: Credential }) {
  const [saved, setSaved] = useState(credential)
  return <EditForm key={JSON.stringify(saved)} credential={saved} onSaved={setSaved} />
}

type EditFormProps = { credential: Credential; onSaved: (credential: Credential) => void }

function EditForm({ credential, onSaved }: EditFormProps) {
  const { client_id, provider } = credential
  const [fields, setFields] = useState(() => readFields(credential))
  const change = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }))
  const isAllowed = useMay('credentials:write')
  const changed = useCredentialChanged()
  const read: Call<object> = async (signet) =>
    settingsOf((await signet.getOidcCredential({ path: { oauth_client_id: client_id } })).result)
  const save = async ({ result }: { result: Credential }) => {
    notify('The credential is saved.')
    await changed()
    change({ clientSecret: '' })
    onSaved(result)
  }
  return (
    <Form
      fields={['client_secret', 'label', 'external_cred_id', ...optionFields(provider)]}
      call={useModification(credential, fields)}
      submit="Save changes"
      secrets={['client_secret']}
      opened={{ record: settingsOf(credential), read }}
      onSaved={save}
      disabled={!isAllowed}
    >
      <NamingFields fields={fields} onChange={change} />
      <SecretField
        {...{ credential, secret: fields.clientSecret }}
        onChange={(clientSecret) => change({ clientSecret })}
      />
      <OptionFields {...{ provider, options: fields.options }} onChange={(options) => change({ options })} />
      {!isAllowed && (
        <Soft>This key does not have the scope credentials:write: it sees the settings and changes none.</Soft>
      )}
    </Form>
  )
}

/** Whether it is active is no matter of the form. */
const settingsOf = ({ active, ...settings }: Credential) => settings

type SecretFieldProps = { credential: Credential; secret: string; onChange: (secret: string) => void }

function SecretField({ credential: { provider }, secret, onChange }: SecretFieldProps) {
  const { is_admin } = useSession()
  const needsSecret = provider === 'provider_h' && !is_admin
  return (
    <TextField
      {...{ name: 'client_secret', label: 'New client secret', mono: true, maxLength: 1_000, value: secret, onChange }}
      {...{ type: 'password', autoComplete: 'new-password' }}
      hint={
        <>
          Empty: the present one stays. It cannot be shown.
          {needsSecret &&
            ' A key that is no admin key changes the organization URL only together with the secret, which is sent there.'}
        </>
      }
    />
  )
}

/** What is as it was is not sent, so that two administrators do not undo each other's changes. */
function useModification(credential: Credential, fields: Fields): Call<{ result: Credential }> {
  return useCallback(
    (signet) =>
      signet.modifyOidcCredential({
        path: { oauth_client_id: credential.client_id },
        body: changesOf(credential, fields),
      }),
    [credential, fields],
  )
}

function changesOf(credential: Credential, fields: Fields): CredentialChanges {
  const { provider, label, external_cred_id } = credential
  const before = toOptions(provider, readOptions(provider, credential.options))
  const options = toOptions(provider, fields.options)
  return {
    ...(fields.label.trim() !== label && { label: fields.label.trim() }),
    ...(fields.externalId.trim() !== external_cred_id && { external_cred_id: fields.externalId.trim() }),
    ...(fields.clientSecret && { client_secret: fields.clientSecret.trim() }),
    ...(JSON.stringify(options) !== JSON.stringify(before) && { options }),
  }
}
