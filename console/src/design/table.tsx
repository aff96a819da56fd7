import { type FocusEvent, type ReactNode, useEffect, useRef } from 'react'
import { Link } from '../router/index.ts'
import styles from './table.module.css'
import { fitTable } from './table-form.ts'

export type Column<Item> = {
  /** The heading; beside the value where a row is shown as a card. */
  head: string
  cell: (item: Item, index: number) => ReactNode
  align?: 'end'
  /** Short words of the interface, such as the name of an event: never broken into lines. */
  whole?: boolean
  /** Left out where there is no room for all. */
  minor?: boolean
}

export type TableProps<Item> = {
  /** What the table lists, for screen readers. */
  caption: string
  columns: Column<Item>[]
  items: readonly Item[]
  keyOf: (item: Item, index: number) => string
  /** The page of an item: the first cell is its link, and the whole row leads there. */
  linkOf?: (item: Item) => string
  /** Rows that can be chosen, to act on several at once. */
  selection?: Selection<Item>
  /** In place of the rows where there are none. */
  empty?: ReactNode
}

export type Selection<Item> = {
  /** By their keys. */
  chosen: ReadonlySet<string>
  onChange: (items: readonly Item[], isChosen: boolean) => void
  canChoose: (item: Item) => boolean
  /** What one of them is called, such as `delivery 0199…`. */
  nameOf: (item: Item) => string
}

/** A table; where there is no room for its columns each row becomes a card. Keys lead from row to row, as `app/row-keys.ts` says. */
export function Table<Item>({ caption, columns, items, keyOf, linkOf, selection, empty }: TableProps<Item>) {
  const watchFocus = useFocusKept()
  if (items.length === 0 && empty) return empty
  return (
    <div ref={fitTable} className={styles.frame} {...watchFocus}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={styles.choice}>
                <ChooseAll items={items} keyOf={keyOf} selection={selection} />
              </th>
            )}
            {columns.map(({ head, ...look }) => (
              <th key={head} scope="col" className={classOf(look)} data-minor={look.minor}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <tr key={keyOf(item, index)} className={linkOf && styles.linked}>
              {selection && (
                <td className={styles.choice}>
                  <Choose item={item} selection={selection} isChosen={selection.chosen.has(keyOf(item, index))} />
                </td>
              )}
              {columns.map(({ head, cell, ...look }, place) => (
                <td key={head} data-head={head} className={classOf(look)}>
                  {linkOf && place === 0 ? (
                    <Link to={linkOf(item)} className={styles.link} data-row>
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

/** Where the row is gone that had the focus, the heading of the page gets it. */
function useFocusKept() {
  const isHere = useRef(false)
  useEffect(() => {
    if (isHere.current && document.activeElement === document.body) document.querySelector('h1')?.focus()
  })
  const note = (event: FocusEvent) => {
    isHere.current = event.type === 'focus'
  }
  return { onFocus: note, onBlur: note }
}

type ChooseAllProps<Item> = Pick<TableProps<Item>, 'items' | 'keyOf'> & { selection: Selection<Item> }

/** All of the page that can be chosen. */
function ChooseAll<Item>({ items, keyOf, selection }: ChooseAllProps<Item>) {
  const ref = useRef<HTMLInputElement>(null)
  const open = items.filter(selection.canChoose)
  const count = items.filter((item, index) => selection.chosen.has(keyOf(item, index))).length
  const isAll = open.length > 0 && count >= open.length
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = count > 0 && !isAll
  }, [count, isAll])
  return (
    <input
      ref={ref}
      type="checkbox"
      checked={isAll}
      disabled={open.length === 0}
      aria-label="Choose all on this page"
      onChange={(event) => selection.onChange(open, event.target.checked)}
    />
  )
}

type ChooseProps<Item> = { item: Item; selection: Selection<Item>; isChosen: boolean }

function Choose<Item>({ item, selection, isChosen }: ChooseProps<Item>) {
  return (
    <input
      type="checkbox"
      checked={isChosen}
      disabled={!selection.canChoose(item)}
      aria-label={`Choose ${selection.nameOf(item)}`}
      onChange={(event) => selection.onChange([item], event.target.checked)}
    />
  )
}

const classOf = ({ align, whole, minor }: Pick<Column<never>, 'align' | 'whole' | 'minor'>) =>
  [align && styles[align], whole && styles.whole, minor && styles.minor].filter(Boolean).join(' ') || undefined
