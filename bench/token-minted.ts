// `npm run bench:token-minted`: what a synchronous hook adds to a sign-in, beyond the time that its receiver takes by itself.
import { startOidcProviders } from '../server/tests/support/upstreams.ts'
import type { BrowserOrder, SignedIn } from './browsers.ts'
import { figureOf, milliseconds, quantile, show, table } from './support/figures.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { openServer } from './support/postgres.ts'
import { type Program, startProgram } from './support/program.ts'
import { orQuick } from './support/quick.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { addSignIn, type Place, signInSettings } from './support/sign-in.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(5, 1)
/** Of a round, by turns. Short: a receiver's connection is kept for four seconds. */
const blocks = orQuick(5, 2)
const signIns = orQuick(20, 10)
const warmUp = orQuick(300, 20)
const targetMs = 3

const method = `One sign-in after the other, in an organization without a hook and in one with a webhook on \`token_minted\`, ${signIns} by turns, ${blocks} times
a round; ${rounds} rounds after a warm-up; medians of the rounds (least–most). Each from the application's request until it has verified
the ID token. The receiver is an HTTPS server in a process of its own; its time is from the first byte of a request until its
answer was handed over, and does not count. The call, its signature and its row in the delivery log do.`

type Bench = { browsers: Program; receiver: Receiver; without: Place; with: Place }
/** Medians, in ms. */
type Measured = { without: number; with: number; receiver: number }

async function measure({ browsers, receiver, ...places }: Bench): Promise<Measured> {
  const took = { without: [] as number[], with: [] as number[] }
  await receiver.forget()
  for (let block = 0; block < blocks; block++)
    for (const which of ['without', 'with'] as const)
      took[which].push(...(await signIn(browsers, places[which], signIns)))
  const spent = await receiver.spent()
  if (spent.length !== blocks * signIns) throw new Error(`the hook was called ${spent.length} times`)
  const median = (values: number[]) => quantile(values, 0.5)
  return { without: median(took.without), with: median(took.with), receiver: median(spent) }
}

const signIn = async (browsers: Program, place: Place, count: number) =>
  (await browsers.ask<SignedIn>({ place, signIns: count, callers: 1 } satisfies BrowserOrder)).took

const addedMs = (one: Measured) => one.with - one.without - one.receiver

function tableOf(measured: Measured[]): string {
  const row = (name: string, of: (one: Measured) => number) => [name, show(figureOf(measured.map(of)), milliseconds)]
  return table([
    ['', 'median'],
    row('a sign-in without a hook', (one) => one.without),
    row('a sign-in with one', (one) => one.with),
    row('the receiver by itself', (one) => one.receiver),
    row('added beyond that', addedMs),
  ])
}

function judge(measured: Measured[]): string {
  const added = figureOf(measured.map(addedMs)).median
  return `Added at the median: ${milliseconds(added)}; the target is ${milliseconds(targetMs)} at most: ${added <= targetMs ? 'met' : 'NOT met'}.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const upstreams = await startOidcProviders('localhost')
  cleanup.defer(upstreams.stop)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const { url } = await postgres.create('signet_bench')
  const signet = await startSignet(folder, cleanup, {
    ...settingsOn(url),
    ...receivers.settings(),
    ...signInSettings(folder, upstreams.urls.google),
  })
  const [alone, hooked] = [await makeOrganization(signet), await makeOrganization(signet)]
  await addWebhook(signet, hooked, receiver.url('/hook'), 'token_minted', { type: 'sync_hook' })
  const bench: Bench = {
    browsers: await startProgram('browsers.ts', {}, cleanup),
    receiver,
    without: await addSignIn(signet, alone),
    with: await addSignIn(signet, hooked),
  }
  console.log('  warm-up')
  for (const place of [bench.without, bench.with]) await signIn(bench.browsers, place, warmUp)
  const measured: Measured[] = []
  for (let round = 1; round <= rounds; round++) {
    const one = await measure(bench)
    console.log(`  round ${round} of ${rounds}: ${milliseconds(addedMs(one))} added`)
    measured.push(one)
  }
  report('token-minted', `${machine}, ${postgres.description}`, method, tableOf(measured), judge(measured))
})
