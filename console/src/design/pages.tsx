import { useSearchParams } from '../router/index.ts'
import { Button } from './button.tsx'
import styles from './pages.module.css'

export const pageSize = 25

/** The part of a list that the address asks for, as the interface takes it. */
export function useOffsetPage(): { limit: number; offset: number } {
  const [address] = useSearchParams()
  const page = Math.max(Number.parseInt(address.get('page') ?? '1', 10) || 1, 1)
  return { limit: pageSize, offset: (page - 1) * pageSize }
}

export type Pagination = { limit: number; offset: number; total_count: number }

/** Below a list with a count: where one is in it, and the way to the pages around. */
export function OffsetPages({ pagination }: { pagination: Pagination }) {
  const [, setAddress] = useSearchParams()
  if (pagination.total_count <= pagination.limit && pagination.offset === 0) return null
  const { limit, offset, total_count: total } = pagination
  const go = (page: number) => setAddress((address) => withMember(address, 'page', page > 1 ? String(page) : undefined))
  const page = offset / limit + 1
  const last = Math.max(Math.ceil(total / limit), 1)
  const count = (number: number) => number.toLocaleString()
  return (
    <nav className={styles.pages} aria-label="Pages">
      <span>
        {total > offset ? `${count(offset + 1)} to ${count(Math.min(offset + limit, total))}` : 'None'} of{' '}
        {count(total)}
      </span>
      <Button size="small" icon="left" disabled={page <= 1} onClick={() => go(Math.min(page - 1, last))}>
        Previous
      </Button>
      <Button size="small" disabled={page >= last} onClick={() => go(page + 1)}>
        Next
      </Button>
    </nav>
  )
}

/** The place in a list with cursors that the address asks for; undefined: its newest entries. */
export function useCursor(): string | undefined {
  const [address] = useSearchParams()
  return address.get('after') ?? undefined
}

type CursorPagesProps = {
  next: string | undefined
  /** Of a list that is not the newest first. */
  words?: { first: string; next: string }
}

/** Below a list with cursors. The way back is that of the browser, or to the first page. */
export function CursorPages({ next, words = { first: 'Newest', next: 'Older' } }: CursorPagesProps) {
  const [address, setAddress] = useSearchParams()
  const isFirst = !address.has('after')
  if (isFirst && !next) return null
  const go = (after: string | undefined) => setAddress((before) => withMember(before, 'after', after))
  return (
    <nav className={styles.pages} aria-label="Pages">
      <Button size="small" icon="left" disabled={isFirst} onClick={() => go(undefined)}>
        {words.first}
      </Button>
      <Button size="small" disabled={!next} onClick={() => go(next)}>
        {words.next}
      </Button>
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
