import type { Application, ApplicationWithSecret } from '@signet/management'
import { useCallback, useMemo, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { changedMembers, isEmpty } from '../design/differences.ts'
import { Notice } from '../design/state.tsx'
import { notify } from '../design/toasts.tsx'
import type { Call } from '../service/signet.ts'
import { ApplicationFields, type ApplicationSettings, fieldNames, toBody } from './application-fields.tsx'
import { SecretDialog } from './secret-dialog.tsx'

export function ApplicationForm({ application }: { application: Application }) {
  const [secret, setSecret] = useState<string>()
  const saved = ({ client_secret, ...application }: ApplicationWithSecret) => {
    notify('The application is saved.')
    setSecret(client_secret)
    return application
  }
  return (
    <>
      <OpenedRecord record={application}>
        {(opened, onSaved) => <EditForm application={opened} onSaved={({ result }) => onSaved(saved(result))} />}
      </OpenedRecord>
      {secret && <SecretDialog clientId={application.client_id} secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

type EditFormProps = {
  application: Application
  onSaved: (reply: { result: ApplicationWithSecret }) => unknown
}

function EditForm({ application, onSaved }: EditFormProps) {
  const [settings, setSettings] = useState<ApplicationSettings>(() => settingsOf(application))
  const path = useMemo(() => ({ client_id: application.client_id }), [application])
  const changes = useMemo(() => changedMembers(settingsOf(application), toBody(settings)), [application, settings])
  const call: Call<{ result: ApplicationWithSecret }> = useCallback(
    (signet) => signet.changeApplication({ path, body: changes }),
    [path, changes],
  )
  const read: Call<object> = async (signet) => (await signet.getApplication({ path })).result
  return (
    <Form
      fields={fieldNames}
      call={call}
      submit="Save"
      onSaved={onSaved}
      opened={{ record: application, read }}
      scope="applications:write"
      disabled={isEmpty(changes)}
    >
      <ApplicationFields
        settings={settings}
        onChange={(changed) => setSettings((before) => ({ ...before, ...changed }))}
      />
      <KindNotice was={application.confidential} is={settings.confidential} />
    </Form>
  )
}

/** What follows from another kind. */
function KindNotice({ was, is }: { was: boolean; is: boolean }) {
  if (was === is) return null
  return is ? (
    <Notice tone="warn" title="It gets a client secret, which is shown once.">
      From then on it must authenticate at the token endpoint: until it has the secret, sign-ins and refreshes fail.
    </Notice>
  ) : (
    <Notice tone="warn" title="It loses its client secret.">
      From then on anybody who knows the client ID can use it with PKCE, as is right for an application that cannot keep
      a secret.
    </Notice>
  )
}

const settingsOf = ({ client_id, created_at, ...settings }: Application): ApplicationSettings => ({
  ...settings,
  home_url: settings.home_url ?? null,
  backchannel_logout_uri: settings.backchannel_logout_uri ?? null,
})
