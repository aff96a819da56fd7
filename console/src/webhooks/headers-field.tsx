import { Field } from '@base-ui/react/field'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import fields from '../design/field.module.css'
import type { HeaderLine } from './header-lines.ts'
import styles from './headers-field.module.css'

type HeadersFieldProps = { lines: readonly HeaderLine[]; onChange: (lines: HeaderLine[]) => void; disabled?: boolean }

/** Custom headers, a line for each value. Values are secrets: they are shown when asked for. */
export function HeadersField({ lines, onChange, disabled }: HeadersFieldProps) {
  const [areShown, setShown] = useState(false)
  const change = (changed: HeaderLine) => onChange(lines.map((line) => (line.key === changed.key ? changed : line)))
  const add = () => onChange([...lines, { key: Math.max(-1, ...lines.map(({ key }) => key)) + 1, name: '', value: '' }])
  return (
    <Field.Root name="custom_headers" disabled={disabled} className={styles.field} render={<fieldset />}>
      <legend className={fields.label}>Custom headers</legend>
      <p className={fields.hint}>
        Sent with every request, for a gateway in front of the receiver. They are not signed: the receiver checks the
        JWT. At most 50 lines and 16 KiB, stored encrypted and shown to admin keys only.
      </p>
      {lines.map((line, place) => (
        <Line
          key={line.key}
          line={line}
          number={place + 1}
          areShown={areShown}
          disabled={disabled}
          onChange={change}
          onRemove={() => onChange(lines.filter(({ key }) => key !== line.key))}
        />
      ))}
      <Field.Error className={fields.error} />
      <div className={styles.buttons}>
        <Button size="small" icon="plus" disabled={disabled} onClick={add}>
          Add header
        </Button>
        {lines.length > 0 && (
          <Button size="small" tone="quiet" onClick={() => setShown(!areShown)}>
            {areShown ? 'Hide values' : 'Show values'}
          </Button>
        )}
      </div>
    </Field.Root>
  )
}

type LineProps = {
  line: HeaderLine
  number: number
  areShown: boolean
  disabled: boolean | undefined
  onChange: (line: HeaderLine) => void
  onRemove: () => void
}

function Line({ line, number, areShown, disabled, onChange, onRemove }: LineProps) {
  const input = { className: `${fields.input} ${fields.mono}`, disabled, autoComplete: 'off', spellCheck: false }
  return (
    <div className={styles.line}>
      <input
        {...input}
        value={line.name}
        placeholder="authorization"
        aria-label={`Name of header ${number}`}
        onChange={(event) => onChange({ ...line, name: event.target.value })}
      />
      <input
        {...input}
        type={areShown ? 'text' : 'password'}
        autoComplete="new-password"
        value={line.value}
        aria-label={`Value of header ${number}`}
        onChange={(event) => onChange({ ...line, value: event.target.value })}
      />
      <Button
        tone="quiet"
        icon="trash"
        disabled={disabled}
        aria-label={`Remove header ${number}`}
        title={`Remove header ${number}`}
        onClick={onRemove}
      />
    </div>
  )
}
