// `npm run bench -- directories`: what a directory costs: users created by SCIM, beside persons created by the management interface; a
// large group; how soon an application hears of somebody who was switched off; and what another organization feels of a first push.
import { openDirectory } from './support/directory.ts'
import { measureGroup } from './support/directory-group.ts'
import { measureSwitchingOff } from './support/directory-logouts.ts'
import { measureNeighbour } from './support/directory-neighbour.ts'
import { callers, measureUsers, rounds, users } from './support/directory-users.ts'
import { whole } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { addApplication, makeOrganization } from './support/organizations.ts'
import { openServer } from './support/postgres.ts'
import { forgetPeak, peakOf } from './support/processes.ts'
import { startProgram } from './support/program.ts'
import { openReceivers } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'
import { openInstruments } from './support/write-ahead-log.ts'

const members = orQuick(50_000, 400)
const switchedOff = orQuick(1_500, 60)

const method = `${whole(users)} users by \`POST /Users\`, and as many persons by \`POST /persons\`, each with one address that is vouched for: ${callers} callers, ${rounds} rounds by
turns after a warm-up; medians (least–most), "of the interface" round by round, CPU in µs a request. Times of a group are of the client's whole request, one after the other, and of all
statements of the database meanwhile, by \`pg_stat_statements\`. The number of requests of a directory is without limit, which it is not as Signet comes.`

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const logoutUri = receiver.url('/logout')
  const measured = await postgres.create('directories')
  const withoutLimit = { SIGNET_RATE_SCIM: '999999/999999' }
  const start = (url: string) =>
    startSignet(folder, cleanup, { ...settingsOn(url), ...receivers.settings(), ...withoutLimit })
  const [signet, other] = [await start(measured.url), await start((await postgres.create('elsewhere')).url)]
  const load = await startProgram('programs/requests.ts', {}, cleanup)
  const asking = await startProgram('programs/publisher.ts', {}, cleanup)
  const organization = await makeOrganization(signet)
  const directory = await openDirectory(signet, organization)
  const clientId = await addApplication(signet, organization, logoutUri)
  forgetPeak(signet.pid)

  const { ids, paragraphs } = await measureUsers({ signet, organization, directory, load, postgresCpu: postgres.cpu })
  const instruments = await openInstruments(postgres, measured)
  paragraphs.push(...(await measureGroup(directory, instruments, ids.slice(0, members))))
  const leaving = { directory, organization, databaseUrl: measured.url, clientId, receiver }
  paragraphs.push(...(await measureSwitchingOff(leaving, ids.slice(-switchedOff))))
  paragraphs.push(...(await measureNeighbour(signet, other, { load, asking })))
  paragraphs.push(`At its peak the process had ${whole(peakOf(signet.pid) / 1e6)} MB in use.`)
  report('directories', `${machine}, ${postgres.description}`, method, ...paragraphs)
})
