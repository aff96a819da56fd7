// `npm run bench -- directories`: what a directory costs: users created by SCIM, beside persons created by the management interface; a
// large group; how soon an application hears of somebody who was switched off; and what another organization feels of a first push.
import type { Requested, RequestsOrder } from './programs/requests.ts'
import { type Directory, newUser, openDirectory, textOfScim } from './support/directory.ts'
import { measureGroup } from './support/directory-group.ts'
import { measureSwitchingOff } from './support/directory-logouts.ts'
import { measureNeighbour } from './support/directory-neighbour.ts'
import { type Credentials, textOfRequest } from './support/exchange.ts'
import { figureOf, percent, show, table, verdict, whole } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { addApplication, makeOrganization } from './support/organizations.ts'
import { openServer } from './support/postgres.ts'
import { forgetPeak, peakOf, residentOf } from './support/processes.ts'
import { type Program, startProgram } from './support/program.ts'
import { openReceivers } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'
import { openInstruments } from './support/write-ahead-log.ts'

const users = orQuick(100_000, 600)
const rounds = orQuick(20, 3)
const perRound = users / rounds
const callers = 16
const members = orQuick(50_000, 400)
const switchedOff = orQuick(1_500, 60)
const targetRatio = 0.5

const method = `${whole(users)} users by \`POST /Users\`, and as many persons by \`POST /persons\`, each with one address that is vouched for: ${callers} callers, ${rounds} rounds by
turns; medians (least–most), "of the interface" round by round. Times of a group are of the client's whole request, one after the other, and of all statements of
the database meanwhile, by \`pg_stat_statements\`. The number of requests of a directory is without limit.`

type Bench = { signet: Signet; organization: Credentials; directory: Directory; load: Program }
type Round = { scim: number; persons: number; megabytes: number }

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const logoutUri = receiver.url('/logout')
  const measured = await postgres.create('directories')
  const start = (url: string) =>
    startSignet(folder, cleanup, {
      ...settingsOn(url),
      ...receivers.settings(),
      SIGNET_RATE_SCIM: '999999/999999',
    })
  const [signet, other] = [await start(measured.url), await start((await postgres.create('elsewhere')).url)]
  const load = await startProgram('programs/requests.ts', {}, cleanup)
  const organization = await makeOrganization(signet)
  const directory = await openDirectory(signet, organization)
  const clientId = await addApplication(signet, organization, logoutUri)
  forgetPeak(signet.pid)

  const { all, ids } = await createAll({ signet, organization, directory, load })
  const instruments = await openInstruments(postgres, measured)
  const group = await measureGroup(directory, instruments, ids.slice(0, members))
  const inDatabase = { directory, organization, databaseUrl: measured.url, clientId, receiver }
  const logouts = await measureSwitchingOff(inDatabase, ids.slice(-switchedOff))
  const asking = await startProgram('programs/publisher.ts', {}, cleanup)
  const neighbour = await measureNeighbour(signet, other, { load, asking })
  const memory = describeMemory(all, signet.pid)
  report(
    'directories',
    `${machine}, ${postgres.description}`,
    method,
    ...judge(all),
    memory,
    ...group,
    ...logouts,
    ...neighbour,
  )
})

/** Gives the ids of the users too. */
async function createAll({ signet, organization, directory, load }: Bench): Promise<{ all: Round[]; ids: string[] }> {
  const send = (texts: string[]) => load.ask<Requested>({ port: signet.port, texts, callers } satisfies RequestsOrder)
  const ids: string[] = []
  const all: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const numbers = Array.from({ length: perRound }, (_, n) => round * perRound + n)
    const scim = await send(numbers.map((n) => textOfScim(directory, 'POST /Users', newUser('user', n))))
    const persons = await send(numbers.map((n) => textOfPerson(signet.port, organization, n)))
    ids.push(...scim.ids)
    const megabytes = residentOf(signet.pid) / 1e6
    const one = { scim: perRound / scim.seconds, persons: perRound / persons.seconds, megabytes }
    console.log(
      `round ${round + 1} of ${rounds}: ${whole(one.scim)} users/s, ${whole(one.persons)} persons/s, ${whole(megabytes)} MB`,
    )
    all.push(one)
  }
  return { all, ids }
}

function textOfPerson(port: number, organization: Credentials, n: number): string {
  const handles = [{ type: 'EmailAddress', value: `person-${n}@example.com`, verified: true }]
  return textOfRequest(port, 'POST /persons', organization, JSON.stringify({ handles }))
}

function judge(all: Round[]): string[] {
  const of = (part: keyof Round) => show(figureOf(all.map((one) => one[part])))
  const ratio = figureOf(all.map(({ scim, persons }) => scim / persons))
  const rows = [
    ['', 'a second', 'of the interface'],
    ['`POST /persons`', of('persons'), '100 %'],
    ['`POST /Users`', of('scim'), show(ratio, percent)],
  ]
  const isMet = ratio.median >= targetRatio
  return [
    '**Creating users**',
    table(rows),
    `SCIM reaches ${percent(ratio.median)} of the interface's rate; the target is ${percent(targetRatio)} or more: ${verdict(isMet)}.`,
  ]
}

function describeMemory(all: Round[], pid: number): string {
  const megabytes = all.map((one) => one.megabytes)
  const [first = 0, last = 0] = [megabytes[0], megabytes.at(-1)]
  return `Memory of the process: ${whole(first)} MB after the first round, ${whole(last)} MB after the last one, ${whole(residentOf(pid) / 1e6)} MB at the end, ${whole(peakOf(pid) / 1e6)} MB at most.`
}
