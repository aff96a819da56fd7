import type { Settings } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { SwitchField } from '../design/field.tsx'
import { Panel } from '../design/page.tsx'
import { Notice } from '../design/state.tsx'
import type { Call } from '../service/signet.ts'
import type { ConsoleAccess } from '../session/console-access.ts'
import { useIsAdmin } from '../session/session.ts'
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
  const [isOn, setOn] = useState(opened)
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
        disabled={!isAdmin}
        checked={isOn}
        onChange={setOn}
        hint={`Off: only persons enter, with their own sign-in. Programs use their keys as before.${isAdmin ? '' : ` ${onlyAdmins('change it')}`}`}
      />
      {opened && !isOn && <WhatFollows access={access} />}
    </Form>
  )
}

function WhatFollows({ access }: { access: ConsoleAccess }) {
  const { data } = useAdministrators(access)
  const hasOwner = data && ownersAmong(access, data).length > 0
  return (
    <Notice tone="warn" title={hasOwner ? 'Try your own sign-in first.' : 'Nobody could enter as an owner.'}>
      {hasOwner
        ? 'If your provider fails, nobody enters until it works again. '
        : 'No active person has the role Owner: invite one first. '}
      An admin key can switch this on again through the interface, as the curl below with true.
    </Notice>
  )
}
