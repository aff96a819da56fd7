import type { Settings } from '@signet/management'
import { useCallback, useMemo, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { changedMembers, isEmpty } from '../design/differences.ts'
import { filledLines, LinesField, SwitchField } from '../design/field.tsx'
import type { Call } from '../service/signet.ts'
import { useMay } from '../session/session.ts'

type Registration = Pick<Settings, 'self_registration' | 'allowed_email_domains' | 'link_by_verified_email'>

const registrationOf = (settings: Settings): Registration => ({
  self_registration: settings.self_registration,
  allowed_email_domains: settings.allowed_email_domains,
  link_by_verified_email: settings.link_by_verified_email,
})

const toBody = (draft: Registration) => ({ ...draft, allowed_email_domains: filledLines(draft.allowed_email_domains) })

const read: Call<Registration> = async (client) => registrationOf((await client.getSettings()).result)

export const SettingsForm = ({ settings }: { settings: Settings }) => (
  <OpenedRecord record={registrationOf(settings)}>
    {(opened, onSaved) => <Fields opened={opened} onSaved={onSaved} />}
  </OpenedRecord>
)

function Fields({ opened, onSaved }: { opened: Registration; onSaved: (saved: Registration) => void }) {
  const mayWrite = useMay('settings:write')
  const [draft, setDraft] = useState(opened)
  const set = (part: Partial<Registration>) => setDraft({ ...draft, ...part })
  const changes = useMemo(() => changedMembers(opened, toBody(draft)), [opened, draft])
  const call = useCallback<Call<{ result: Settings }>>((client) => client.changeSettings({ body: changes }), [changes])
  return (
    <Form
      fields={['self_registration', 'allowed_email_domains', 'link_by_verified_email']}
      call={call}
      submit="Save"
      scope="settings:write"
      opened={{ record: opened, read }}
      saved="The settings are saved."
      onSaved={({ result }) => onSaved(registrationOf(result))}
      disabled={isEmpty(changes)}
    >
      <SwitchField
        name="self_registration"
        label="Somebody new becomes a person"
        disabled={!mayWrite}
        checked={draft.self_registration}
        onChange={(self_registration) => set({ self_registration })}
        hint="Off: only persons who are there already sign in; others are refused."
      />
      <LinesField
        name="allowed_email_domains"
        label="Domains of new persons"
        disabled={!mayWrite}
        mono
        lines={draft.allowed_email_domains}
        onChange={(allowed_email_domains) => set({ allowed_email_domains })}
        placeholder="example.com"
        hint="One to a line. With any, somebody new needs an e-mail address at one of them that the provider vouches for. Empty: all domains."
      />
      <SwitchField
        name="link_by_verified_email"
        label="Link identities by verified e-mail"
        disabled={!mayWrite}
        checked={draft.link_by_verified_email}
        onChange={(link_by_verified_email) => set({ link_by_verified_email })}
        hint="A first sign-in joins the person whose verified handle has the address, where the provider vouches for it. Whoever controls the address at a provider then signs in as that person."
      />
    </Form>
  )
}
