// `npm run bench:workers`: how much more two worker processes on one PostgreSQL deliver than one.
import { availableParallelism, cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Published } from './publisher.ts'
import { times } from './support/client.ts'
import type { Credentials } from './support/exchange.ts'
import { figureOf, show, table, whole } from './support/figures.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { openServer } from './support/postgres.ts'
import { cpuOf } from './support/processes.ts'
import { startProgram } from './support/program.ts'
import { orQuick } from './support/quick.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(4, 1)
const deliveries = orQuick(20_000, 2_000)
const webhooks = 100
const perCall = 20
const callers = 4
const pauseMs = 500
const target = 1.6
const coresForTarget = 4

const method = `${whole(deliveries)} events to ${webhooks} webhooks, ${perCall} a call, published by a process of Signet that does not deliver; from the
first call until the last distinct event has arrived. ${rounds} rounds by turns after a warm-up; medians (least–most); "of one" is
taken round by round. Cores: CPU in use at once, on average, of ${availableParallelism()} that are there; "machine" is all that runs on it.`

/** Deliveries a second, and the cores that each has kept busy. */
type Measured = { rate: number; cores: Record<string, number> }
type Bench = { used: () => Record<string, number>; receiver: Receiver; publish: () => Promise<Published> }

async function measure({ used, receiver, publish }: Bench): Promise<Measured> {
  await sleep(pauseMs)
  await receiver.forget()
  const before = used()
  const [{ beganAt }, lastAt] = await Promise.all([publish(), receiver.until(deliveries)])
  const seconds = (lastAt - beganAt) / 1_000
  const cores = Object.entries(used()).map(([name, after]) => [name, (after - (before[name] ?? 0)) / seconds])
  return { rate: deliveries / seconds, cores: Object.fromEntries(cores) }
}

function tableOf(one: Measured[], two: Measured[]): string {
  const parts = Object.keys(one[0]?.cores ?? {})
  const coresOf = (its: Measured[], name: string) =>
    figureOf(its.map(({ cores }) => cores[name] ?? 0)).median.toFixed(2)
  const row = (title: string, its: Measured[]) => [
    title,
    show(figureOf(its.map(({ rate }) => rate))),
    show(figureOf(ratiosOf(its, one)), (value) => value.toFixed(2)),
    ...parts.map((name) => coresOf(its, name)),
  ]
  const head = ['', 'deliveries/s', 'of one', ...parts.map((name) => `cores: ${name}`)]
  return table([head, row('one worker', one), row('two workers', two)])
}

/** Seconds of CPU that everything on this machine has used. */
const cpuOfMachine = () =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000
const ratiosOf = (some: Measured[], one: Measured[]) =>
  some.map(({ rate }, round) => rate / (one[round]?.rate ?? Number.NaN))

function judge(one: Measured[], two: Measured[]): string {
  const ratio = figureOf(ratiosOf(two, one)).median
  const text = `Two workers deliver ${ratio.toFixed(2)} times what one delivers`
  const cores = availableParallelism()
  if (cores >= coresForTarget)
    return `${text}; the target is ${target} times or more: ${ratio >= target ? 'met' : 'NOT met'}.`
  const busyWith = (its: Measured[]) => figureOf(its.map((each) => each.cores.machine ?? 0)).median.toFixed(2)
  return `${text}. The target of ${target} times is for ${coresForTarget} cores or more; here ${busyWith(one)} of ${cores} were busy with one worker, and ${busyWith(two)} with two.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  console.log('Starting Signet, and making webhooks')
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const publisher = await startProgram('publisher.ts', {}, cleanup)
  const settings = { ...settingsOn((await postgres.create('workers')).url), ...receivers.settings() }
  const start = (role: string) => startSignet(folder, cleanup, { ...settings, SIGNET_ROLES: role })
  const api = await start('api')
  const organizations = await times(webhooks, async (n): Promise<Credentials> => {
    const organization = await makeOrganization(api)
    await addWebhook(api, organization, receiver.url(`/${n}`), benchEvent)
    return organization
  })
  const json = JSON.stringify(Array.from({ length: perCall }, () => ({ event_name: benchEvent })))
  const order = { port: api.port, what: 'POST /test-events', json, organizations, calls: deliveries / perCall, callers }
  const publish = () => publisher.ask<Published>(order)
  const worker = await start('worker')
  const benchWith = (workers: Signet[]): Bench => ({
    receiver,
    publish,
    used: () => ({
      workers: workers.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
      api: cpuOf(api.pid),
      PostgreSQL: postgres.cpu(),
      receiver: cpuOf(receiver.pid),
      publisher: cpuOf(publisher.pid),
      machine: cpuOfMachine(),
    }),
  })
  const one: Measured[] = []
  const two: Measured[] = []
  for (let round = 0; round <= rounds; round++) {
    console.log(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`)
    const alone = await measure(benchWith([worker]))
    const second = await start('worker')
    const both = benchWith([worker, second])
    // The second one is new in each round, and as cold as the first once was.
    await measure(both)
    const together = await measure(both)
    await second.stop()
    console.log(`  one worker: ${whole(alone.rate)} deliveries/s, two: ${whole(together.rate)}`)
    if (round === 0) continue
    one.push(alone)
    two.push(together)
  }
  report('workers', `${machine}, ${postgres.description}`, method, tableOf(one, two), judge(one, two))
})
