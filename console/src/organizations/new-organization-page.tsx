import type { CreatedOrganization } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { TextField } from '../design/field.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { NewKey } from './new-key.tsx'

export function Component() {
  const [created, setCreated] = useState<CreatedOrganization>()
  return (
    <Page title="Create organization" parent={{ to: '/organizations', name: 'Organizations' }}>
      <Panel>
        {created ? (
          <NewKey organizationId={created.id} apiKey={created.api_key} />
        ) : (
          <NewOrganizationForm onCreated={setCreated} />
        )}
      </Panel>
    </Page>
  )
}

function NewOrganizationForm({ onCreated }: { onCreated: (organization: CreatedOrganization) => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [tier, setTier] = useState('')
  const call = useCallback<Call<{ result: CreatedOrganization }>>(
    (client) => client.createOrganization({ body: { name, ...(tier && { pricing_tier: tier }) } }),
    [name, tier],
  )
  return (
    <Form
      fields={['name', 'pricing_tier']}
      call={call}
      submit="Create organization"
      onSaved={({ result }) => onCreated(result)}
      onCancel={() => navigate('/organizations')}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} maxLength={200} autoFocus />
      <TextField
        name="pricing_tier"
        label="Pricing tier"
        value={tier}
        onChange={setTier}
        placeholder="unlimited"
        hint="A name from the settings of the installation; unlimited and free are built in."
      />
    </Form>
  )
}
