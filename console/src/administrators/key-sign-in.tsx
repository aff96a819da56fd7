import type { Settings } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { SwitchField } from '../design/field.tsx'
import { Panel } from '../design/page.tsx'
import { Notice } from '../design/state.tsx'
import type { Call } from '../service/signet.ts'
import type { ConsoleAccess } from '../session/console-access.ts'
import { useIsAdmin, useSession } from '../session/session.ts'
import { ownersAmong, useAdministrators } from './administrators.ts'
import { onlyAdmins } from './only-admins.ts'

/** Whether an API key opens the console, too. */
export const KeySignIn = ({ settings: { console_access, console_key_sign_in } }: { settings: Settings }) => (
  <Panel title="Sign-in with API keys">
    <OpenedRecord record={console_key_sign_in}>
      {(opened, onSaved) => <KeySignInForm opened={opened} access={console_access} onSaved={onSaved} />}
    </OpenedRecord>
  </Panel>
)

type KeySignInFormProps = { opened: boolean; access: ConsoleAccess; onSaved: (saved: boolean) => void }

const read: Call<object> = async (client) => ({
  console_key_sign_in: (await client.getSettings()).result.console_key_sign_in,
})

function KeySignInForm({ opened, access, onSaved }: KeySignInFormProps) {
  const isAdmin = useIsAdmin()
  const { data } = useAdministrators(access)
  const isNeeded = opened && data !== undefined && ownersAmong(access, data).length === 0
  const [isOn, setOn] = useState(opened)
  const refusal = isAdmin
    ? isNeeded && 'It stays on until a person who can sign in is an owner.'
    : onlyAdmins('change it')
  const call = useCallback<Call<{ result: Settings }>>(
    (client) => client.changeSettings({ body: { console_key_sign_in: isOn } }),
    [isOn],
  )
  return (
    <Form
      fields={['console_key_sign_in']}
      call={call}
      submit="Save"
      opened={{ record: { console_key_sign_in: opened }, read }}
      saved={isOn ? 'API keys open the console.' : 'API keys open the console no more.'}
      onSaved={({ result }) => onSaved(result.console_key_sign_in)}
      disabled={isOn === opened || !isAdmin}
    >
      <SwitchField
        name="console_key_sign_in"
        label="Keys may sign in to the console"
        disabled={!isAdmin || isNeeded}
        checked={isOn}
        onChange={setOn}
        hint={`Off: only persons enter, with their own sign-in. Programs use their keys as before. ${refusal || ''}`}
      />
      {opened && !isOn && <WhatFollows />}
    </Form>
  )
}

function WhatFollows() {
  const { by } = useSession()
  return (
    <Notice tone="warn" title="Try your own sign-in first.">
      Browsers that entered with a key are signed out at once{by.type === 'key' && ', this one too'}. While the provider
      fails nobody enters; an admin key can switch this on again through the interface.
    </Notice>
  )
}
