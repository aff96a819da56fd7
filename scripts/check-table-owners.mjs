// One folder owns a table: no other folder has a statement that writes it. The owner is whoever writes, so that a second
// folder that begins to do so fails this check.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const source = join(root, 'server/src')

/** Statements whose table is a variable, and that write tables of other folders: the reason for each. */
const exceptions = {
  'organizations/organization-store.ts': 'a deleted organization is purged from every table',
  'copy/copy-store.ts': 'a copy of the database begins with empty tables',
  'move/move-store.ts': 'an organization that arrives has rows in every table',
  'installation/installation-store.ts': 'secrets of every table are encrypted under the first master key',
}

const writing = /\b(?:insert\s+into|update(?:\s+only)?|delete\s+from|merge\s+into|truncate)\s+(\$\{|[a-z_]+)/g
const tables = new Set(globSync('server/migrations/*.sql', { cwd: root }).flatMap(tablesOf))
/** Table → folder → a file of it that writes the table. */
const writers = new Map([...tables].map((table) => [table, new Map()]))
const problems = []
const used = new Set()

for (const file of globSync('**/*.ts', { cwd: source }).filter((name) => !name.endsWith('.test.ts'))) {
  const text = readFileSync(join(source, file), 'utf8')
  for (const [, table] of text.matchAll(writing)) {
    if (table === '${') noteVariable(file, text)
    else noteWrite(table, file)
  }
}

for (const [table, folders] of writers) {
  if (folders.size === 0) problems.push(`${table}: no statement writes it`)
  if (folders.size > 1)
    problems.push(`${table}: has one owner, but is written in ${[...folders.values()].join(' and ')}`)
}
for (const file of Object.keys(exceptions)) if (!used.has(file)) problems.push(`${file}: needs no exception any more`)

for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0 ? `tables: ${tables.size} have one owner each` : `tables: ${problems.length} problems`,
)
process.exit(problems.length === 0 ? 0 : 1)

function noteWrite(table, file) {
  writers.get(table)?.set(file.split('/', 1)[0], file)
}

/** A table that is a variable is one of the file's fragments. */
function noteVariable(file, text) {
  const names = [...text.matchAll(/\bfragment`([a-z_]+)`/g)].map(([, name]) => name).filter((name) => tables.has(name))
  for (const name of names) noteWrite(name, file)
  if (file in exceptions) used.add(file)
  else if (names.length === 0) problems.push(`${file}: writes a table that is a variable`)
}

function tablesOf(file) {
  const statements = readFileSync(join(root, file), 'utf8').matchAll(/^create table (?:if not exists )?([a-z_]+)/gm)
  return [...statements].map(([, table]) => table)
}
