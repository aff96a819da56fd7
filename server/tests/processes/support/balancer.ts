import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A request that ended without an answer, or with one of 500 and above: which process it was sent to, and when. */
export type Failure = { backend: number; method: string; path: string; status: number; begun: number; ended: number }

/**
 * A load balancer: asks each process for `/readyz`, gives requests to those that are ready in turn, and repeats none. Where
 * none is ready it gives them to those that at least answer, as the balancers of clouds do.
 */
export type Balancer = {
  url: string
  failures: Failure[]
  /** Requests that were answered otherwise. */
  answered(): number
  /** Waits until the process has answered a check that began after this call with 200. */
  untilUp(backend: number): Promise<void>
  stop(): Promise<void>
}

type Backend = {
  number: number
  port: number
  agent: Agent
  state: 'ready' | 'not ready' | 'away'
  /** When the last check that was answered with 200 began. */
  upSince: number
  unanswered: number
  /** Each ends a request that waits for its answer. */
  open: Set<() => void>
}

const checkEveryMs = 200
/** Longer than `/readyz` itself waits for its database. */
const checkTimeoutMs = 2_500
/** On a busy machine a process may miss some. */
const checksUntilAway = 4

export async function startBalancer({ ports }: { ports: number[] }): Promise<Balancer> {
  const backends = ports.map(toBackend)
  const failures: Failure[] = []
  const stopping = new AbortController()
  let answered = 0
  let turn = 0

  const choose = () => {
    const ready = backends.filter(({ state }) => state === 'ready')
    const chosen = ready.length > 0 ? ready : backends.filter(({ state }) => state === 'not ready')
    return chosen[turn++ % chosen.length]
  }

  // It closes no connection for being idle: a request that was on its way then would fail, and no process has seen it.
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const { method = '', url: path = '' } = incoming
    const [backend, begun] = [choose(), performance.now()]
    const status = await pass(incoming, response, backend)
    if (status === clientGone) return
    if (status > 0 && status < 500) answered++
    else failures.push({ backend: backend?.number ?? -1, method, path, status, begun, ended: performance.now() })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const checking = backends.map((backend) => keepChecking(backend, stopping.signal))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    answered: () => answered,
    untilUp: async (number) => {
      const from = performance.now()
      while ((backends[number] as Backend).upSince < from) await wait(20)
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(checking)
      for (const { agent } of backends) agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const toBackend = (port: number, number: number): Backend => ({
  number,
  port,
  agent: new Agent({ keepAlive: true }),
  state: 'away',
  upSince: 0,
  unanswered: 0,
  open: new Set(),
})

async function keepChecking(backend: Backend, signal: AbortSignal) {
  while (!signal.aborted) {
    const begun = performance.now()
    const status = await check(backend.port)
    backend.unanswered = status === 'silent' ? backend.unanswered + 1 : 0
    if (status === 200) Object.assign(backend, { state: 'ready', upSince: begun })
    else if (status === 'refused') backend.state = 'away'
    else if (backend.unanswered >= checksUntilAway) giveUp(backend)
    else backend.state = 'not ready'
    await wait(checkEveryMs)
  }
}

/** A process that answers nothing: nor will it answer what it has. */
function giveUp(backend: Backend) {
  backend.state = 'away'
  for (const end of backend.open) end()
}

const check = (port: number): Promise<number | 'refused' | 'silent'> =>
  fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(checkTimeoutMs) }).then(
    async (answer) => {
      await answer.body?.cancel()
      return answer.status
    },
    (error) => (error.name === 'TimeoutError' ? 'silent' : 'refused'),
  )

const clientGone = -1

/** Gives the status of the answer, or 0 where there is none, or not all of it. */
function pass(incoming: IncomingMessage, response: ServerResponse, backend: Backend | undefined): Promise<number> {
  if (!backend) {
    response.writeHead(503).end('no process is ready')
    return Promise.resolve(503)
  }
  const { promise, resolve } = Promise.withResolvers<number>()
  const { method = '', url: path = '', headers } = incoming
  const passed = request({ port: backend.port, host: '127.0.0.1', agent: backend.agent, method, path, headers })
  const end = () => passed.destroy()
  backend.open.add(end)
  response.on('close', () => {
    resolve(clientGone)
    end()
  })
  passed.on('close', () => backend.open.delete(end))
  passed.on('error', () => {
    resolve(0)
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end('the process gave no answer')
  })
  passed.on('response', (answer) => {
    const status = answer.statusCode ?? 0
    // It has no end of its own: its client goes on with another one.
    if (answer.headers['content-type'] === 'text/event-stream') resolve(status)
    response.writeHead(status, answer.headers)
    answer.pipe(response)
    answer.on('end', () => resolve(status))
    answer.on('close', () => {
      resolve(0)
      if (!response.writableEnded) response.destroy()
    })
  })
  incoming.pipe(passed)
  return promise
}
