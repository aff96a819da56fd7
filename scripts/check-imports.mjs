// The import rules between folders, in one table. `docs/architecture.md` draws the same table; this check fails when
// code crosses a line that the table does not have, when a slice is entered other than through its index, when the
// table allows what nobody uses, when the drawing differs from the table, and when files import each other in a circle,
// even if only types.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
const source = join(root, 'server/src')

/** Folder → folders it may import. `.` is the files of server/src itself. */
const allowed = {
  database: [],
  http: ['database'],
  outbound: [],
  keys: ['database'],
  organizations: ['database', 'http'],
  places: ['database', 'http'],
  'failed-attempts': ['database', 'http'],
  allowances: ['database', 'http'],
  events: ['database', 'http', 'places', 'allowances'],
  feed: ['database', 'http', 'places', 'events'],
  listen: ['http', 'feed', 'attempts', 'keys'],
  groups: ['database', 'http', 'organizations'],
  persons: ['database', 'http', 'organizations', 'groups', 'events'],
  webhooks: ['database', 'http', 'organizations', 'keys', 'events'],
  attempts: ['http', 'keys', 'outbound'],
  hooks: ['database', 'http', 'webhooks', 'keys', 'outbound', 'attempts', 'delivery', 'issuer', 'allowances'],
  delivery: ['database', 'events', 'webhooks', 'keys', 'outbound', 'attempts'],
  credentials: ['database', 'http', 'keys'],
  'credential-links': ['database', 'http', 'organizations', 'keys', 'credentials', 'failed-attempts'],
  applications: ['database', 'http'],
  providers: ['credentials', 'outbound'],
  processes: ['database', 'http'],
  regions: ['database', 'http'],
  'audit-log': ['database', 'http', 'keys', 'persons', 'places'],
  'delivery-log': ['database', 'http', 'webhooks', 'attempts', 'delivery'],
  statistics: ['database', 'http', 'delivery', 'places'],
  installation: ['database', 'keys'],
  backup: ['database', 'copy', 'installation'],
  copy: ['database', 'delivery', 'places', 'processes'],
  move: ['database', 'http', 'organizations', 'places', 'delivery', 'installation', 'keys'],
  telemetry: ['database', 'delivery', 'regions'],
  pages: [],
  issuer: ['database', 'http', 'keys', 'applications', 'pages'],
  'sign-in': [
    'database',
    'http',
    'organizations',
    'persons',
    'events',
    'hooks',
    'credentials',
    'applications',
    'providers',
    'issuer',
    'pages',
    'allowances',
  ],
  console: ['database', 'http', 'keys', 'organizations', 'failed-attempts', 'pages'],
  'page-events': ['database', 'http', 'organizations', 'persons', 'events', 'issuer'],
}
/** Any folder may import these. */
const open = ['runtime', 'errors.ts']
/** These may import any folder, and none imports them: they put everything together. */
const together = ['.', 'start']
/** Folders without an index: their files are the interface. */
const withoutIndex = ['.', 'database', 'http', 'start']
/** Any folder may import types from these, but no code. */
const typesOnly = ['config.ts']

const problems = []
const used = new Set()
/** File → files it imports. */
const graph = new Map()
const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))

for (const file of files) {
  const from = folderOf(file)
  const text = readFileSync(join(source, file), 'utf8')
  graph.set(file, [])
  for (const [statement, target] of importsOf(text)) {
    const to = relative(source, join(source, dirname(file), target))
    graph.get(file).push(to)
    if (!target.endsWith('.ts')) problems.push(`${file}: import of ${target} must end in .ts`)
    judge(file, from, to, statement)
  }
}

for (const [from, targets] of Object.entries(allowed))
  for (const to of targets) if (!used.has(`${from} ${to}`)) problems.push(`${from} may import ${to}, and nothing does`)

refuseCircles()
compareWithDrawing()
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0 ? `imports: ${files.length} files keep the rules` : `imports: ${problems.length} problems`,
)
process.exit(problems.length === 0 ? 0 : 1)

function judge(file, from, to, statement) {
  const folder = folderOf(to)
  if (folder === from || open.includes(folder) || open.includes(to)) return
  if (folder === '.' && typesOnly.includes(to) && statement.startsWith('import type')) return
  used.add(`${from} ${folder}`)
  if (!together.includes(from) && !allowed[from]?.includes(folder))
    problems.push(`${file}: ${from} must not import ${to}`)
  else if (!withoutIndex.includes(folder) && !/^[^/]+\/index\.ts$/.test(to))
    problems.push(`${file}: ${to} must be imported through ${folder}/index.ts`)
}

function folderOf(file) {
  return file.includes('/') ? file.split('/')[0] : '.'
}

function importsOf(text) {
  const found = text.matchAll(
    /^(?:import|export)\b[^'"]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'|^import\s+'(\.[^']+)'/gms,
  )
  return [...found].map((match) => [match[0], match[1] ?? match[2] ?? match[3]])
}

function refuseCircles() {
  for (const circle of findCircles()) problems.push(`a circle of imports: ${circle.join(', ')}`)
}

/** The files of each circle: those that reach each other. */
function findCircles() {
  const reached = new Map([...graph.keys()].map((file) => [file, reachedFrom(file)]))
  const circleOf = (file) => [...reached.get(file)].filter((other) => reached.get(other)?.has(file)).sort()
  const circles = [...graph.keys()].map(circleOf).filter((circle) => circle.length > 0)
  return [...new Map(circles.map((circle) => [circle[0], circle])).values()]
}

function reachedFrom(file) {
  const reached = new Set(graph.get(file))
  for (const next of reached) for (const further of graph.get(next) ?? []) reached.add(further)
  return reached
}

/** The first Mermaid drawing of docs/architecture.md has one arrow for each entry of the table, and no other. */
function compareWithDrawing() {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const drawing = /```mermaid\n(.*?)```/s.exec(text)?.[1] ?? ''
  const drawn = new Set([...drawing.matchAll(/^\s*([\w-]+) --> ([\w-]+)$/gm)].map(([, from, to]) => `${from} ${to}`))
  const wanted = Object.entries(allowed).flatMap(([from, targets]) => targets.map((to) => `${from} ${to}`))
  for (const arrow of wanted) if (!drawn.has(arrow)) problems.push(`docs/architecture.md lacks the arrow ${arrow}`)
  for (const arrow of drawn)
    if (!wanted.includes(arrow)) problems.push(`docs/architecture.md has an arrow too many: ${arrow}`)
}
