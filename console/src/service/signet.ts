import { type FollowedEvent, type FollowOptions, Signet } from '@signet/management'
import { serviceUrl } from './address.ts'

/** One request that the console makes, by the management client. */
export type Call<Reply = unknown> = (client: Signet) => Promise<Reply>

/** A slow answer is shown as one; longer than this it counts as none. */
const timeoutMs = 30_000

/** The cookie of the session stands for the key only beside this header, which a page of another origin cannot send. */
const asConsole: typeof fetch = (input, init) => {
  const request = new Request(input, init)
  request.headers.set('Service-Console', '1')
  return fetch(request)
}

/** The only way to the server, besides the session. Repetition is left to the queries, which show that they wait. */
export const signet = new Signet({ baseUrl: serviceUrl, fetch: asConsole, retries: 0, timeoutMs })

/** The events that come from now on. A connection that is lost is made anew in silence: `onConnection` tells of it. */
export function followEvents(
  options: FollowOptions,
  onConnection: (isOpen: boolean) => void,
): AsyncGenerator<FollowedEvent, void> {
  const watched: typeof fetch = async (input, init) => {
    const reply = await asConsole(input, init).catch((cause) => {
      onConnection(false)
      throw cause
    })
    onConnection(reply.ok)
    return reply
  }
  return new Signet({ baseUrl: serviceUrl, fetch: watched, retries: 0, timeoutMs }).followEvents(options)
}
