import * as https from 'node:https'
import { text } from 'node:stream/consumers'
import type { Organization } from '../../../support/signet.ts'

/** A way to Signet as its clients have it. */
export type Address = { port: number; host: string; certificate: string }

export type Load = {
  /** Ids of the persons, and names of the groups, whose creation was answered with 201. */
  persons: string[]
  groups: string[]
  /** When each of those answers came, by `performance.now()`. */
  acknowledgedAt: number[]
  /** Requests that were answered 503 with `Retry-After`: once the database is back, they are made again. */
  refused: number
  /** Every other answer, and requests without one. */
  faults: string[]
  stop(): Promise<void>
}

const clients = 6
const pauseMs = 100

/** Each client writes a person, whose creation is an event, reads it back, and writes a group under a name of its own choice. */
export function startLoad({ port, host, certificate }: Address, { id, apiKey }: Organization, prefix: string): Load {
  const headers = { host, 'Service-OrgID': id, 'Service-API-Key': apiKey, 'Content-Type': 'application/json' }
  const load: Load = { persons: [], groups: [], acknowledgedAt: [], refused: 0, faults: [], stop }
  let isStopping = false

  const send = async (agent: https.Agent, method: string, path: string, expected: number, content = {}) => {
    const options = { host: '127.0.0.1', port, servername: host, ca: certificate, agent, method, path, headers }
    const { status, retryAfter, body } = await ask(options, content).catch(noAnswer)
    if (status === expected) return body
    if (status === 503 && retryAfter) load.refused++
    else load.faults.push(`${method} ${path}: ${status} ${body}`)
    return undefined
  }
  const create = async (agent: https.Agent, path: string, content: object) => {
    const body = await send(agent, 'POST', path, 201, content)
    if (body !== undefined) load.acknowledgedAt.push(performance.now())
    return body
  }
  const runClient = async (client: number) => {
    const agent = new https.Agent({ keepAlive: true })
    for (let turn = 0; !isStopping; turn++) {
      const created = await create(agent, '/persons', {})
      const person = created && JSON.parse(created).result.person_id
      if (person) load.persons.push(person)
      if (person) await send(agent, 'GET', `/persons/${person}`, 200)
      const name = `${prefix}-${client}-${turn}`
      if ((await create(agent, '/groups', { name })) !== undefined) load.groups.push(name)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    agent.destroy()
  }

  const running = Array.from({ length: clients }, (_, client) => runClient(client))
  async function stop() {
    isStopping = true
    await Promise.all(running)
  }
  return load
}

type Answer = { status: number; retryAfter: string | undefined; body: string }

const noAnswer = (error: Error): Answer => ({ status: 0, retryAfter: undefined, body: error.message })

const ask = (options: https.RequestOptions, content: object) =>
  new Promise<Answer>((resolve, reject) => {
    const request = https.request(options, (answer) => {
      const { statusCode: status = 0, headers } = answer
      text(answer).then((body) => resolve({ status, retryAfter: headers['retry-after'], body }), reject)
    })
    request.on('error', reject)
    request.end(options.method === 'POST' ? JSON.stringify(content) : undefined)
  })
