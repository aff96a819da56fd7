import { Field } from '@base-ui/react/field'
import { Switch } from '@base-ui/react/switch'
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import styles from './field.module.css'

type FieldProps = {
  /** The member of the body; messages of the service are shown beside the field of this name. */
  name: string
  label: string
  /** What the field is for, and its rule. */
  hint?: ReactNode
  disabled?: boolean
}

function Frame({ name, label, hint, disabled, children }: FieldProps & { children: ReactNode }) {
  return (
    <Field.Root name={name} disabled={disabled} className={styles.field}>
      <Field.Label className={styles.label}>{label}</Field.Label>
      {children}
      {hint && (
        <Field.Description className={styles.hint} render={<div />}>
          {hint}
        </Field.Description>
      )}
      <Field.Error className={styles.error} />
    </Field.Root>
  )
}

type TextFieldProps = FieldProps & {
  value: string
  onChange: (value: string) => void
  required?: boolean
  placeholder?: string
  type?: 'text' | 'url' | 'email' | 'password' | 'number' | 'datetime-local'
  autoComplete?: string
  autoFocus?: boolean
  /** Code, an id, an address: letters of one width. */
  mono?: boolean
  maxLength?: number
  /** Offered while one types; anything else may be typed as well. */
  suggestions?: readonly string[]
  /** What the Enter key does in place of sending the form. */
  onEnter?: () => void
}

export function TextField({ name, label, hint, disabled, onChange, mono, ...props }: TextFieldProps) {
  const { suggestions, onEnter, ...input } = props
  const listId = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !onEnter) return
    event.preventDefault()
    onEnter()
  }
  return (
    <Frame name={name} label={label} hint={hint} disabled={disabled}>
      <Field.Control
        autoComplete="off"
        spellCheck={false}
        {...input}
        onKeyDown={onKeyDown}
        list={suggestions && listId}
        className={`${styles.input} ${mono ? styles.mono : ''}`}
        onValueChange={(value: string) => onChange(value)}
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </Frame>
  )
}

type TextAreaProps = FieldProps & {
  value: string
  onChange: (value: string) => void
  rows?: number
  mono?: boolean
  placeholder?: string
}

export function TextArea({ name, label, hint, disabled, onChange, rows = 3, mono, value, placeholder }: TextAreaProps) {
  return (
    <Frame name={name} label={label} hint={hint} disabled={disabled}>
      <Field.Control
        render={<textarea rows={rows} />}
        value={value}
        placeholder={placeholder}
        spellCheck={!mono}
        className={`${styles.input} ${mono ? styles.mono : ''}`}
        onValueChange={(text: string) => onChange(text)}
      />
    </Frame>
  )
}

type FileFieldProps = FieldProps & { accept: string; onChange: (file: File | undefined) => void }

export function FileField({ name, label, hint, disabled, accept, onChange }: FileFieldProps) {
  return (
    <Frame name={name} label={label} hint={hint} disabled={disabled}>
      <Field.Control
        type="file"
        accept={accept}
        className={styles.input}
        onChange={({ currentTarget }) => onChange(currentTarget.files?.[0])}
      />
    </Frame>
  )
}

type SelectFieldProps = FieldProps & {
  value: string
  onChange: (value: string) => void
  options: readonly (readonly [value: string, words: string])[]
}

export function SelectField({ name, label, hint, disabled, value, onChange, options }: SelectFieldProps) {
  return (
    <Frame name={name} label={label} hint={hint} disabled={disabled}>
      <Field.Control
        render={
          <select>
            {options.map(([option, words]) => (
              <option key={option} value={option}>
                {words}
              </option>
            ))}
          </select>
        }
        value={value}
        className={styles.input}
        onValueChange={(chosen: string) => onChange(chosen)}
      />
    </Frame>
  )
}

type SwitchFieldProps = FieldProps & { checked: boolean; onChange: (checked: boolean) => void }

/** On or off. The whole line can be pressed. */
export function SwitchField({ name, label, hint, disabled, checked, onChange }: SwitchFieldProps) {
  return (
    <Field.Root name={name} disabled={disabled} className={styles.switchField}>
      <Field.Label className={styles.switchLine}>
        <Switch.Root checked={checked} onCheckedChange={onChange} className={styles.switch}>
          <Switch.Thumb className={styles.thumb} />
        </Switch.Root>
        <span className={styles.label}>{label}</span>
      </Field.Label>
      {hint && (
        <Field.Description className={styles.switchHint} render={<div />}>
          {hint}
        </Field.Description>
      )}
      <Field.Error className={styles.error} />
    </Field.Root>
  )
}

type CheckboxesProps = {
  legend: string
  hint?: ReactNode
  options: readonly (readonly [value: string, words: ReactNode])[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  disabled?: boolean
}

/** Any number out of a few. */
export function Checkboxes({ legend, hint, options, chosen, onChange, disabled }: CheckboxesProps) {
  const id = useId()
  const toggle = (value: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, value] : chosen.filter((other) => other !== value))
  return (
    <fieldset className={styles.field} disabled={disabled} aria-describedby={hint ? id : undefined}>
      <legend className={styles.label}>{legend}</legend>
      {hint && (
        <div id={id} className={styles.hint}>
          {hint}
        </div>
      )}
      <div className={styles.boxes}>
        {options.map(([value, words]) => (
          <label key={value} className={styles.box}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={(event) => toggle(value, event.target.checked)}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

type LinesFieldProps = Omit<TextAreaProps, 'value' | 'onChange'> & {
  lines: readonly string[]
  onChange: (lines: string[]) => void
}

/** A list of texts, one to a line. */
export const LinesField = ({ lines, onChange, ...props }: LinesFieldProps) => (
  <TextArea {...props} value={lines.join('\n')} onChange={(text) => onChange(text === '' ? [] : text.split('\n'))} />
)

/** Without the lines that are empty, as the interface wants it. */
export const filledLines = (lines: readonly string[]) => lines.map((line) => line.trim()).filter(Boolean)
