import type { KeyboardEvent, ReactNode } from 'react'
import { Link } from 'react-router'
import styles from './table.module.css'

export type Column<Item> = {
  /** The heading; beside the value where a row is shown as a card. */
  head: string
  cell: (item: Item, index: number) => ReactNode
  align?: 'end'
  /** Left out below a width of 1000 pixels. */
  minor?: boolean
}

type TableProps<Item> = {
  /** What the table lists, for screen readers. */
  caption: string
  columns: Column<Item>[]
  items: readonly Item[]
  keyOf: (item: Item, index: number) => string
  /** The page of an item: the first cell is its link, and the whole row leads there. */
  linkOf?: (item: Item) => string
  /** In place of the rows where there are none. */
  empty?: ReactNode
}

/** A table; on a narrow screen each row becomes a card. With the focus on a row's link, arrows, `j` and `k` go to its neighbours. */
export function Table<Item>({ caption, columns, items, keyOf, linkOf, empty }: TableProps<Item>) {
  if (items.length === 0 && empty) return empty
  return (
    <div className={styles.frame}>
      <table className={styles.table} onKeyDown={moveFocus}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, align, minor }) => (
              <th key={head} scope="col" className={classOf(align, minor)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <tr key={keyOf(item, index)} className={linkOf && styles.linked}>
              {columns.map(({ head, cell, align, minor }, place) => (
                <td key={head} data-head={head} className={classOf(align, minor)}>
                  {linkOf && place === 0 ? (
                    <Link to={linkOf(item)} className={styles.link}>
                      {cell(item, index)}
                    </Link>
                  ) : (
                    cell(item, index)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const classOf = (align: 'end' | undefined, minor = false) =>
  [align && styles[align], minor && styles.minor].filter(Boolean).join(' ') || undefined

const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

function moveFocus(event: KeyboardEvent<HTMLTableElement>) {
  const step = steps[event.key]
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(`a.${styles.link}`)]
  const place = links.indexOf(document.activeElement as HTMLElement)
  if (!step || place < 0) return
  event.preventDefault()
  links[place + step]?.focus()
}
