import type { ApplicationWithSecret } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { ApplicationFields, fieldNames, newSettings, toBody } from './application-fields.tsx'
import { applicationPath } from './paths.ts'
import { SecretDialog } from './secret-dialog.tsx'

export function Component() {
  const [created, setCreated] = useState<ApplicationWithSecret>()
  const navigate = useNavigate()
  const goTo = ({ client_id }: ApplicationWithSecret) => navigate(applicationPath(client_id))
  const onSaved = ({ result }: { result: ApplicationWithSecret }) => {
    return result.client_secret ? setCreated(result) : goTo(result)
  }
  return (
    <Page
      title="Register application"
      lead="An application to which persons sign in by OpenID Connect. You get its client ID, and ready code for its library."
      parent={{ to: '/sign-in/applications', name: 'Applications' }}
    >
      <Panel>
        <NewApplicationForm onSaved={onSaved} />
      </Panel>
      {created?.client_secret && (
        <SecretDialog clientId={created.client_id} secret={created.client_secret} onClose={() => goTo(created)} />
      )}
    </Page>
  )
}

function NewApplicationForm({ onSaved }: { onSaved: (reply: { result: ApplicationWithSecret }) => unknown }) {
  const [settings, setSettings] = useState(newSettings)
  const call: Call<{ result: ApplicationWithSecret }> = useCallback(
    (signet) => signet.createApplication({ body: toBody(settings) }),
    [settings],
  )
  return (
    <Form
      fields={fieldNames}
      call={call}
      submit="Register application"
      scope="applications:write"
      saved="The application is registered."
      onSaved={onSaved}
    >
      <ApplicationFields
        settings={settings}
        onChange={(changed) => setSettings((before) => ({ ...before, ...changed }))}
      />
    </Form>
  )
}
