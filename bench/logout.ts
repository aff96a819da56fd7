// `npm run bench -- logout`: the time from a sign-out until the application has its logout token, beside an application that never answers.
import { Agent, request } from 'node:http'
import pg from 'pg'
import { times } from './support/client.ts'
import type { Credentials } from './support/exchange.ts'
import { figureOf, milliseconds, quantile, show, table, verdict } from './support/figures.ts'
import { monotonicMs, until } from './support/monotonic.ts'
import { orQuick } from './support/options.ts'
import { addApplication, makeOrganization, makePerson } from './support/organizations.ts'
import { openServer } from './support/postgres.ts'
import { delaysOf, openReceivers, pathOf } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { addSession } from './support/sessions.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(3, 1)
const signOuts = orQuick(1_500, 100)
/** 50 a second. */
const everyMs = 20
const warmUp = orQuick(100, 20)
const aims = { median: 50, tail: 500 }

const method = `${1_000 / everyMs} sign-outs a second (\`DELETE /persons/{person_id}/sessions\`), ${signOuts} a round, ${rounds} rounds after a warm-up; each person has one session, at an
application that answers at once and at one that accepts each request and never answers. Until the first has the whole request with the logout
token (RS256), from the beginning of the call, which is before its commit, and from its answer, which is after; medians of the rounds
(least–most). Settings as they come.`

type Bench = { signet: Signet; organization: Credentials; database: pg.Pool; clientIds: string[]; agent: Agent }

/** Gives the person. */
async function signIn({ signet, organization, database, clientIds }: Bench): Promise<string> {
  const personId = await makePerson(signet, organization)
  await addSession(database, organization, personId, clientIds)
  return personId
}

const signOut = ({ signet, organization, agent }: Bench, personId: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = { 'service-orgid': organization.organizationId, 'service-api-key': organization.apiKey }
    const path = `/persons/${personId}/sessions`
    const call = request({ port: signet.port, method: 'DELETE', path, headers, agent }, (answer) => {
      answer
        .resume()
        .once('end', () => (answer.statusCode === 204 ? resolve() : reject(new Error(`${answer.statusCode}`))))
    })
    call.once('error', reject).end()
  })

type Times = { called: [string, number][]; answered: [string, number][] }

async function signOutAll(bench: Bench, count: number): Promise<Times> {
  const persons = await times(count, () => signIn(bench))
  const measured: Times = { called: [], answered: [] }
  const began = monotonicMs()
  const each = async (personId: string, n: number) => {
    await until(began + n * everyMs)
    measured.called.push([personId, monotonicMs()])
    await signOut(bench, personId)
    measured.answered.push([personId, monotonicMs()])
  }
  await Promise.all(persons.map(each))
  return measured
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const [live, silent] = [await receivers.start(), await receivers.start()]
  const uris = [live.url('/logout'), silent.url('/silent/logout')]
  const { url } = await postgres.create('logout')
  const signet = await startSignet(folder, cleanup, { ...settingsOn(url), ...receivers.settings() })
  const organization = await makeOrganization(signet)
  const clientIds = await Promise.all(uris.map((uri) => addApplication(signet, organization, uri)))
  const database = new pg.Pool({ connectionString: url, max: 4 })
  cleanup.defer(() => database.end())
  const bench = { signet, organization, database, clientIds, agent: new Agent({ keepAlive: true }) }
  const found: { median: number; tail: number; sinceAnswer: number; tailSinceAnswer: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    await live.forget()
    const count = round === 0 ? warmUp : signOuts
    const { called, answered } = await signOutAll(bench, count)
    await live.until(count)
    const arrivals = (await live.tell()).filter(([place]) => pathOf(place) === '/logout')
    const delays = delaysOf(arrivals, called)
    const one = {
      median: quantile(delays, 0.5),
      tail: quantile(delays, 0.99),
      sinceAnswer: quantile(delaysOf(arrivals, answered), 0.5),
      tailSinceAnswer: quantile(delaysOf(arrivals, answered), 0.99),
    }
    console.log(
      `${round === 0 ? 'warm-up' : `round ${round}`}: median ${milliseconds(one.median)}, 99th percentile ${milliseconds(one.tail)}`,
    )
    if (round > 0) found.push(one)
  }
  const shown = (part: keyof (typeof found)[number]) => show(figureOf(found.map((one) => one[part])), milliseconds)
  const rows = [
    ['', 'median', '99th percentile'],
    ['from the call', shown('median'), shown('tail')],
    ['from its answer', shown('sinceAnswer'), shown('tailSinceAnswer')],
  ]
  const judge = (what: string, part: 'median' | 'tail') => {
    const reached = figureOf(found.map((one) => one[part])).median
    return `${what} ${milliseconds(reached)}, the target is under ${aims[part]} ms: ${verdict(reached < aims[part])}`
  }
  const verdicts = `${judge('Median', 'median')}; ${judge('99th percentile', 'tail')}.`
  report('logout', `${machine}, ${postgres.description}`, method, table(rows), verdicts)
})
