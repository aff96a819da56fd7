import type { CreatedCredentialLink } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { TextField } from '../design/field.tsx'
import { Notice } from '../design/state.tsx'
import { notify } from '../design/toasts.tsx'
import { ClientFields } from '../providers/client-fields.tsx'
import { OptionFields } from '../providers/option-fields.tsx'
import { type Options, optionFields, readOptions, toOptions } from '../providers/options.ts'
import type { Provider } from '../providers/providers.ts'
import { sendThroughLink } from '../providers/send-through-link.ts'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'
import { credentialPath } from './paths.ts'

type Fields = { clientId: string; clientSecret: string; label: string; externalId: string; options: Options }

type NewCredentialFormProps = { provider: Provider; link: CreatedCredentialLink | undefined }

export function NewCredentialForm({ provider, link }: NewCredentialFormProps) {
  const [fields, setFields] = useState<Fields>({
    clientId: '',
    clientSecret: '',
    label: '',
    externalId: '',
    options: readOptions(provider),
  })
  const change = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }))
  const isAdmin = useIsAdmin()
  return (
    <Form
      fields={['client_id', 'client_secret', 'label', 'external_cred_id', ...optionFields(provider)]}
      call={useCreation(provider, fields, link)}
      submit="Create credential"
      secrets={['client_secret', 'token']}
      onSaved={useCreated(fields.clientId.trim())}
      scope="credentials:write"
    >
      <ClientFields
        provider={provider}
        clientId={fields.clientId}
        clientSecret={fields.clientSecret}
        onClientId={(clientId) => change({ clientId })}
        onClientSecret={(clientSecret) => change({ clientSecret })}
      />
      <OptionFields provider={provider} options={fields.options} onChange={(options) => change({ options })} />
      {!link && <NamingFields fields={fields} onChange={change} />}
      {!isAdmin && <Notice tone="info">Nobody signs in with the credential until an admin key activates it.</Notice>}
    </Form>
  )
}

/** How people and other systems call it. */
export function NamingFields({
  fields: { label, externalId },
  onChange,
}: {
  fields: Pick<Fields, 'label' | 'externalId'>
  onChange: (changed: Partial<Pick<Fields, 'label' | 'externalId'>>) => void
}) {
  return (
    <>
      <TextField
        name="label"
        label="Label"
        value={label}
        maxLength={200}
        onChange={(label) => onChange({ label })}
        hint="Shown to persons who choose between several credentials, such as “Staff”. May be empty."
      />
      <TextField
        name="external_cred_id"
        label="External ID"
        value={externalId}
        maxLength={200}
        mono
        onChange={(externalId) => onChange({ externalId })}
        hint="What another system calls this credential. May be empty."
      />
    </>
  )
}

/** Where the callback was got before, the credential is made through its link; else at once. */
function useCreation(provider: Provider, fields: Fields, link: CreatedCredentialLink | undefined): Call {
  return useCallback(
    (signet) => {
      const body = {
        client_id: fields.clientId.trim(),
        client_secret: fields.clientSecret.trim(),
        options: toOptions(provider, fields.options),
      }
      const naming = { label: fields.label.trim(), external_cred_id: fields.externalId.trim() }
      return link
        ? sendThroughLink({ token: new URL(link.url).hash.slice(1), ...body })(signet)
        : signet.createOidcCredential({ body: { provider, ...body, ...naming } })
    },
    [provider, fields, link],
  )
}

function useCreated(clientId: string) {
  const navigate = useNavigate()
  return () => {
    notify('The credential is created.')
    return navigate(credentialPath(clientId))
  }
}
