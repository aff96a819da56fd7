// The folders of the repository, and what each may use: the one table that the checks read. `docs/architecture.md` draws the server's.
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
    idempotency: ['http', 'keys'],
    help: ['http'],
  },
  delivery: {
    events: [],
    webhooks: ['events'],
    logouts: [],
    queue: ['events', 'webhooks', 'logouts'],
    feed: ['events', 'webhooks'],
    hooks: ['webhooks', 'queue'],
    log: ['events', 'webhooks', 'queue', 'logouts'],
    statistics: ['events', 'webhooks', 'queue'],
  },
  identity: {
    organizations: [],
    persons: [],
    'audit-log': ['persons'],
    console: ['persons', 'credentials', 'issuer'],
    credentials: [],
    applications: [],
    resources: [],
    providers: ['credentials'],
    directories: ['persons', 'credentials'],
    scim: ['persons', 'directories'],
    issuer: ['persons', 'applications', 'resources', 'directories'],
    invitations: ['persons', 'credentials', 'issuer'],
    'sign-in': ['persons', 'credentials', 'directories', 'applications', 'providers', 'issuer', 'invitations'],
    'page-events': ['persons', 'issuer'],
    search: ['persons', 'credentials', 'applications', 'resources', 'directories'],
    notices: ['persons', 'credentials', 'applications', 'directories', 'audit-log'],
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

/** Beside the server: a folder may use those of later layers, `*` are those of `arrows`, and those of its own arrows. */
const houses = {
  'console/src': {
    layers: ['app', '*', 'calls', 'session', 'service', 'design', 'router', 'network', 'state'],
    arrows: {
      administrators: ['persons', 'settings'],
      attempts: ['outcomes'],
      'audit-log': [],
      deliveries: ['attempts', 'events', 'jwt', 'keys', 'outcomes', 'webhooks'],
      directories: ['link', 'persons', 'providers', 'sign-in'],
      entrance: ['providers'],
      events: ['attempts', 'outcomes', 'webhooks'],
      groups: ['persons', 'sign-in'],
      home: ['administrators', 'attempts', 'events', 'outcomes', 'providers', 'webhooks'],
      jwt: ['keys'],
      keys: [],
      invitation: ['link', 'providers'],
      link: ['providers'],
      organizations: ['settings'],
      outcomes: [],
      persons: ['audit-log', 'events', 'providers', 'sign-in'],
      providers: [],
      settings: [],
      'sign-in': ['attempts', 'outcomes', 'providers'],
      webhooks: ['attempts', 'audit-log', 'jwt', 'outcomes'],
    },
  },
  'cli/src': {
    layers: ['*'],
    arrows: { 'as-code': [], doctor: [], events: [], listen: [], verify: [] },
  },
}

/** What is imported by path from another part of the repository. Packages are imported by name, as their package.json says. */
const doors = {
  bench: [
    'console/tests/support',
    'scripts',
    'server/src/delivery/events',
    'server/src/ground/database',
    'server/src/ground/keys',
    'server/src/ground/outbound',
    'server/src/ground/runtime',
    'server/src/identity/audit-log',
    'server/src/identity/organizations',
    'server/src/identity/persons',
    'server/tests/support',
  ],
  'cli/src': [],
  'cli/tests': ['cli/src', 'sdk/management/tests', 'server/tests/support'],
  'console/src': ['examples'],
  'console/tests': [
    'console/src/design',
    'scripts',
    'server/src/ground/database',
    'server/src/ground/keys',
    'server/src/ground/runtime',
    'server/tests/support',
  ],
  examples: [],
  proto: [],
  'help/src': [],
  'help/tests': ['help/src'],
  release: ['scripts', 'server/src/ground/database', 'server/src/ground/runtime', 'tests'],
  scripts: [
    'help/src',
    'server/src/delivery/events',
    'server/src/ground',
    'server/src/operator/telemetry',
    'server/src/start',
    'server/tests/support',
  ],
  'sdk/browser': [],
  'sdk/generators': ['server/tests/support'],
  'sdk/management/src': [],
  'sdk/management/tests': ['scripts', 'sdk/management/src', 'server/tests/support'],
  'sdk/webhooks/conformance': [],
  'sdk/webhooks/src': [],
  'sdk/webhooks/tests': ['sdk/webhooks/conformance', 'sdk/webhooks/src', 'server/src/delivery/hooks'],
  'server/src': [],
  'server/tests': ['help/src', 'release', 'scripts', 'server/src', 'tests'],
  tests: ['server/src/ground/database', 'server/tests/upgrade'],
}
/** A test beside what it tests may import what only tests need. */
const doorsOfTests = {
  'console/src': ['server/tests'],
  release: ['server/tests/documents'],
  'server/src': ['cli/src', 'scripts', 'server/tests/support'],
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

const isTest = (file) => /\.test\.tsx?$/.test(file)
const isBelow = (folder) => (file) => file.startsWith(`${folder}/`)
const folderOf = (file, base) =>
  file.slice(base.length + 1).includes('/') ? file.slice(base.length + 1).split('/')[0] : '.'

/** The same between two files of the repository, anywhere in it. */
export function refusalBetween(from, to) {
  const [part, other] = [partOf(from), partOf(to)]
  if (isTest(to)) return 'it is a test'
  if (part !== other) return doorBetween(from, to) ? undefined : `${part ?? from} has no door to it`
  return houses[part] && !isTest(from)
    ? refusalWithin(houses[part], folderOf(from, part), folderOf(to, part))
    : undefined
}

export const partOf = (file) => Object.keys(doors).find((part) => isBelow(part)(file))
const keysOf = (table) => Object.entries(table).flatMap(([part, targets]) => targets.map((to) => `${part} ${to}`))

/** As `part target`; undefined: there is none. */
export function doorBetween(from, to) {
  const part = partOf(from)
  // What configures the tools at the top of the repository.
  if (part === undefined) return from.includes('/') ? undefined : from
  const targets = [...doors[part], ...(isTest(from) ? (doorsOfTests[part] ?? []) : [])]
  const target = targets.find((each) => isBelow(each)(to))
  return target && `${part} ${target}`
}

function refusalWithin({ layers, arrows }, from, to) {
  // The files of its own folder put a house together, and hold what its folders share.
  if ([from, to].includes('.') || from === to) return undefined
  const [rank, other] = [from, to].map((folder) => layers.indexOf(folder in arrows ? '*' : folder))
  if (rank < 0 || other < 0) return `${rank < 0 ? from : to} is not in the table`
  if (rank !== other) return other > rank ? undefined : `${from} stands below ${to}`
  return arrows[from].includes(to) ? undefined : `${from} has no arrow to ${to}`
}

/** As `part from to` within a house, and `part target` between two parts. */
export const arrowsBesides = [
  ...keysOf(doors),
  ...keysOf(doorsOfTests),
  ...Object.entries(houses).flatMap(([house, { arrows }]) => keysOf(arrows).map((each) => `${house}: ${each}`)),
]
/** The arrow of these that an import uses. */
export function arrowBetween(from, to) {
  const part = partOf(from)
  if (part !== partOf(to)) return doorBetween(from, to)
  return houses[part] && `${part}: ${folderOf(from, part)} ${folderOf(to, part)}`
}

/** All that is written by hand, as file → text, from the top of the repository. */
export const readRepository = () =>
  new Map(
    globSync('{bench,cli,console,examples,help,proto,release,scripts,sdk,server,tests}/**/*.{ts,tsx,mjs}', {
      cwd: root,
      exclude: (name) => ['node_modules', 'dist', 'generated', 'gen'].includes(name),
    }).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  )

/** The source of the server without tests, as file → text. */
export const readSources = () =>
  new Map(
    globSync('**/*.ts', { cwd: source })
      .filter((file) => !isTest(file))
      .map((file) => [file, readFileSync(join(source, file), 'utf8')]),
  )

export function report(what, problems) {
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? `${what}: as the table says` : `${what}: ${problems.length} problems`)
  process.exit(problems.length === 0 ? 0 : 1)
}
