import { type ReactNode, useEffect, useId, useState } from 'react'
import { useSearchParams } from '../router/index.ts'
import { Button } from './button.tsx'
import fields from './field.module.css'
import styles from './filters.module.css'
import { fromLocal, toLocal } from './local-time.ts'
import { plain } from './marked.ts'
import { withMember } from './pages.tsx'

/** The filters of a list live in its address: what is seen can be bookmarked and sent to somebody. */
export function useFilters<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
  const [address] = useSearchParams()
  const given = names.flatMap((name) => (address.get(name) ? [[name, address.get(name)]] : []))
  return Object.fromEntries(given)
}

/** Another filter begins at the first page. */
function useSetFilter() {
  const [, setAddress] = useSearchParams()
  return (name: string, value: string) =>
    setAddress(
      (address) => {
        const changed = withMember(address, name, value.trim())
        changed.delete('after')
        changed.delete('page')
        return changed
      },
      { preventScrollReset: true },
    )
}

/** A row of filters, with a way to have none. On a narrow screen a button folds them, so that the list is seen. */
export function Filters({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const [, setAddress] = useSearchParams()
  const [isOpen, setOpen] = useState(false)
  const count = Object.keys(useFilters(names)).length
  const id = useId()
  const clear = () =>
    setAddress((address) => withMember(new URLSearchParams(), 'size', address.get('size') ?? undefined))
  return (
    <search className={styles.filters}>
      <span className={styles.fold}>
        <Button icon="search" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {count > 0 ? `Filters (${count})` : 'Filters'}
        </Button>
      </span>
      <div id={id} className={`${styles.fields} ${isOpen ? styles.open : ''}`}>
        {children}
      </div>
      {count > 0 && (
        <Button tone="quiet" size="small" icon="cross" onClick={clear}>
          Clear
        </Button>
      )}
    </search>
  )
}

type FilterProps = { name: string; label: string }

type Options = readonly (readonly [value: string, words: string])[]
/** Values under a heading. */
export type OptionGroup = readonly [heading: string, options: Options]

/** A filter with values to choose from. */
export function SelectFilter({
  name,
  label,
  options,
  groups = [],
}: FilterProps & { options: Options; groups?: readonly OptionGroup[] }) {
  const [address] = useSearchParams()
  const setFilter = useSetFilter()
  const id = useId()
  return (
    <span className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={fields.input}
        value={address.get(name) ?? ''}
        onChange={(event) => setFilter(name, event.target.value)}
      >
        <option value="">Any</option>
        <Choices options={options} />
        {groups.map(([heading, choices]) => (
          <optgroup key={heading} label={heading}>
            <Choices options={choices} />
          </optgroup>
        ))}
      </select>
    </span>
  )
}

const Choices = ({ options }: { options: Options }) =>
  options.map(([value, words]) => (
    <option key={value} value={value}>
      {plain(words)}
    </option>
  ))

type TextFilterProps = FilterProps & { placeholder?: string; type?: 'search' | 'datetime-local'; width?: 'wide' }

/** A filter that is typed; it holds from Enter on, or when the field is left. Another address puts its own value there. */
export function TextFilter({ name, label, placeholder, type = 'search', width }: TextFilterProps) {
  const [address] = useSearchParams()
  const held = address.get(name) ?? ''
  const setFilter = useSetFilter()
  const id = useId()
  const [text, setText] = useState('')
  useEffect(() => setText(toShown(held, type)), [held, type])
  const apply = () => text !== toShown(held, type) && setFilter(name, toHeld(text, type))
  return (
    <span className={`${styles.filter} ${width ? styles[width] : ''}`}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        placeholder={placeholder}
        value={text}
        className={fields.input}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => event.key === 'Enter' && apply()}
      />
    </span>
  )
}

/** A time stands in the address in UTC, and in the field in the reader's zone. */
const toShown = (held: string, type: TextFilterProps['type']) =>
  type === 'datetime-local' && !Number.isNaN(Date.parse(held)) ? toLocal(Date.parse(held)) : held

const toHeld = (shown: string, type: TextFilterProps['type']) =>
  type === 'datetime-local' ? (fromLocal(shown) ?? '') : shown.trim()
