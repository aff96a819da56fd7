import { type Tracer, untraced, type Work } from '../runtime/tracer.ts'
import type { Queries } from './ask.ts'
import type { Statement } from './sql.ts'

/**
 * A span for each statement, named by what it does to which table: no text, and no values. Where nothing is traced, no statement pays for
 * the look-up of its name.
 */
export const traced = (queries: Queries, tracer: Tracer): Queries =>
  tracer === untraced
    ? queries
    : { rows: (statement) => tracer.within(workOf(statement), () => queries.rows(statement)) }

/** By the name of the statement; as many as there are in the source. */
const works = new Map<string, Work>()

function workOf({ name, text }: Statement<unknown>): Work {
  const known = works.get(name)
  if (known) return known
  const summary = summaryOf(text)
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary }
  const work: Work = { name: summary, kind: 'client', attributes }
  if (name) works.set(name, work)
  return work
}

/** `INSERT events`: of a statement that writes several tables, the first. */
export function summaryOf(text: string): string {
  const [, write, changed] = /\b(insert into|(?<!for |do )update|delete from) ([a-z_]+)/.exec(text) ?? []
  if (write) return `${write.split(' ')[0]?.toUpperCase()} ${changed}`
  const [, read] = /\bfrom ([a-z_]+)/.exec(text) ?? []
  return read ? `SELECT ${read}` : (/^\s*([a-z]+)/.exec(text)?.[1] ?? 'statement').toUpperCase()
}
