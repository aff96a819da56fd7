import type { Resource } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { TextField } from '../design/field.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { resourcePath } from './paths.ts'
import { fieldNames, newSettings, ResourceFields, toBody } from './resource-fields.tsx'

export function Component() {
  const [identifier, setIdentifier] = useState('')
  const [settings, setSettings] = useState(newSettings)
  const navigate = useNavigate()
  const call: Call<{ result: Resource }> = useCallback(
    (signet) => signet.createResource({ body: { identifier: identifier.trim(), ...toBody(settings) } }),
    [identifier, settings],
  )
  return (
    <Page
      title="Register resource"
      lead="An API of yours. An application that names it as “resource” gets an access token for it."
      parent={{ to: '/sign-in/resources', name: 'Resources' }}
    >
      <Panel>
        <Form
          fields={['identifier', ...fieldNames]}
          call={call}
          submit="Register resource"
          scope="resources:write"
          saved="The resource is registered."
          onSaved={({ result }) => navigate(resourcePath(result.id))}
        >
          <TextField
            name="identifier"
            label="Identifier"
            required
            mono
            value={identifier}
            onChange={setIdentifier}
            placeholder="https://api.example.com"
            hint="An absolute URI without a fragment, such as the address of the API. Applications send exactly this. It cannot be changed."
          />
          <ResourceFields
            settings={settings}
            onChange={(changed) => setSettings((before) => ({ ...before, ...changed }))}
          />
        </Form>
      </Panel>
    </Page>
  )
}
