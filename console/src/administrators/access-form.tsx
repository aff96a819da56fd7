import type { Settings } from '@signet/management'
import { useCallback, useRef, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Button } from '../design/button.tsx'
import { Difference } from '../design/difference.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { useSettled } from '../design/settled.ts'
import { Notice } from '../design/state.tsx'
import { Soft } from '../design/text.tsx'
import { useGroupNames } from '../persons/group-names.ts'
import type { Call } from '../service/signet.ts'
import { type ConsoleAccess, type Role, roleNames, roles, whatRolesDo } from '../session/roles.ts'
import { accessChanges, hasOwnerGroup, without, withRole } from './access-changes.ts'
import styles from './access-form.module.css'
import { AccessRow } from './access-row.tsx'

type AccessFormProps = { opened: ConsoleAccess; onSaved: (saved: ConsoleAccess) => void }

const read: Call<object> = async (client) => ({ console_access: (await client.getSettings()).result.console_access })

/** Which groups are let in, and as what. What a change does is shown before it is saved. */
export function AccessForm({ opened, onSaved }: AccessFormProps) {
  const form = useRef<HTMLDivElement>(null)
  const [access, setAccess] = useState(opened)
  const changes = accessChanges(opened, access)
  const call = useCallback<Call<{ result: Settings }>>(
    (client) => client.changeSettings({ body: { console_access: access } }),
    [access],
  )
  const remove = (group: string) => {
    setAccess(without(access, group))
    form.current?.querySelector('input')?.focus()
  }
  return (
    <Form
      fields={['console_access']}
      call={call}
      submit="Save access"
      opened={{ record: { console_access: opened }, read }}
      saved="Who may enter is saved."
      onSaved={({ result }) => onSaved(result.console_access)}
      disabled={changes.length === 0}
    >
      <div ref={form} className={styles.access}>
        {access.length === 0 && <Soft>No group is let in: only API keys enter this console.</Soft>}
        <ul className={styles.rows} aria-label="Groups that may enter">
          {access.map((entry) => (
            <AccessRow
              key={entry.group}
              entry={entry}
              onChange={(changed) => setAccess(withRole(access, changed))}
              onRemove={() => remove(entry.group)}
            />
          ))}
        </ul>
        <AddGroup onAdd={(entry) => setAccess(withRole(access, entry))} />
      </div>
      {changes.length > 0 && <Difference differences={changes} before="Now" after="Once saved" />}
      {changes.length > 0 && hasOwnerGroup(opened) && !hasOwnerGroup(access) && (
        <Notice tone="warn">
          No group has the role Owner then: only admin keys will let somebody in, or change who may enter.
        </Notice>
      )}
    </Form>
  )
}

const options = roles.map((role) => [role, roleNames[role]] as const)

function AddGroup({ onAdd }: { onAdd: (entry: ConsoleAccess[number]) => void }) {
  const [group, setGroup] = useState('')
  const [role, setRole] = useState<Role>('reader')
  const name = group.trim()
  const names = useGroupNames(useSettled(name))
  const add = () => {
    if (name) onAdd({ group: name, role })
    setGroup('')
  }
  return (
    <div className={styles.add}>
      <TextField
        name="console_access"
        label="Name of a group"
        value={group}
        onChange={setGroup}
        onEnter={add}
        suggestions={names}
        mono
      />
      <SelectField
        name="role"
        label="Role"
        value={role}
        onChange={(chosen) => setRole(chosen as Role)}
        options={options}
        hint={whatRolesDo[role]}
      />
      <Button icon="plus" disabled={!name} onClick={add}>
        Add
      </Button>
    </div>
  )
}
