import { useState } from 'react'
import styles from './code.module.css'
import { CopyButton } from './copy.tsx'
import { SelectField } from './field.tsx'
import { Stack } from './page.tsx'
import { Marked } from './text.tsx'

/** More would make the page slow; what is copied is whole. */
const maxShown = 20_000

/** Text as it is: code, a command, a claim. `label` says what it is. */
export function Code({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return (
    <figure className={styles.code} aria-label={label}>
      <figcaption className={styles.caption}>
        <span>{label}</span>
        <CopyButton text={text} of={label} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre className={wrap ? styles.wrapped : undefined} tabIndex={0}>
        <bdi>
          <Marked>{text.slice(0, maxShown)}</Marked>
        </bdi>
      </pre>
      {text.length > maxShown && (
        <p className={styles.rest}>
          {(text.length - maxShown).toLocaleString()} characters are not shown. The button copies all of it.
        </p>
      )}
    </figure>
  )
}

/** A value as JSON. */
export const Json = ({ value, label }: { value: unknown; label: string }) => (
  <Code text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} wrap />
)

export type Snippet = { name: string; text: string }

/** The same in several languages, of which one is shown. */
export function Snippets({ label, snippets }: { label: string; snippets: readonly Snippet[] }) {
  const [chosen, choose] = useState('')
  const snippet = snippets.find(({ name }) => name === chosen) ?? snippets[0]
  return (
    <Stack>
      <SelectField
        name="snippet"
        label={label}
        value={snippet?.name ?? ''}
        onChange={choose}
        options={snippets.map(({ name }) => [name, name])}
      />
      {snippet && <Code text={snippet.text} label={snippet.name} />}
    </Stack>
  )
}
