import { request } from 'node:https'
import { text } from 'node:stream/consumers'

type Asked = { method?: string; headers?: Record<string, string>; body?: string; from?: string }
type Answered = { status: number; body: string }

/** Asks by a connection of its own, `from` an address of this machine (127.0.0.0/8). */
export const askFrom = (url: string, { method = 'GET', headers = {}, body, from = '127.0.0.1' }: Asked) =>
  new Promise<Answered>((resolve, reject) => {
    const outgoing = request(url, { method, headers, localAddress: from, agent: false }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, body: await text(answer) })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
