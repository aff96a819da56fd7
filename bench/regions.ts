// `npm run bench:regions`: what it costs a caller to wait for all regions, which are two hot standbys on this machine;
// beside the same request for the local region, and beside leaving the waiting to PostgreSQL's own synchronous replication.
import { startReplication } from '../server/tests/support/standbys.ts'
import { versionOf } from './support/database.ts'
import { type Credentials, openExchange, textOfRequest } from './support/exchange.ts'
import { figureOf, milliseconds, quantile, show, table, whole } from './support/figures.ts'
import { makeOrganization } from './support/organizations.ts'
import { orQuick } from './support/quick.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(3, 1)
const requestsAlone = orQuick(300, 20)
const manyCallers = 20
const requestsOfMany = orQuick(600, 100)
const aimMs = 4

const method = `Creating groups over HTTP. ${rounds} rounds by turns after a warm-up, each of ${requestsAlone} requests of one caller and ${whole(requestsOfMany)} of ${manyCallers}; medians of the
rounds (least–most). The regions are two hot standbys on the same machine, over Unix sockets, all with \`fsync\`. The third
way is what Signet does not do: \`synchronous_standby_names\` with \`synchronous_commit = remote_apply\` for every commit,
asked for nothing but \`local_region\`.`

/** One way to make a change: who is asked, and for what. */
type Way = { name: string; port: number; level: string; standbyNames: string }
type Measured = { alone: number; tailAlone: number; many: number; tailOfMany: number; rate: number }

async function measure({ port, level }: Way, credentials: Credentials, series: string): Promise<Measured> {
  const request = (n: string) =>
    textOfRequest(port, 'POST /groups', credentials, JSON.stringify({ name: `${series}-${n}` })).replace(
      '\r\n',
      `\r\nservice-required-consistency: ${level}\r\n`,
    )
  const alone = await timesOf(port, 1, requestsAlone, (n) => request(`alone-${n}`))
  const began = performance.now()
  const many = await timesOf(port, manyCallers, requestsOfMany, (n) => request(`many-${n}`))
  return {
    alone: quantile(alone, 0.5),
    tailAlone: quantile(alone, 0.99),
    many: quantile(many, 0.5),
    tailOfMany: quantile(many, 0.99),
    rate: requestsOfMany / ((performance.now() - began) / 1_000),
  }
}

/** Milliseconds of each request. */
async function timesOf(port: number, callers: number, requests: number, request: (n: number) => string) {
  const times: number[] = []
  let next = 0
  const call = async () => {
    const exchange = await openExchange(port)
    while (next < requests) {
      const text = request(next++)
      const began = performance.now()
      await exchange.send(text)
      times.push(performance.now() - began)
    }
    exchange.close()
  }
  await Promise.all(Array.from({ length: callers }, call))
  return times
}

function tableOf(ways: Way[], measured: Measured[][]): string {
  const head = [
    '',
    'one caller: median',
    '99th percentile',
    `${manyCallers} callers: median`,
    '99th percentile',
    'requests/s',
  ]
  const rows = ways.map(({ name }, index) => {
    const its = measured[index] ?? []
    const figure = (part: keyof Measured) => figureOf(its.map((one) => one[part]))
    const times = (['alone', 'tailAlone', 'many', 'tailOfMany'] as const).map((part) =>
      show(figure(part), milliseconds),
    )
    return [name, ...times, show(figure('rate'))]
  })
  return table([head, ...rows])
}

function judge([local = [], everywhere = []]: Measured[][]): string {
  const added = figureOf(everywhere.map(({ alone }, round) => alone - (local[round]?.alone ?? Number.NaN)))
  const isMet = added.median <= aimMs
  return `One caller waits ${show(added, milliseconds)} longer for all regions, taken round by round; the target is at most ${milliseconds(aimMs)}: ${isMet ? 'met' : 'NOT met'}.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  console.log('Starting a primary, two standbys, and Signet twice')
  const starting = startReplication(makeFolder(cleanup))
  cleanup.defer(async () => (await starting).stop())
  const { primary, host, addStandby } = await starting
  for (const region of ['eu', 'us']) await addStandby(region)

  const signetWith = async (synchronousCommit: string) => {
    const options = encodeURIComponent(`-c synchronous_commit=${synchronousCommit}`)
    const url = `postgresql:///signet?host=${encodeURIComponent(host)}&port=5432&user=signet&options=${options}`
    const settings = { ...settingsOn(url), SIGNET_REGIONS: 'local,eu,us' }
    return startSignet(makeFolder(cleanup), cleanup, settings)
  }
  const ours = await signetWith('on')
  const synchronous = await signetWith('remote_apply')
  const credentials = await makeOrganization(ours)
  const ways: Way[] = [
    { name: 'local_region', port: ours.port, level: 'local_region', standbyNames: '' },
    { name: 'all_regions', port: ours.port, level: 'all_regions', standbyNames: '' },
    { name: 'synchronous replication', port: synchronous.port, level: 'local_region', standbyNames: '2 (eu, us)' },
  ]
  const measured = ways.map((): Measured[] => [])
  for (let round = 0; round <= rounds; round++) {
    console.log(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`)
    for (const [index, way] of ways.entries()) {
      await setStandbyNames(primary.query, way.standbyNames)
      const one = await measure(way, credentials, `${index}-${round}`)
      console.log(
        `  ${way.name}: one caller ${milliseconds(one.alone)}, ${manyCallers} callers ${milliseconds(one.many)}`,
      )
      if (round > 0) measured[index]?.push(one)
    }
  }
  const version = await versionOf(primary.connection)
  report('regions', `${machine}, PostgreSQL ${version}`, method, tableOf(ways, measured), judge(measured))
})

/** Known to every connection that waits for the next statement by then. */
async function setStandbyNames(query: (text: string) => Promise<unknown>, names: string) {
  await query(`alter system set synchronous_standby_names = '${names}'`)
  await query('select pg_reload_conf()')
  await query('select pg_sleep(0.3)')
}
