// One slice owns a table: no other has a statement that writes it. The owner is whoever writes, so that a second slice that begins to do
// so fails this check, and so does a head of a slice that does not name exactly the tables that the slice writes. A slice reads a table of
// another only where it may import that slice.
import { nameOf, refusalOf, report } from './slices.mjs'
import { readsAcross, readWriters, tablesInHeads, writersOfAll } from './table-use.mjs'

const { writers, variable } = readWriters()
const problems = []

for (const [table, slices] of writers) {
  if (slices.size === 0) problems.push(`${table}: no statement writes it`)
  if (slices.size > 1) problems.push(`${table}: has one owner, but is written in ${[...slices.values()].join(' and ')}`)
}
for (const file of variable) if (!(file in writersOfAll)) problems.push(`${file}: writes a table that is a variable`)
for (const file of Object.keys(writersOfAll))
  if (!variable.has(file)) problems.push(`${file}: needs no exception any more`)

const heads = tablesInHeads()
for (const [table, slices] of writers)
  for (const slice of slices.keys())
    if (!heads.get(slice)?.includes(table)) problems.push(`${slice}: its head does not name its table ${table}`)
for (const [slice, named] of heads)
  for (const table of named)
    if (!writers.get(table)?.has(slice)) problems.push(`${slice}: its head names ${table}, which it does not write`)

for (const { file, table, from, to } of readsAcross()) {
  const refusal = refusalOf(from, to)
  if (refusal) problems.push(`${file}: must not read ${table} of ${nameOf(to)}, for ${refusal}`)
}
report(`owners and readers of ${writers.size} tables`, problems)
