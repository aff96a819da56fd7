import pg from 'pg'
import { inject } from 'vitest'
import type { Queries } from '../../src/ground/database/database.ts'
import { type Planning, settingsText } from '../../src/ground/database/session-settings.ts'
import type { Statement } from '../../src/ground/database/sql.ts'

export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** A superuser alone may have plans told. */
export const mayExplain = inject('superuser') !== undefined

/** A connection with the settings of the service, by default the worker's, and the plan that PostgreSQL used for each statement. */
export async function explainingConnection({ database }: { database: string }, planning: Planning = 'queue') {
  const explain = ['min_duration=0', 'level=notice', 'analyze=on', 'timing=off', 'format=json']
  const settings = ['session_preload_libraries=auto_explain', ...explain.map((each) => `auto_explain.log_${each}`)]
  const options = settings.map((setting) => `-c ${setting}`).join(' ')
  const client = new pg.Client({ ...inject('superuser'), database, options })
  const plans: Plan[] = []
  client.on('notice', ({ message = '' }) => plans.push(JSON.parse(message.slice(message.indexOf('{'))).Plan))
  client.on('error', () => {})
  await client.connect()
  await client.query(settingsText(planning, 0))
  plans.length = 0
  const queries: Queries = {
    rows: async <Row>(statement: Statement<Row>) => (await client.query(statement)).rows as Row[],
  }
  return { queries, plans, end: () => client.end() }
}

export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** What a plan scans, or reads more than `maxRows` of, among the tables that it needs; in words that can be read. */
export const faultsOf = (plan: Plan, maxRows: number): string[] =>
  nodesOf(plan).flatMap((node) => {
    const table = node['Relation Name'] ?? ''
    if (!/^(?:deliveries|finished_deliveries|events|lanes|webhooks|triggers)/.test(table)) return []
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    if (node['Node Type'] === 'Seq Scan') return [`scans ${table}`]
    return rows > maxRows ? [`looks at ${rows} rows of ${table}`] : []
  })

/** How many rows of tables it read. */
export const rowsOf = (plan: Plan) =>
  nodesOf(plan)
    .filter((node) => node['Relation Name'])
    .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'])
    .reduce((sum, rows) => sum + rows, 0)
