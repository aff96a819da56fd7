import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Behaviour } from './receiver.ts'

/** Shares no code with the service: Node's own HTTPS server. Tells its parent every request. */
type Message =
  | { kind: 'listen'; certificate: string; privateKey: string }
  | { kind: 'behave'; path: string; behaviour: Behaviour }

const behaviours = new Map<string, Behaviour>()
const counts = new Map<string, number>()
let calls = 0
/** Beginnings and ends of calls, counted as they are seen: which calls were open together, whatever the clock says. */
let order = 0

process.on('message', (message: Message) => {
  if (message.kind === 'behave') behaviours.set(message.path, message.behaviour)
  else listen(message.certificate, message.privateKey)
})
process.on('disconnect', () => process.exit())

function listen(cert: string, key: string) {
  const server = createServer({ cert, key, keepAlive: true }, async (request, response) => {
    const call = ++calls
    const begun = ++order
    let isOver = false
    const end = () => {
      if (!isOver) process.send?.({ call, ended: ++order })
      isOver = true
    }
    response.on('close', end)
    const body = await read(request)
    // The caller was gone before it had said everything.
    if (body === undefined) return
    const path = request.url ?? ''
    const { method = '', headers, rawHeaders } = request
    process.send?.({ call, begun, path, method, headers, rawHeaders, body, at: Date.now() })
    answer(path, response, end)
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}

async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  } catch {
    return undefined
  }
}

/** The caller may begin its next call before this process hears that the answer is on its way. */
function answer(path: string, response: ServerResponse, end: () => void) {
  const { status = 200, headers = {}, body = '', delayMs = 0, first, hang } = behaviours.get(path) ?? {}
  const count = (counts.get(path) ?? 0) + 1
  counts.set(path, count)
  if (hang) return
  const chosen = first && count <= first.times ? first.status : status
  setTimeout(() => {
    end()
    response.writeHead(chosen, headers).end(body)
  }, delayMs)
}
