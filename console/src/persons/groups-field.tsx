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
  /** Those of a directory: it alone puts persons in, and takes them out. */
  kept?: readonly string[]
  /** Absent: they are only shown. */
  onChange?: (groups: string[]) => void
}

/** The groups of a person: each can be taken out, and others be put in by name. */
export function GroupsField({ groups, kept = [], onChange }: GroupsFieldProps) {
  const field = useRef<HTMLDivElement>(null)
  const isGuarded = useIsGuarded()
  const refusalOf = (name: string) =>
    kept.includes(name) ? onlyForDirectory : isGuarded(name) ? onlyForAdmins : undefined
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
                disabled={refusalOf(name) !== undefined}
                title={refusalOf(name)}
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

const onlyForDirectory = 'A directory keeps this group: it alone puts somebody in or takes them out.'
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
