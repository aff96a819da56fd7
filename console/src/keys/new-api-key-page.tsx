import type { CreatedApiKey, NewApiKey } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { ButtonLink } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { fromLocal } from '../design/local-time.ts'
import { Page, Panel, Stack } from '../design/page.tsx'
import { Notice } from '../design/state.tsx'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import type { KeyScope } from '../session/scopes.ts'
import { ScopeChoice } from './scope-choice.tsx'

const parent = { to: '/keys', name: 'Keys' }

export function Component() {
  const [created, setCreated] = useState<CreatedApiKey>()
  return (
    <Page title="Create API key" parent={parent}>
      <Panel>{created ? <Created apiKey={created} /> : <NewKeyForm onCreated={setCreated} />}</Panel>
    </Page>
  )
}

/** Of programs that most organizations have. */
const suggestedNames = ['Backend', 'CI', 'Directory sync', 'Terraform']

const powers = [
  ['scopes', 'Some scopes'],
  ['read_only', 'Everything that reads, also of later releases'],
  ['all', 'Everything: an admin key'],
] as const

function NewKeyForm({ onCreated }: { onCreated: (key: CreatedApiKey) => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [expiresAt, setExpiresAt] = useState('')
  const [power, setPower] = useState<string>('scopes')
  const [scopes, setScopes] = useState<KeyScope[]>([])
  const body = toBody({ name, expiresAt, power, scopes })
  const text = JSON.stringify(body)
  const call = useCallback<Call<{ result: CreatedApiKey }>>(
    (client) => client.createApiKey({ body: JSON.parse(text) }),
    [text],
  )
  return (
    <Form
      fields={['name', 'expires_at', 'scopes', 'read_only']}
      call={call}
      submit="Create API key"
      scope="api-keys:write"
      onSaved={({ result }) => onCreated(result)}
      onCancel={() => navigate('/keys')}
    >
      <TextField
        name="name"
        label="Name"
        value={name}
        onChange={setName}
        maxLength={200}
        required
        autoFocus
        placeholder="Nightly export"
        suggestions={suggestedNames}
        hint="Of the program that will use it. The audit log shows it beside each change."
      />
      <TextField
        name="expires_at"
        label="Expires"
        type="datetime-local"
        value={expiresAt}
        onChange={setExpiresAt}
        hint="In your time zone. Empty: it does not expire."
      />
      <SelectField
        name="read_only"
        label="What it may do"
        value={power}
        onChange={setPower}
        options={powers}
        hint="A key cannot be changed later. A key makes only keys whose scopes and expiry lie within its own."
      />
      {power === 'scopes' && <ScopeChoice chosen={scopes} onChange={setScopes} />}
    </Form>
  )
}

type Draft = { name: string; expiresAt: string; power: string; scopes: KeyScope[] }

function toBody({ name, expiresAt, power, scopes }: Draft): NewApiKey {
  return {
    name: name.trim(),
    ...(expiresAt && { expires_at: fromLocal(expiresAt) }),
    ...(power === 'read_only' && { read_only: true }),
    ...(power === 'scopes' && { scopes }),
  }
}

function Created({ apiKey }: { apiKey: CreatedApiKey }) {
  return (
    <Stack>
      <Notice tone="good" title="The key is made.">
        It is shown this once; Signet keeps only a hash of it. Copy it now, to where the program reads its secrets.
      </Notice>
      <Code label="API key" text={apiKey.api_key} wrap />
      <div>
        <ButtonLink to="/keys" tone="primary">
          Done
        </ButtonLink>
      </div>
    </Stack>
  )
}
