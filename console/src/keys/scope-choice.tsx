import { Field } from '@base-ui/react/field'
import fields from '../design/field.module.css'
import { areas, type KeyScope, scopes } from '../session/scopes.ts'
import { may, useSession } from '../session/session.ts'
import styles from './scope-choice.module.css'

type ScopeChoiceProps = { chosen: readonly KeyScope[]; onChange: (chosen: KeyScope[]) => void }

/** For each area nothing, reading, or reading and writing. */
export function ScopeChoice({ chosen, onChange }: ScopeChoiceProps) {
  const choose = (area: string, level: string) => {
    const others = chosen.filter((scope) => !scope.startsWith(`${area}:`))
    const added = scopes.filter((scope) => scope === `${area}:${level}`)
    onChange([...others, ...added])
  }
  return (
    <Field.Root name="scopes" className={styles.choice} render={<fieldset />}>
      <legend>Scopes</legend>
      {areas.map(([area, words]) => (
        <AreaChoice key={area} area={area} words={words} chosen={chosen} choose={choose} />
      ))}
      <Field.Error className={fields.error} />
    </Field.Root>
  )
}

type AreaChoiceProps = {
  area: string
  words: string
  chosen: readonly KeyScope[]
  choose: (area: string, level: string) => void
}

function AreaChoice({ area, words, chosen, choose }: AreaChoiceProps) {
  const session = useSession()
  const levels = scopes.filter((scope) => scope.startsWith(`${area}:`)).map((scope) => scope.slice(area.length + 1))
  const level = levels.find((each) => chosen.some((scope) => scope === `${area}:${each}`)) ?? ''
  return (
    <label className={styles.area}>
      <code>{area}</code>
      <select
        className={fields.input}
        value={level}
        onChange={(event) => choose(area, event.target.value)}
        aria-label={area}
      >
        <option value="">none</option>
        {levels.map((each) => (
          <option key={each} value={each} disabled={!may(session, `${area}:${each as 'read' | 'write'}`)}>
            {each === 'write' ? 'read and write' : 'read'}
          </option>
        ))}
      </select>
      <span>{words}</span>
    </label>
  )
}
