import type { Settings } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { SwitchField } from '../design/field.tsx'
import { Panel } from '../design/page.tsx'
import { Notice } from '../design/state.tsx'
import type { Call } from '../service/signet.ts'
import type { ConsoleAccess } from '../session/roles.ts'
import { useIsAdmin, useSession } from '../session/session.ts'
import { ownersAmong, useAdministrators } from './administrators.ts'
import { onlyAdmins } from './only-admins.ts'

const label = 'Keys may sign in to the console'
const what = 'Off: only persons enter, with their own sign-in. Programs use their keys as before.'

/** Whether an API key opens the console, too. */
export function KeySignIn({ settings: { console_access, console_key_sign_in } }: { settings: Settings }) {
  const refusal = useWhyNot(console_key_sign_in, console_access)
  return (
    <Panel title="Sign-in with API keys">
      {refusal ? (
        <SwitchField
          name="console_key_sign_in"
          label={label}
          disabled
          checked={console_key_sign_in}
          onChange={() => undefined}
          hint={`${what} ${refusal}`}
        />
      ) : (
        <OpenedRecord record={console_key_sign_in}>
          {(opened, onSaved) => <KeySignInForm opened={opened} onSaved={onSaved} />}
        </OpenedRecord>
      )}
    </Panel>
  )
}

/** Without an owner nobody could enter any more. */
function useWhyNot(isOn: boolean, access: ConsoleAccess): string | undefined {
  const isAdmin = useIsAdmin()
  const { data } = useAdministrators(access)
  if (!isAdmin) return onlyAdmins('change it')
  const isNeeded = isOn && data !== undefined && ownersAmong(access, data).length === 0
  return isNeeded ? 'It stays on until a person who can sign in is an owner.' : undefined
}

type KeySignInFormProps = { opened: boolean; onSaved: (saved: boolean) => void }

const read: Call<object> = async (client) => ({
  console_key_sign_in: (await client.getSettings()).result.console_key_sign_in,
})

function KeySignInForm({ opened, onSaved }: KeySignInFormProps) {
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
      disabled={isOn === opened}
    >
      <SwitchField name="console_key_sign_in" label={label} checked={isOn} onChange={setOn} hint={what} />
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
