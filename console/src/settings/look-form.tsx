import type { Settings } from '@signet/management'
import { useCallback, useMemo, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { changedMembers, isEmpty } from '../design/differences.ts'
import { SelectField, TextField } from '../design/field.tsx'
import type { Call } from '../service/signet.ts'
import { useIsAdmin, useMay } from '../session/session.ts'
import { LookPreview } from './look-preview.tsx'

type Look = Pick<Settings, 'default_locale' | 'branding'>
type Draft = { default_locale: Look['default_locale']; displayName: string; accentColor: string }

const languages = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
  ['es', 'Español'],
  ['ja', '日本語'],
] as const

const lookOf = ({ default_locale, branding }: Settings): Look => ({ default_locale, branding })
const toDraft = ({ default_locale, branding }: Look): Draft => ({
  default_locale,
  displayName: branding.display_name ?? '',
  accentColor: branding.accent_color ?? '',
})
const toBody = ({ default_locale, displayName, accentColor }: Draft): Look => ({
  default_locale,
  branding: { ...(displayName && { display_name: displayName }), ...(accentColor && { accent_color: accentColor }) },
})

const read: Call<Look> = async (client) => lookOf((await client.getSettings()).result)

export const LookForm = ({ settings }: { settings: Settings }) => (
  <OpenedRecord record={lookOf(settings)}>
    {(opened, onSaved) => <Fields opened={opened} logo={settings.logo_url} onSaved={onSaved} />}
  </OpenedRecord>
)

type FieldsProps = { opened: Look; logo: string | undefined; onSaved: (saved: Look) => void }

function Fields({ opened, logo, onSaved }: FieldsProps) {
  const [mayWrite, isAdmin] = [useMay('settings:write'), useIsAdmin()]
  const [draft, setDraft] = useState(() => toDraft(opened))
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const changes = useMemo(() => changedMembers(opened, toBody(draft)), [opened, draft])
  const call = useCallback<Call<{ result: Settings }>>((client) => client.changeSettings({ body: changes }), [changes])
  const onlyAdmins = isAdmin ? '' : ' Only admin keys and owners change it.'
  return (
    <Form
      fields={['default_locale', ['branding.display_name', 'display_name'], ['branding.accent_color', 'accent_color']]}
      call={call}
      submit="Save look"
      scope="settings:write"
      opened={{ record: opened, read }}
      saved="The look is saved."
      onSaved={({ result }) => onSaved(lookOf(result))}
      disabled={isEmpty(changes)}
    >
      <SelectField
        name="default_locale"
        label="Language"
        disabled={!mayWrite}
        value={draft.default_locale}
        options={languages}
        onChange={(chosen) => set({ default_locale: chosen as Look['default_locale'] })}
        hint="For persons whose browser asks for none that there is, and whose application names none."
      />
      <TextField
        name="display_name"
        label="Display name"
        disabled={!mayWrite || !isAdmin}
        value={draft.displayName}
        maxLength={200}
        onChange={(displayName) => set({ displayName })}
        hint={`In place of the organization's name.${onlyAdmins}`}
      />
      <TextField
        name="accent_color"
        label="Accent colour"
        disabled={!mayWrite || !isAdmin}
        mono
        value={draft.accentColor}
        placeholder="#0b57d0"
        onChange={(accentColor) => set({ accentColor })}
        hint={`As #rrggbb. Text on it is black or white, whichever is read better.${onlyAdmins}`}
      />
      <LookPreview name={draft.displayName} accent={draft.accentColor} logo={logo} />
    </Form>
  )
}
