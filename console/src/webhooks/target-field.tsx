import { TextField } from '../design/field.tsx'
import { Icon } from '../design/icon.tsx'
import styles from './target-field.module.css'
import { targetRules } from './target-url.ts'

type TargetFieldProps = { value: string; onChange: (value: string) => void; disabled?: boolean }

/** The address that is called, with its rules: those that are broken stand out while one types. */
export const TargetField = ({ value, onChange, disabled }: TargetFieldProps) => (
  <TextField
    name="target_url"
    label="Target URL"
    value={value}
    onChange={onChange}
    disabled={disabled}
    type="text"
    mono
    required
    placeholder="https://hooks.example.com/signet"
    hint={<Rules text={value} />}
  />
)

function Rules({ text }: { text: string }) {
  const broken = targetRules.filter(({ breaks }) => text !== '' && breaks(text))
  if (text !== '' && broken.length === 0)
    return (
      <span className={styles.allKept}>
        <Icon name="check" size={13} /> All rules of a target are kept. The service has the last word.
      </span>
    )
  return (
    <>
      <p>The HTTPS address of your receiver. An organization registers a target only once.</p>
      <ul className={styles.rules} aria-label="Rules of a target">
        {targetRules.map((rule) => (
          <Rule key={rule.words} words={rule.words} state={text && (broken.includes(rule) ? 'broken' : 'kept')} />
        ))}
      </ul>
    </>
  )
}

function Rule({ words, state }: { words: string; state: '' | 'broken' | 'kept' }) {
  return (
    <li className={state && styles[state]}>
      <span className={styles.mark}>{state && <Icon name={state === 'broken' ? 'cross' : 'check'} size={13} />}</span>
      {words}
      {state === 'broken' && <span className="visually-hidden"> This rule is broken.</span>}
    </li>
  )
}
