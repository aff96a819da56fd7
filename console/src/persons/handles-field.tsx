import type { Handle } from '@signet/management'
import { useRef } from 'react'
import { Button } from '../design/button.tsx'
import { SelectField, SwitchField, TextField } from '../design/field.tsx'
import { Soft } from '../design/text.tsx'
import { useIsAdmin } from '../session/session.ts'
import { fieldName, type HandleRow, withAddress, withNewRow } from './handle-rows.ts'
import styles from './handles-field.module.css'

const maxHandles = 20
const types = [
  ['EmailAddress', 'E-mail address'],
  ['PhoneNumber', 'Phone number'],
] as const
const placeholders = { EmailAddress: 'jo@example.com', PhoneNumber: '+12025550123' }

type HandlesFieldProps = {
  rows: readonly HandleRow[]
  /** Those that are stored. */
  before: readonly Handle[]
  onChange: (rows: HandleRow[]) => void
}

/** The addresses by which a person is known. Only an admin key says whether one is verified. */
export function HandlesField({ rows, before, onChange }: HandlesFieldProps) {
  const field = useRef<HTMLDivElement>(null)
  const change = (changed: HandleRow) => onChange(rows.map((row) => (row.key === changed.key ? changed : row)))
  const remove = ({ key }: HandleRow) => {
    onChange(rows.filter((row) => row.key !== key))
    field.current?.querySelector<HTMLElement>('[data-add]')?.focus()
  }
  return (
    <div ref={field} className={styles.handles}>
      {rows.length === 0 && <Soft>No handles: nobody can sign in as this person by an address.</Soft>}
      {rows.map((row, place) => (
        <HandleFields
          key={row.key}
          row={row}
          place={place}
          before={before}
          onChange={change}
          onRemove={() => remove(row)}
        />
      ))}
      <div>
        <Button
          data-add
          size="small"
          icon="plus"
          disabled={rows.length >= maxHandles}
          onClick={() => onChange(withNewRow(rows))}
        >
          {rows.length >= maxHandles ? `At most ${maxHandles} handles` : 'Add handle'}
        </Button>
      </div>
    </div>
  )
}

type HandleFieldsProps = {
  row: HandleRow
  place: number
  before: readonly Handle[]
  onChange: (row: HandleRow) => void
  onRemove: () => void
}

function HandleFields({ row, place, before, onChange, onRemove }: HandleFieldsProps) {
  const isAdmin = useIsAdmin()
  return (
    <fieldset className={styles.handle}>
      <legend className="visually-hidden">Handle {place + 1}</legend>
      <SelectField
        name={fieldName(row, 'type')}
        label="Type"
        value={row.type}
        options={types}
        onChange={(type) => onChange(withAddress(row, { type: type as Handle['type'] }, before))}
      />
      <TextField
        name={fieldName(row, 'value')}
        label="Handle"
        value={row.value}
        placeholder={placeholders[row.type]}
        required
        onChange={(value) => onChange(withAddress(row, { value }, before))}
      />
      <div className={styles.end}>
        <SwitchField
          name={fieldName(row, 'verified')}
          label="Verified"
          checked={row.verified}
          disabled={!isAdmin}
          onChange={(verified) => onChange({ ...row, verified })}
        />
        <Button
          tone="quiet"
          icon="trash"
          aria-label={`Remove ${row.value ? `handle ${row.value}` : `handle ${place + 1}`}`}
          onClick={onRemove}
        />
      </div>
    </fieldset>
  )
}

/** What `verified` means, for the reader of a form with handles. */
export function VerifiedHint() {
  const isAdmin = useIsAdmin()
  return isAdmin
    ? 'Whoever marks a handle as verified vouches for it: with linking on, an account with that address signs in as this person.'
    : 'Only admin keys and owners say whether a handle is verified.'
}
