import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

// biome-ignore lint/suspicious/noExplicitAny: each client knows what it asked for
export type ScimAnswer = { status: number; headers: NodeJS.Dict<string | string[]>; body: any }

export type Requests = {
  /** Repeated after 5xx, 429 and a lost connection. Throws where the answer is none of those expected, and `Unanswered` where it gives up. */
  ask(method: string, path: string, expected: number[], body?: object): Promise<ScimAnswer>
  /** What was sent, and how much of it again. */
  counts: { requests: number; again: number; limited: number }
}

/** There was no answer, or one of 500 and above, as often as the client tries: what was asked may be done or not. */
export class Unanswered extends Error {}

type Options = {
  /** The SCIM address, and what stands behind each path, such as a flag of the client. */
  address: string
  suffix?: string
  token: string
  tries: number
}

const firstPauseMs = 50
const longestPauseMs = 2_000

/** The HTTP of a client of a directory: without `User-Agent`, as Entra's is. */
export function createRequests({ address, suffix = '', token, tries }: Options): Requests {
  const agent = new Agent({ keepAlive: true })
  const counts = { requests: 0, again: 0, limited: 0 }
  const send = (method: string, path: string, body?: object) => {
    counts.requests++
    const [place, query = ''] = path.split('?')
    const queries = [suffix, query].filter(Boolean).join('&')
    const url = `${address}${place}${queries && `?${queries}`}`
    return exchange(url, { method, agent, token }, body).catch(() => undefined)
  }
  return {
    counts,
    ask: async (method, path, expected, body) => {
      for (let tried = 0; tried < tries; ) {
        const answer = await send(method, path, body)
        if (answer && expected.includes(answer.status)) return answer
        if (answer && answer.status < 500 && answer.status !== 429)
          throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`)
        counts.again++
        if (answer?.status === 429) {
          counts.limited++
          await wait(1_000 * Number(answer.headers['retry-after']))
        } else await wait(Math.min(longestPauseMs, firstPauseMs * 2 ** tried++))
      }
      throw new Unanswered(`${method} ${path}`)
    },
  }
}

type How = { method: string; agent: Agent; token: string }

async function exchange(url: string, { method, agent, token }: How, body?: object): Promise<ScimAnswer> {
  const text = body && JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text && { 'content-type': 'application/scim+json', 'content-length': Buffer.byteLength(text) }),
  }
  const call = request(url, { method, agent, headers })
  call.end(text)
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  let received = ''
  for await (const chunk of answer.setEncoding('utf8')) received += chunk
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: parse(received) }
}

/** What is no JSON is not Signet's: the balancer has answered in its place. */
function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}
