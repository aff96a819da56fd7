import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, beforeEach } from 'vitest'
import { type HandlerOptions, nodeHandler, type Webhook } from '../src/index.ts'
import { createTestSender, type TestSender } from '../src/testing.ts'

type Answer = { status: number; body: string }
/** A receiver that is running. */
export type Running = { post(body: string): Promise<Answer>; stop(): Promise<unknown> }

export const addresses = {
  issuer: 'https://signet.example.com',
  organizationId: '019ab3c5-8e00-7000-8000-000000000001',
  targetUrl: 'https://hooks.example.com/signet',
}
export const person = {
  person_id: '019ab3c5-8e00-7000-8000-000000000003',
  region: 'local',
  handles: [],
  groups: ['Grüße'],
}
export async function post(url: string, body: string): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/jwt' }, body })
  return { status: response.status, body: await response.text() }
}

export async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, post: (body: string) => post(url, body), stop: () => new Promise((stopped) => server.close(stopped)) }
}

export const inExpress = (options: HandlerOptions, ...parsers: express.Handler[]) => {
  const app = express()
  for (const parser of parsers) app.use(parser)
  return serve(app.post('/hook', nodeHandler(options)))
}

/** As a middleware that logs bodies sets it. */
export const encoding =
  (name: BufferEncoding): express.Handler =>
  (request, _response, next) => {
    request.setEncoding(name)
    next()
  }

export const afterEncoding =
  (name: BufferEncoding, listener: RequestListener): RequestListener =>
  (request, response) =>
    listener(request.setEncoding(name), response)

/** What each test begins with: a sender of its own, and nothing handled, failed or running. */
export type Scene = {
  sender: TestSender
  handled: Webhook[]
  errors: unknown[]
  /** Stopped after the test. */
  running: Running | undefined
  options(changes?: Partial<HandlerOptions>): HandlerOptions
}

export function sceneOfEachTest(): Scene {
  const scene = { options } as Scene
  function options(changes: Partial<HandlerOptions> = {}): HandlerOptions {
    const handle = (webhook: Webhook) => void scene.handled.push(webhook)
    return {
      ...addresses,
      keySet: scene.sender.keySet,
      handle,
      onError: (error) => scene.errors.push(error),
      ...changes,
    }
  }
  beforeEach(async () => {
    Object.assign(scene, { sender: await createTestSender(addresses), handled: [], errors: [], running: undefined })
  })
  afterEach(() => scene.running?.stop())
  return scene
}
