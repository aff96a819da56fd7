// The folders of `server/src`, and what each may use: the one table that the checks read and `docs/architecture.md` draws.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')
export const source = join(root, 'server/src')

/** From the top: a wing may use those after it. */
const wings = ['start', 'operator', 'identity', 'delivery', 'ground']

/** Wing → slice → slices of the wing that it may use: import their index, and read their tables. Each is an arrow of the drawing. */
const arrows = {
  ground: {
    runtime: [],
    database: [],
    http: [],
    outbound: [],
    keys: [],
    positions: ['http'],
    limits: ['http'],
  },
  delivery: {
    events: [],
    webhooks: ['events'],
    queue: ['events', 'webhooks'],
    feed: ['events', 'webhooks'],
    hooks: ['webhooks', 'queue'],
    log: ['webhooks', 'queue'],
    statistics: ['events', 'queue'],
  },
  identity: {
    organizations: [],
    persons: [],
    'audit-log': ['persons'],
    console: [],
    credentials: [],
    applications: [],
    providers: ['credentials'],
    issuer: ['persons', 'applications'],
    'sign-in': ['persons', 'credentials', 'applications', 'providers', 'issuer'],
    'page-events': ['persons', 'issuer'],
  },
  operator: {
    installation: [],
    telemetry: ['installation'],
    backup: ['installation'],
    move: ['installation'],
  },
  start: { commands: [] },
}

/** What every slice of the wing may use, without an arrow. */
const floors = {
  ground: ['.', 'runtime', 'database'],
  delivery: [],
  identity: ['organizations'],
  operator: [],
  start: ['.'],
}

/** Every row of an organization refers to this table, so every slice may read it. */
export const rootTable = 'organizations'

/** `ground/http/chain/accept.ts` is of the wing `ground` and the slice `http`, which is `.` for a file of the wing's own folder. */
export function placeOf(file) {
  const [wing, slice, ...rest] = file.split('/')
  if (slice === undefined) return { wing: '.', slice: '.' }
  return { wing, slice: rest.length > 0 ? slice : '.' }
}

export const nameOf = ({ wing, slice }) => (slice === '.' ? wing : `${wing}/${slice}`)

/** `undefined`: it may. Else why not. */
export function refusalOf(from, to) {
  if (from.wing === '.') return undefined
  if (from.wing !== to.wing)
    return wings.indexOf(to.wing) > wings.indexOf(from.wing) ? undefined : `${from.wing} stands below ${to.wing}`
  if (from.slice === to.slice || floors[from.wing].includes(to.slice)) return undefined
  // The files of a wing's own folder put its slices together.
  if (from.slice === '.' && from.wing !== 'ground') return undefined
  return arrows[from.wing][from.slice]?.includes(to.slice) ? undefined : `${from.slice} has no arrow to ${to.slice}`
}

/** All arrows within a wing, as `from to`. */
export const arrowsWithin = (wing) =>
  Object.entries(arrows[wing]).flatMap(([from, targets]) => targets.map((to) => `${from} ${to}`))

export const wingsFromTop = wings
export const slicesOf = (wing) => Object.keys(arrows[wing])

/** The source without tests, as file → text. */
export const readSources = () =>
  new Map(
    globSync('**/*.ts', { cwd: source })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => [file, readFileSync(join(source, file), 'utf8')]),
  )

export function report(what, problems) {
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? `${what}: as the table says` : `${what}: ${problems.length} problems`)
  process.exit(problems.length === 0 ? 0 : 1)
}
