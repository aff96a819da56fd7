import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { type Application, makeApplication } from '../../support/application.ts'
import { openBrowser } from '../../support/browser.ts'
import { openStream } from '../../support/event-stream.ts'
import { isLong } from '../../support/form.ts'
import type { Answer, Client, Organization } from '../../support/signet.ts'
import { client as provider } from '../../support/upstreams.ts'
import type { Failure } from './balancer.ts'

/** What clients do all the time, each its next request once the last one is answered; nobody repeats a request that failed. */
export type Load = {
  /** Ids of persons. */
  created: Set<string>
  deleted: Set<string>
  /** Deletions without an answer: they may have been done. */
  doubtful: Set<string>
  /** Persons who signed in for the first time. */
  signedIn: Set<string>
  /** Ids of test events. */
  published: string[]
  /** Answers that no fault of a process explains. */
  unexpected: string[]
  /** Ends everything but the readers. */
  stopWriting(): Promise<void>
  /** From the first event that has a place in the feed. */
  startReading(): void
  /** Each reader's event ids in the order in which they came, once each has read so many. */
  read(count: number, timeoutMs: number): Promise<string[][]>
  stopReading(): Promise<void>
}

type Options = {
  client: Client
  organization: Organization
  /** Of all clients. */
  failures: Failure[]
  /** The organization has a credential of a provider. */
  application?: Application
}

const writers = isLong ? 4 : 2
const publishers = isLong ? 2 : 1
/** Of one client, between two of its rounds. */
const pauseMs = 20
const pageSize = 200
const pollMs = 100
const retryMs = 50

export function startLoad({ client, organization, failures, application }: Options): Load {
  const load = {
    created: new Set<string>(),
    deleted: new Set<string>(),
    doubtful: new Set<string>(),
    signedIn: new Set<string>(),
    published: [] as string[],
    unexpected: [] as string[],
  }
  let isWriting = true
  let isReading = true

  /** Undefined: there was no answer, or one of 500 and above, which the balancer knows. */
  const ask = async (method: string, path: string, expected: number, body?: unknown): Promise<Answer | undefined> => {
    const answer = await client.as(organization, method, path, body).catch(() => undefined)
    if (!answer || answer.status >= 500) return undefined
    if (answer.status === expected) return answer
    load.unexpected.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return undefined
  }

  const write = async (writer: number) => {
    for (let round = 0; isWriting; round++) {
      const name = `${writer}-${round}`
      const group = `group-${writer}-${round % 10}`
      const grouped = await ask('POST', '/groups', 201, { name: group })
      const handles = [{ type: 'EmailAddress', value: `person-${name}@example.com` }]
      const made = await ask('POST', '/persons', 201, { handles })
      if (made) await live(made.body.result.person_id, grouped ? [group] : [], round)
      await wait(pauseMs)
    }
  }
  /** Every third one is deleted in the end. */
  const live = async (person: string, groups: string[], round: number) => {
    load.created.add(person)
    await ask('GET', `/persons/${person}`, 200)
    await ask('PUT', `/persons/${person}/groups`, 200, { groups })
    await ask('PATCH', `/persons/${person}`, 200, { active: round % 2 === 0 })
    if (round % 3 !== 0) return
    load.doubtful.add(person)
    if (!(await ask('DELETE', `/persons/${person}`, 204))) return
    load.deleted.add(person)
    await ask('GET', `/persons/${person}`, 404)
  }

  const publish = async () => {
    while (isWriting) {
      const answer = await ask('POST', '/test-events', 201, [
        { event_name: 'PersonDeleted_v1' },
        { event_name: 'VirtualPageLoaded_v1' },
      ])
      for (const { event_id } of answer?.body.result ?? []) load.published.push(event_id)
      await wait(pauseMs)
    }
  }

  const signIn = async (to: Application) => {
    for (let round = 0; isWriting; round++) {
      const before = failures.length
      const person = { sub: `sub-${round}`, email: `signed-in-${round}@gmail.com`, email_verified: true }
      await to
        .signIn(
          openBrowser(() => client.baseUrl),
          { person },
        )
        .then(
          ({ sub }) => load.signedIn.add(sub),
          (error) => {
            const isOfProcess = failures.slice(before).some(({ path }) => /^\/(oidc|sso)\//.test(path))
            if (!isOfProcess) load.unexpected.push(`sign-in: ${inspect(error)}`)
          },
        )
      await wait(5 * pauseMs)
    }
  }

  const readPages = async (ids: string[]) => {
    for (let after = ''; isReading; ) {
      const answer = await ask('GET', `/events?limit=${pageSize}${after && `&after=${after}`}`, 200)
      if (!answer) {
        await wait(retryMs)
        continue
      }
      ids.push(...answer.body.result.map(idOf))
      after = answer.body.meta.next
      if (!answer.body.meta.has_more) await wait(pollMs)
    }
  }
  const readStream = async (ids: string[]) => {
    const { id, apiKey } = organization
    for (let lastId = ''; isReading; ) {
      const headers = { 'service-orgid': id, 'service-api-key': apiKey, ...(lastId && { 'last-event-id': lastId }) }
      const onMessage = ({ event, data }: { event: string; data: string }) => {
        if (event !== 'error') ids.push(idOf(JSON.parse(data)))
      }
      const stream = await openStream(`${client.baseUrl}/events`, { headers, onMessage }).catch(() => undefined)
      while (stream && isReading && !stream.isOver()) await wait(retryMs)
      lastId = stream?.lastId() || lastId
      stream?.cut()
      await wait(retryMs)
    }
  }

  const writing = [
    ...Array.from({ length: writers }, (_, writer) => write(writer)),
    ...Array.from({ length: publishers }, publish),
    ...(application ? [signIn(application)] : []),
  ]
  const read = [readPages, readPages, readStream].map((readAll) => ({ readAll, ids: [] as string[] }))
  let reading: Promise<void>[] = []
  return {
    ...load,
    stopWriting: async () => {
      isWriting = false
      await Promise.all(writing)
    },
    startReading: () => {
      reading = read.map(({ readAll, ids }) => readAll(ids))
    },
    read: async (count, timeoutMs) => {
      const until = performance.now() + timeoutMs
      while (read.some(({ ids }) => ids.length < count) && performance.now() < until) await wait(retryMs)
      return read.map(({ ids }) => ids)
    },
    stopReading: async () => {
      isReading = false
      await Promise.all(reading)
    },
  }
}

const idOf = ({ event_metadata }: { event_metadata: { event_id: string } }) => event_metadata.event_id

/** An application whose users sign in at the provider of the tests, each request of theirs by the balancer. */
export async function addApplication(client: Client, organization: Organization): Promise<Application> {
  const { clientId: client_id, clientSecret: client_secret } = provider
  const credential = { client_id, client_secret, provider: 'provider_a', options: {} }
  await client.as(organization, 'POST', '/organizations/sso/oidc/provider-credentials', credential)
  return makeApplication(client, organization)
}
