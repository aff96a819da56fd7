import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { OffsetPages, type Pagination } from './pages.tsx'
import { Loaded } from './state.tsx'
import { Table, type TableProps } from './table.tsx'

type ListProps<Item> = Omit<TableProps<Item>, 'items'> & {
  query: UseQueryResult<{ result: readonly Item[]; meta: { pagination: Pagination } }>
  /** What can be done with the whole list, such as to save it. */
  actions?: ReactNode
}

/** A page of a list with a count, and the way to the pages around it. */
export const List = <Item,>({ query, actions, ...table }: ListProps<Item>) => (
  <Loaded query={query} lines={8}>
    {({ result, meta }) => (
      <>
        <Table {...table} items={result} />
        <OffsetPages pagination={meta.pagination} actions={actions} />
      </>
    )}
  </Loaded>
)
