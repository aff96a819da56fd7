// Each takes the connection first, so that a statement stands by itself: `firstRow(queries)(sql<Row>`select …`)`.
import type { Queries } from './ask.ts'
import type { Statement } from './sql.ts'

export const firstRow =
  ({ rows }: Queries) =>
  async <Row>(statement: Statement<Row>): Promise<Row | undefined> => {
    const [row] = await rows(statement)
    return row
  }

/** Of a statement that always has one. */
export const onlyRow =
  (queries: Queries) =>
  async <Row>(statement: Statement<Row>): Promise<Row> =>
    (await firstRow(queries)(statement)) as Row

export const rowCount =
  ({ rows }: Queries) =>
  async (statement: Statement<unknown>): Promise<number> =>
    (await rows(statement)).length

export const hasRow = (queries: Queries) => async (statement: Statement<unknown>) =>
  (await rowCount(queries)(statement)) > 0

/** Of rows with one column. */
export const valuesIn =
  ({ rows }: Queries) =>
  async <Value>(statement: Statement<Record<string, Value>>): Promise<Value[]> =>
    (await rows(statement)).map((row) => Object.values(row)[0] as Value)

/** Of the first row, which has one column. */
export const valueIn =
  (queries: Queries) =>
  async <Value>(statement: Statement<Record<string, Value>>): Promise<Value | undefined> =>
    (await valuesIn(queries)(statement))[0]

/** 0 where there is no row. */
export const numberIn = (queries: Queries) => async (statement: Statement<Record<string, number>>) =>
  (await valueIn(queries)(statement)) ?? 0
