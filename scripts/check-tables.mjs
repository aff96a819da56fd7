// One slice owns a table: no other has a statement that writes it. The owner is whoever writes, so that a second slice that begins to do
// so fails this check. A slice reads a table of another only where it may import that slice.
import { nameOf, refusalOf, report } from './slices.mjs'
import { readsAcross, readWriters, writersOfAll } from './table-use.mjs'

const { writers, variable } = readWriters()
const problems = []

for (const [table, slices] of writers) {
  if (slices.size === 0) problems.push(`${table}: no statement writes it`)
  if (slices.size > 1) problems.push(`${table}: has one owner, but is written in ${[...slices.values()].join(' and ')}`)
}
for (const file of variable) if (!(file in writersOfAll)) problems.push(`${file}: writes a table that is a variable`)
for (const file of Object.keys(writersOfAll))
  if (!variable.has(file)) problems.push(`${file}: needs no exception any more`)

for (const { file, table, from, to } of readsAcross()) {
  const refusal = refusalOf(from, to)
  if (refusal) problems.push(`${file}: must not read ${table} of ${nameOf(to)}, for ${refusal}`)
}
report(`owners and readers of ${writers.size} tables`, problems)
