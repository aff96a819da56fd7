// Stands where the receiver looks for a Signet: serves the key set of each case at an issuer of its own, so that no case finds keys that
// another one left in a cache.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KeySetAnswer } from './key-set-stories.ts'
import { organizationId, published } from './make-token.ts'

export type KeySetPlace = { issuer: string; answerWith(answer: KeySetAnswer): void; fetches(): number }
type Served = { answer: KeySetAnswer; fetches: number }

const path = '/organizations/webhooks/verification-jwks'

export async function startKeySetServer() {
  const places = new Map<string, Served>()
  const server = createServer((request, response) => serve(places, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const placeFor = (): KeySetPlace => {
    const name = `/${places.size + 1}`
    const served: Served = { answer: { status: 'never' }, fetches: 0 }
    places.set(name, served)
    const answerWith = (answer: KeySetAnswer) => void Object.assign(served, { answer, fetches: 0 })
    return { issuer: `${address}${name}`, answerWith, fetches: () => served.fetches }
  }
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { placeFor, stop }
}

function serve(places: Map<string, Served>, request: IncomingMessage, response: ServerResponse) {
  const [, name = '', rest = ''] = /^(\/\d+)(.*)$/.exec(request.url ?? '') ?? []
  const served = places.get(name)
  if (served && rest === '/elsewhere') return send(response, 200, elsewhere(served.answer))
  if (!served || rest !== path) return send(response, 404, refusal(404, 'path: does not exist'))
  served.fetches++
  if (request.headers['service-orgid'] !== organizationId)
    return send(response, 400, refusal(400, 'Service-OrgID: must be the ID of an organization'))
  const { answer } = served
  if (answer.status !== 'never') send(response, answer.status, answer.body ?? {}, { location: `${name}/elsewhere` })
}

/** Where a redirect leads, the keys that were asked for; where a token points by itself (jku), those of somebody else. */
function elsewhere(answer: KeySetAnswer): object {
  return answer.status === 302 ? (answer.body ?? {}) : published('foreign')
}

const refusal = (httpcode: number, message: string) => ({ errors: [{ httpcode, message }] })

function send(response: ServerResponse, status: number, body: object, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
