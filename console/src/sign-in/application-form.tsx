import type { Application, ApplicationChanges, ApplicationWithSecret } from '@signet/management'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { Form } from '../design/form.tsx'
import { Notice } from '../design/state.tsx'
import { Soft } from '../design/text.tsx'
import { notify } from '../design/toasts.tsx'
import type { Call } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { ApplicationFields, type ApplicationSettings, fieldNames, toBody } from './application-fields.tsx'
import { SecretDialog } from './secret-dialog.tsx'

/** It begins anew where the record was saved. */
export function ApplicationForm({ application }: { application: Application }) {
  const [saved, setSaved] = useState(application)
  const [secret, setSecret] = useState<string>()
  const client = useQueryClient()
  const onSaved = async ({ result: { client_secret, ...result } }: { result: ApplicationWithSecret }) => {
    notify('The application is saved.')
    setSecret(client_secret)
    setSaved(result)
    await Promise.all(
      ['getApplication', 'listApplications'].map((name) => client.invalidateQueries({ queryKey: [name] })),
    )
  }
  return (
    <>
      <EditForm key={JSON.stringify(saved)} {...{ application: saved, onSaved }} />
      {secret && <SecretDialog clientId={application.client_id} {...{ secret, onClose: () => setSecret(undefined) }} />}
    </>
  )
}

type EditFormProps = {
  application: Application
  onSaved: (reply: { result: ApplicationWithSecret }) => unknown
}

function EditForm({ application, onSaved }: EditFormProps) {
  const [settings, setSettings] = useState<ApplicationSettings>(() => settingsOf(application))
  const isAllowed = useMay('applications:write')
  const path = { client_id: application.client_id }
  const read: Call<object> = async (signet) => (await signet.getApplication({ path })).result
  return (
    <Form
      {...{ fields: fieldNames, call: useChange(application, settings), submit: 'Save changes', onSaved }}
      opened={{ record: application, read }}
      disabled={!isAllowed}
    >
      <ApplicationFields
        settings={settings}
        onChange={(changed) => setSettings((before) => ({ ...before, ...changed }))}
      />
      <KindNotice was={application.confidential} is={settings.confidential} />
      {!isAllowed && (
        <Soft>This key does not have the scope applications:write: it sees the settings and changes none.</Soft>
      )}
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

const settingsOf = ({ client_id, created_at, ...settings }: Application): ApplicationSettings => settings

/** What is as it was is not sent, so that two administrators do not undo each other's changes. */
function useChange(application: Application, settings: ApplicationSettings): Call<{ result: ApplicationWithSecret }> {
  return useCallback(
    (signet) => {
      const changed = Object.entries(toBody(settings)).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(application[name as keyof ApplicationSettings]),
      )
      const body: ApplicationChanges = Object.fromEntries(changed)
      return signet.changeApplication({ path: { client_id: application.client_id }, body })
    },
    [application, settings],
  )
}
