import * as http from 'node:http'
import * as https from 'node:https'
import { text } from 'node:stream/consumers'
import type { Organization } from '../../../support/signet.ts'

/** What clients ask all the time, each its next request once the last one is answered. */
export type Load = {
  /** The persons of all that was answered with 201. */
  acknowledged: string[]
  /** What was answered otherwise. */
  failures: Failure[]
  /** Ends it, and gives the number of requests. */
  stop(): Promise<number>
}

type Answer = { status: number; retryAfter: string | undefined; body: string }
/** Status 0: there was no answer. */
type Failure = Answer & { method: string }

const clients = 6
const pauseMs = 10

/** Half of the clients keep their connection, half open a new one each time; each creates persons and reads them back. */
export function startLoad(baseUrl: string, { id, apiKey }: Organization): Load {
  const headers = { 'Service-OrgID': id, 'Service-API-Key': apiKey, 'Content-Type': 'application/json' }
  const { Agent } = moduleFor(baseUrl)
  const acknowledged: string[] = []
  const failures: Failure[] = []
  let answered = 0
  let isStopping = false
  const send = async (method: string, path: string, expected: number, agent: http.Agent) => {
    const asking = ask(`${baseUrl}${path}`, { method, headers, agent })
    const answer = await asking.catch((error) => ({ status: 0, retryAfter: undefined, body: error.message as string }))
    answered++
    if (answer.status === expected) return answer.body
    failures.push({ method, ...answer })
    return undefined
  }
  const runClient = async (agent: http.Agent) => {
    while (!isStopping) {
      const created = await send('POST', '/persons', 201, agent)
      if (created) {
        const { person_id } = JSON.parse(created).result
        acknowledged.push(person_id)
        await send('GET', `/persons/${person_id}`, 200, agent)
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    agent.destroy()
  }
  const running = Array.from({ length: clients }, (_, index) => runClient(new Agent({ keepAlive: index % 2 === 0 })))
  return {
    acknowledged,
    failures,
    stop: async () => {
      isStopping = true
      await Promise.all(running)
      return answered
    },
  }
}

const moduleFor = (url: string) => (url.startsWith('https:') ? https : http)

const ask = (url: string, options: http.RequestOptions) =>
  new Promise<Answer>((resolve, reject) => {
    const request = moduleFor(url).request(url, options, (answer) => {
      const { statusCode: status = 0, headers } = answer
      text(answer).then((body) => resolve({ status, retryAfter: headers['retry-after'], body }), reject)
    })
    request.on('error', reject)
    request.end(options.method === 'POST' ? '{}' : undefined)
  })
