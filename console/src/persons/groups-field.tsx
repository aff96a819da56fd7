import { useRef, useState } from 'react'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { useSettled } from '../design/settled.ts'
import { ShortText, Soft } from '../design/text.tsx'
import { Link } from '../router/index.ts'
import { useConsoleAccess } from '../session/console-access.ts'
import { useIsAdmin } from '../session/session.ts'
import { useGroupNames } from './group-names.ts'
import { groupPath } from './group-path.ts'
import styles from './groups-field.module.css'

type GroupsFieldProps = {
  groups: readonly string[]
  /** Absent: they are only shown. */
  onChange?: (groups: string[]) => void
}

/** The groups of a person: each can be taken out, and others be put in by name. */
export function GroupsField({ groups, onChange }: GroupsFieldProps) {
  const field = useRef<HTMLDivElement>(null)
  const isGuarded = useIsGuarded()
  const remove = (name: string) => {
    onChange?.(groups.filter((other) => other !== name))
    field.current?.querySelector('input')?.focus()
  }
  return (
    <div ref={field} className={styles.field}>
      {groups.length === 0 && <Soft>In no group.</Soft>}
      <ul className={styles.groups}>
        {groups.map((name) => (
          <li key={name} className={styles.group}>
            <Link to={groupPath(name)}>
              <ShortText>{name}</ShortText>
            </Link>
            {onChange && (
              <Button
                size="small"
                tone="quiet"
                icon="cross"
                aria-label={`Take out of ${name}`}
                disabled={isGuarded(name)}
                title={isGuarded(name) ? onlyForAdmins : undefined}
                onClick={() => remove(name)}
              />
            )}
          </li>
        ))}
      </ul>
      {onChange && <AddGroup onAdd={(name) => onChange([...new Set([...groups, name])].sort())} />}
    </div>
  )
}

const onlyForAdmins = 'Its members may enter this console: only owners and admin keys put somebody in or take them out.'

/** Of a group whose members may enter the console: whether the caller must leave it alone. */
function useIsGuarded() {
  const isAdmin = useIsAdmin()
  const access = useConsoleAccess()
  return (name: string) => !isAdmin && access.some(({ group }) => group === name)
}

function AddGroup({ onAdd }: { onAdd: (name: string) => void }) {
  const [typed, setTyped] = useState('')
  const names = useGroupNames(useSettled(typed.trim()))
  const isGuarded = useIsGuarded()(typed.trim())
  const add = () => {
    if (isGuarded) return
    if (typed.trim()) onAdd(typed.trim())
    setTyped('')
  }
  return (
    <div className={styles.add}>
      <TextField
        name="groups"
        label="Name of a group"
        value={typed}
        onChange={setTyped}
        onEnter={add}
        suggestions={names}
        mono
        hint={isGuarded && onlyForAdmins}
      />
      <Button icon="plus" disabled={!typed.trim() || isGuarded} onClick={add}>
        Add
      </Button>
    </div>
  )
}
