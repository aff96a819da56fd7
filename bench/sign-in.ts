// `npm run bench -- sign-in`: what a complete sign-in costs the server, from an application's request until the application has
// verified its ID token, with everything kept on PostgreSQL; beside the two libraries alone, and other services.
import { startOidcProviders } from '../server/tests/support/upstreams.ts'
import type { BrowserOrder, SignedIn } from './programs/browsers.ts'
import { type Figure, figureOf, milliseconds, percent, show, table, verdict } from './support/figures.ts'
import { installPeers } from './support/install-peers.ts'
import { orQuick } from './support/options.ts'
import { makeOrganization } from './support/organizations.ts'
import { openServer, type Postgres } from './support/postgres.ts'
import { cpuOf } from './support/processes.ts'
import { type Program, startProgram } from './support/program.ts'
import { describeMachine, report } from './support/report.ts'
import { addSignIn, atOnce, type Place, persons, settingsFor, signInSettings } from './support/sign-in.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(5, 1)
const signIns = orQuick(600, 50)
const warmUp = orQuick(4_000, 50)
const target = 0.65

const method = `${atOnce} sign-ins at once of ${persons} persons who come again, each in a browser that has no cookie; code flow with PKCE over
loopback, RS256 everywhere. ${rounds} rounds of ${signIns} sign-ins, by turns, after ${warmUp}; medians (least–most); one that fails fails the
benchmark. CPU is in ms a sign-in, user and system: of the server's process, and of PostgreSQL. The application
(openid-client, told to verify signatures too) and its browsers are a process, and so is the provider (oidc-provider). The
libraries alone: oidc-provider and openid-client, everything in memory. better-auth 1.7.7 with \`@better-auth/oauth-provider\`
1.7.5, generic OAuth and JWT, rate limit and telemetry off, no consent asked; Polis (\`@boxyhq/saml-jackson\`) 26.2.0, given the
provider's metadata; it believes the provider's ID token without its signature, as TLS allows, and asks for user info as well.
Signet alone publishes an event for each sign-in.`

type Side = { name: string; pid: number; place: Place }
/** Milliseconds of CPU a sign-in, and sign-ins a second of the clock. */
type Measured = { server: number; postgres: number; rate: number }
type Bench = { sides: Side[]; browsers: Program; postgres: Postgres }

async function measure({ browsers, postgres }: Bench, { pid, place }: Side, count: number): Promise<Measured> {
  const used = () => [cpuOf(pid), postgres.cpu()]
  const before = used()
  const { seconds } = await browsers.ask<SignedIn>({ place, signIns: count } satisfies BrowserOrder)
  const [server = 0, database = 0] = used().map((after, index) => ((after - (before[index] ?? 0)) / count) * 1e3)
  return { server, postgres: database, rate: count / seconds }
}

async function measureAll(bench: Bench): Promise<Measured[][]> {
  const measured = bench.sides.map((): Measured[] => [])
  for (let round = 0; round <= rounds; round++) {
    console.log(round === 0 ? '  warm-up' : `  round ${round} of ${rounds}`)
    for (const [index, side] of bench.sides.entries()) {
      const one = await measure(bench, side, round === 0 ? warmUp : signIns)
      console.log(`    ${side.name}: ${one.server.toFixed(2)} ms`)
      if (round > 0) measured[index]?.push(one)
    }
  }
  return measured
}

/** How much less than this side the other one takes, round by round. */
const ratio = (one: Measured[], other: Measured[]): Figure =>
  figureOf(one.map(({ server }, round) => (other[round]?.server ?? Number.NaN) / server))

function tableOf(sides: Side[], measured: Measured[][]): string {
  const [bare = []] = measured
  const rows = sides.map(({ name }, index) => {
    const its = measured[index] ?? []
    const figure = (part: keyof Measured) => figureOf(its.map((one) => one[part]))
    const perSecond = figureOf(its.map(({ server }) => 1_000 / server))
    return [
      name,
      show(figure('server'), milliseconds),
      show(perSecond),
      show(ratio(its, bare), percent),
      show(figure('postgres'), milliseconds),
      show(figure('rate')),
    ]
  })
  const head = ['', 'CPU: server', 'sign-ins a CPU second', 'of bare', 'CPU: PostgreSQL', 'sign-ins/s']
  return table([head, ...rows])
}

function judge(sides: Side[], [bare = [], signet = [], ...peers]: Measured[][]): string {
  const reached = ratio(signet, bare).median
  const beside = peers.map((peer, index) => {
    const times = ratio(signet, peer).median
    return `It signs in ${times.toFixed(2)} times as many as ${sides[index + 2]?.name}; the target is more than once: ${verdict(times > 1)}.`
  })
  return [
    `By CPU of the server, Signet reaches ${percent(reached)} of the libraries alone; the target is ${percent(target)} or more: ${verdict(reached >= target)}.`,
    ...beside,
  ].join('\n')
}

await withCleanup(async (cleanup) => {
  installPeers()
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const upstreams = await startOidcProviders('localhost')
  cleanup.defer(upstreams.stop)
  const upstream = upstreams.urls.google
  const { url } = await postgres.create('signet_bench')
  const signet = await startSignet(folder, cleanup, { ...settingsOn(url), ...signInSettings(folder, upstream) })
  const startSide = async (name: string, file: string): Promise<Side> => {
    const { url: connectionString } = await postgres.create(file.replace(/\W/g, '_'))
    const program = await startProgram(file, settingsFor(upstream, connectionString), cleanup)
    return { name, pid: program.pid, place: await program.ask<Place>('place') }
  }
  const bench: Bench = {
    sides: [
      await startSide('libraries alone', 'programs/bare-sign-in.ts'),
      { name: 'Signet', pid: signet.pid, place: await addSignIn(signet, await makeOrganization(signet)) },
      await startSide('better-auth', 'peers/better-auth.ts'),
      await startSide('Polis', 'peers/polis.ts'),
    ],
    browsers: await startProgram('programs/browsers.ts', {}, cleanup),
    postgres,
  }
  const measured = await measureAll(bench)
  report(
    'sign-in',
    `${machine}, ${postgres.description}`,
    method,
    tableOf(bench.sides, measured),
    judge(bench.sides, measured),
  )
})
