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
const waiting: (() => void)[] = []
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
  const count = (counts.get(path) ?? 0) + 1
  counts.set(path, count)
  const behaviour = behaviours.get(path) ?? {}
  const { status = 200, headers = {}, body = '', times = 1, delayMs = 0, ...others } = turnOf(behaviour, count)
  const { first, hang, stall, reset, together } = others
  if (hang) return
  if (reset) return response.destroy()
  const chosen = first && count <= first.times ? first.status : status
  if (stall) return response.writeHead(chosen, headers).write(body)
  const respond = () => {
    end()
    response.writeHead(chosen, headers).end(body.repeat(times))
  }
  if (together) answerTogether(together, respond)
  else setTimeout(respond, delayMs)
}

const turnOf = (behaviour: Behaviour, count: number): Behaviour =>
  behaviour.inTurn?.[Math.min(count, behaviour.inTurn.length) - 1] ?? behaviour

function answerTogether(count: number, respond: () => void) {
  if (waiting.push(respond) < count) return
  for (const each of waiting.splice(0)) each()
}
