// `npm run demo -- regions`: a request that waits for all regions, on real parts: a PostgreSQL with two hot standbys, one of
// which is paused, and Signet on it, each a process of its own on a temporary folder. Nothing is left behind, even after Ctrl-C.
import { join } from 'node:path'
import { type Replication, type Server, startReplication } from '../server/tests/support/standbys.ts'
import { play, show, start, step } from './demo-stage.ts'
import { freePort } from './free-port.ts'
import { cleanup, root } from './program.ts'

type Answer = { status: number; text: string }
/** Creates a group, and waits for all regions for at most `seconds`. */
type CreateGroup = (name: string, seconds: number) => Promise<Answer>
type Servers = Record<string, Server>

await play(
  tellStory,
  'Everything is stopped and removed. With servers of your own: docs/operating.md, "Several regions"',
)

async function tellStory(folder: string) {
  step('Start a PostgreSQL, and two hot standbys of it. They stand in for the regions eu and us.')
  const replication = await startServers(folder)
  const [eu, us] = await Promise.all([replication.addStandby('eu'), replication.addStandby('us')])
  const servers = { local: replication.primary, eu, us }
  await showStandbys(servers.local)

  step('Start Signet on the primary, with SIGNET_REGIONS=local,eu,us.')
  const createGroup = await startSignet(replication)

  step('Create a group with Service-Required-Consistency: all_regions. The answer confirms that each region has it.')
  expectStatus(201, await createGroup('everywhere', 30))
  await showWhoHas('everywhere', servers)

  step('Pause eu, and create another group, with two seconds to reach all regions.')
  await eu.pause()
  expectStatus(408, await createGroup('late', 2))
  show('', 'The change is made nevertheless. Only eu does not have it yet:')
  await showWhoHas('late', servers)

  step('Create the same group again, which changes nothing, with thirty seconds. Meanwhile eu resumes.')
  const answered = createGroup('late', 30)
  await eu.resume()
  expectStatus(201, await answered)
  await showWhoHas('late', servers)
}

/** The servers are stopped even when the demo is interrupted during their start. */
async function startServers(folder: string): Promise<Replication> {
  // Their data need not survive a power failure.
  const starting = startReplication(folder, { fsync: 'off', full_page_writes: 'off' })
  cleanup.defer(() => starting.then(({ stop }) => stop()))
  return starting
}

async function showStandbys(primary: Server) {
  const rows = await primary.query(
    'select application_name, state, replay_lsn from pg_stat_replication order by application_name',
  )
  for (const { application_name, state, replay_lsn } of rows)
    show(`${application_name}: ${state}, has replayed the log up to ${replay_lsn}`)
}

async function startSignet({ host }: Replication): Promise<CreateGroup> {
  const port = await freePort()
  const settings = {
    PORT: `${port}`,
    DATABASE_URL: `postgresql:///signet?host=${encodeURIComponent(host)}&port=5432&user=signet`,
    SIGNET_BASE_URL: `http://localhost:${port}`,
    SIGNET_MASTER_KEY: Buffer.alloc(32, 'demo').toString('base64'),
    SIGNET_REGIONS: 'local,eu,us',
  }
  const init = start('server/src/signet.ts', settings, [join(root, 'server/src/signet.ts'), 'init'])
  const [, id = '', key = ''] = await init.until(/^Organization ID: (.*)\nAPI key: (.*)$/m)
  const signet = start('server/src/main.ts', settings)
  await signet.until(/^Ready/m)
  show(`Base URL: ${settings.SIGNET_BASE_URL}`)
  return (name, seconds) => createGroup(settings.SIGNET_BASE_URL, { id, key }, name, seconds)
}

async function createGroup(
  baseUrl: string,
  { id, key }: { id: string; key: string },
  name: string,
  seconds: number,
): Promise<Answer> {
  const consistency = {
    'Service-Required-Consistency': 'all_regions',
    'Service-Required-Consistency-Timeout': `${seconds}`,
  }
  show(
    `POST /groups ${JSON.stringify({ name })}`,
    ...Object.entries(consistency).map(([header, value]) => `  ${header}: ${value}`),
  )
  const began = performance.now()
  const answer = await fetch(`${baseUrl}/groups`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'Service-OrgID': id, 'Service-API-Key': key, ...consistency },
    body: JSON.stringify({ name }),
  })
  const text = await answer.text()
  show(`${answer.status} after ${Math.round(performance.now() - began)} ms ${text}`)
  return { status: answer.status, text }
}

function expectStatus(status: number, answer: Answer) {
  if (answer.status !== status) throw new Error(`the answer was ${answer.status} instead of ${status}: ${answer.text}`)
}

async function showWhoHas(name: string, servers: Servers) {
  for (const [region, server] of Object.entries(servers)) {
    const found = await server.query('select from groups where name = $1', name)
    show(`${region}: ${found.length > 0 ? 'has the group' : 'does not have the group'}`)
  }
}
