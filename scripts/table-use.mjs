// Which slice writes each table of the database, and who reads it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameOf, placeOf, readSources, root, rootTable } from './slices.mjs'

/** Files with statements whose table is a variable, which write tables of other slices: the reason for each. */
export const writersOfAll = {
  'identity/organizations/organization-store.ts': 'a deleted organization is purged from every table',
  'operator/backup/copy/copy-store.ts': 'a copy of the database begins with empty tables',
  'operator/move/move-store.ts': 'an organization that arrives has rows in every table',
  'operator/installation/installation-store.ts': 'secrets of every table are encrypted under the first master key',
}

const writing = /\b(?:insert\s+into|update(?:\s+only)?|delete\s+from|merge\s+into|truncate)\s+(\$\{|[a-z_]+)/g
const reading = /\b(?:from|join|using|lock\s+table)\s+(?:only\s+)?([a-z_]+)\b/g
const fragments = /\bfragment`([a-z_]+)`/g

const tables = tablesAfter(globSync('server/migrations/*.sql', { cwd: root }).sort())

/** Table → slice → a file of it that writes the table. `variable`: files that write a table that is a variable and none of their own. */
export function readWriters() {
  const writers = new Map([...tables].map((table) => [table, new Map()]))
  const variable = new Set()
  for (const [file, text] of readSources())
    for (const [, target] of text.matchAll(writing)) {
      const names = target === '${' ? tablesIn(text) : [target]
      if (target === '${' && (names.length === 0 || file in writersOfAll)) variable.add(file)
      if (target === '${' && file in writersOfAll) continue
      for (const name of names) writers.get(name)?.set(nameOf(placeOf(file)), file)
    }
  return { writers, variable }
}

/** A table that is a variable is one of the file's fragments. */
const tablesIn = (text) => [...text.matchAll(fragments)].map(([, name]) => name).filter((name) => tables.has(name))

/** Each read of a table of another slice: who reads, and whose it is. */
export function readsAcross() {
  const { writers } = readWriters()
  return [...readSources()].flatMap(([file, text]) => {
    const read = new Set([...withoutComments(text).matchAll(reading)].map(([, table]) => table))
    return [...read]
      .filter((table) => tables.has(table) && table !== rootTable)
      .flatMap((table) =>
        [...writers.get(table).values()].map((owner) => ({ file, table, from: placeOf(file), to: placeOf(owner) })),
      )
      .filter(({ from, to }) => nameOf(from) !== nameOf(to))
  })
}

const withoutComments = (text) => text.replace(/\/\*.*?\*\/|^\s*\/\/[^\n]*$/gms, '')

/** What the heads of a slice, in its `index.ts` and those of its folders, say that it owns: slice → tables. */
export function tablesInHeads() {
  const named = new Map()
  for (const [file, text] of readSources()) {
    if (!file.endsWith('/index.ts')) continue
    const slice = nameOf(placeOf(file))
    named.set(slice, [...(named.get(slice) ?? []), ...tablesOwned(text)])
  }
  return named
}

/** `Owns: … the tables events and event_low_watermarks; …`, before what it leaves to others. */
function tablesOwned(text) {
  const head = /^\/\*\*.*?\*\//s.exec(text)?.[0] ?? ''
  const owned = head.replace(/\n \* ?/g, ' ').split('Leaves to')[0]
  const lists = owned.matchAll(/\bthe tables? ((?:[a-z_]+(?: \([^)]*\))?(?:, | and )?)+)/g)
  return [...lists].flatMap(([, list]) =>
    list
      .replace(/\([^)]*\)/g, '')
      .match(/[a-z_]+/g)
      .filter((word) => word !== 'and'),
  )
}

/** The tables that there are after these migrations. */
function tablesAfter(files) {
  const names = new Set()
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    // In their order: a table may be renamed to make room for another of its name.
    for (const [, kind, name, after] of text.matchAll(
      /^(create|alter|drop) table (?:if not exists )?([a-z_]+)(?: rename to ([a-z_]+))?/gm,
    )) {
      if (kind === 'drop' || after) names.delete(name)
      if (kind === 'create' || after) names.add(after ?? name)
    }
  }
  return names
}
