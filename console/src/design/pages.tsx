import { type ReactNode, useId } from 'react'
import { useLocation, useSearchParams } from '../router/index.ts'
import { Button } from './button.tsx'
import fields from './field.module.css'
import styles from './pages.module.css'

const sizes = [25, 50, 100] as const
type Size = (typeof sizes)[number]

/** How many rows a page of a list has, as its address says. */
export function usePageSize(): Size {
  const [address] = useSearchParams()
  return sizes.find((size) => String(size) === address.get('size')) ?? sizes[0]
}

/** The part of a list that the address asks for, as the interface takes it. */
export function useOffsetPage(): { limit: number; offset: number } {
  const [address] = useSearchParams()
  const limit = usePageSize()
  const page = Math.max(Number.parseInt(address.get('page') ?? '1', 10) || 1, 1)
  return { limit, offset: (page - 1) * limit }
}

export type Pagination = { limit: number; offset: number; total_count: number }

/** `actions`: what can be done with the whole list, such as to save it. */
type Foot = { actions?: ReactNode }

/** Below a list with a count: where one is in it, and the way to the pages around. */
export function OffsetPages({ pagination, actions }: Foot & { pagination: Pagination }) {
  const [, setAddress] = useSearchParams()
  const { limit, offset, total_count: total } = pagination
  if (total === 0 && offset === 0) return null
  const go = (page: number) => setAddress((address) => withMember(address, 'page', page > 1 ? String(page) : undefined))
  const page = offset / limit + 1
  const last = Math.max(Math.ceil(total / limit), 1)
  const count = (number: number) => number.toLocaleString()
  return (
    <nav className={styles.pages} aria-label="Pages">
      <span className={styles.place}>
        {total > offset ? `${count(offset + 1)} to ${count(Math.min(offset + limit, total))}` : 'None'} of{' '}
        {count(total)}
      </span>
      {actions}
      {total > sizes[0] && <SizeChoice first={offset} />}
      {(last > 1 || page > 1) && (
        <>
          <Button size="small" icon="left" disabled={page <= 1} onClick={() => go(Math.min(page - 1, last))}>
            Previous
          </Button>
          <Button size="small" disabled={page >= last} onClick={() => go(page + 1)}>
            Next
          </Button>
        </>
      )}
    </nav>
  )
}

/** The first row that is shown stays shown. `first`: how many stand before it; undefined where that is not known. */
function SizeChoice({ first }: { first?: number }) {
  const id = useId()
  const size = usePageSize()
  const { state } = useLocation()
  const [, setAddress] = useSearchParams()
  const choose = (chosen: number) =>
    setAddress(
      (address) => {
        const sized = withMember(address, 'size', chosen === sizes[0] ? undefined : String(chosen))
        if (first === undefined) return sized
        const page = Math.floor(first / chosen) + 1
        return withMember(sized, 'page', page > 1 ? String(page) : undefined)
      },
      { state, replace: true },
    )
  return (
    <span className={styles.size}>
      <label htmlFor={id}>Rows</label>
      <select id={id} className={fields.input} value={size} onChange={({ target }) => choose(Number(target.value))}>
        {sizes.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </span>
  )
}

/** The place in a list with cursors that the address asks for; undefined: its newest entries. */
export function useCursor(): string | undefined {
  const [address] = useSearchParams()
  return address.get('after') ?? undefined
}

/** Of the pages before this one, `''` for the first: the interface has no way back. The history of the browser keeps them. */
type Former = { former?: readonly string[] }

type CursorPagesProps = Foot & {
  next: string | undefined
  /** Whether the page has rows; of an empty first page there is nothing to do. */
  isEmpty?: boolean
}

/** Below a list with cursors. A page that was opened by its address alone leads back to the newest one. */
export function CursorPages({ next, isEmpty = false, actions }: CursorPagesProps) {
  const [address, setAddress] = useSearchParams()
  const former = (useLocation().state as Former | null)?.former ?? []
  const after = address.get('after')
  const isFirst = after === null
  if (isFirst && !next && isEmpty) return null
  const go = (cursor: string | undefined, pages: readonly string[]) =>
    setAddress((before) => withMember(before, 'after', cursor), { state: { former: pages } })
  return (
    <nav className={styles.pages} aria-label="Pages">
      <span className={styles.place} />
      {actions}
      <SizeChoice />
      {(!isFirst || next) && (
        <>
          <Button size="small" icon="left" disabled={isFirst} onClick={() => go(undefined, [])}>
            Newest
          </Button>
          <Button
            size="small"
            disabled={former.length === 0}
            title={!isFirst && former.length === 0 ? 'This page was opened by its address' : undefined}
            onClick={() => go(former.at(-1) || undefined, former.slice(0, -1))}
          >
            Newer
          </Button>
          <Button size="small" disabled={!next} onClick={() => go(next, [...former, after ?? ''])}>
            Older
          </Button>
        </>
      )}
    </nav>
  )
}

/** The same address with another value of one member; undefined takes it away. */
export function withMember(address: URLSearchParams, name: string, value: string | undefined): URLSearchParams {
  const changed = new URLSearchParams(address)
  if (value) changed.set(name, value)
  else changed.delete(name)
  return changed
}
