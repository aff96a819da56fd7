import type { CreatedCredentialLink } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { Page, Panel } from '../design/page.tsx'
import { Soft } from '../design/text.tsx'
import { type Provider, providerNames, providers } from '../providers/providers.ts'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'
import { CreatedLinkDialog } from './created-link-dialog.tsx'

const lifetimes = [
  ['24h', 'One day'],
  ['72h', 'Three days'],
  ['168h', 'One week'],
] as const

type Fields = { provider: Provider; label: string; expiresIn: string }

export function Component() {
  const [link, setLink] = useState<CreatedCredentialLink>()
  const navigate = useNavigate()
  return (
    <Page
      title="Create link"
      lead="The customer’s administrator opens it without a key, sees what to register at the provider, and enters the client ID and the client secret. They see nothing else of your organization but its name."
      parent={{ to: '/sign-in/links', name: 'Links' }}
    >
      <Panel>
        <NewLinkForm onCreated={({ result }) => setLink(result)} />
      </Panel>
      {link && <CreatedLinkDialog link={link} onClose={() => navigate('/sign-in/links')} />}
    </Page>
  )
}

function NewLinkForm({ onCreated }: { onCreated: (reply: { result: CreatedCredentialLink }) => unknown }) {
  const [fields, setFields] = useState<Fields>({ provider: 'provider_h', label: '', expiresIn: '72h' })
  const change = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }))
  const isAdmin = useIsAdmin()
  const call: Call<{ result: CreatedCredentialLink }> = useCallback(
    (signet) => {
      const { provider, label, expiresIn } = fields
      return signet.createCredentialLink({ body: { provider, label: label.trim(), expires_in: expiresIn } })
    },
    [fields],
  )
  return (
    <Form
      fields={['provider', 'label', 'expires_in']}
      call={call}
      submit="Create link"
      onSaved={onCreated}
      disabled={!isAdmin}
    >
      <SelectField
        name="provider"
        label="Provider"
        value={fields.provider}
        onChange={(provider) => change({ provider: provider as Provider })}
        options={providerNames.map((name) => [name, providers[name].name])}
        hint="The only provider of which the link creates a credential."
      />
      <TextField
        name="label"
        label="Label"
        value={fields.label}
        maxLength={200}
        onChange={(label) => change({ label })}
        hint="The label of the credential, such as the customer’s name. Persons who choose between several credentials see it, and so does whoever opens the link."
      />
      <SelectField
        name="expires_in"
        label="Can be used for"
        value={fields.expiresIn}
        options={lifetimes}
        onChange={(expiresIn) => change({ expiresIn })}
        hint="Opening the link does not use it up; sending a valid credential does."
      />
      {!isAdmin && <Soft>Only admin keys and owners create links.</Soft>}
    </Form>
  )
}
