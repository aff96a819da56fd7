import type express from 'express'
import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { fastifyPlugin, fetchHandler } from '../src/index.ts'
import { addresses, encoding, inExpress, person, post, sceneOfEachTest } from './handler-scene.ts'

const scene = sceneOfEachTest()

describe('A body that something else has read', () => {
  const hint = { code: 'malformed', message: expect.stringContaining('let no parser read application/jwt') }
  const refused = { status: 401, body: '' }
  const drain: express.Handler = (request, _response, next) => void request.resume().on('end', next)
  const parse: express.Handler = (request, response, next) =>
    drain(request, response, () => {
      request.body = { parsed: true }
      next()
    })

  test.each([
    ['read and dropped', drain],
    ['parsed', parse],
  ])('A body %s by a middleware is refused in Express, and the error says what to do', async (_, middleware) => {
    scene.running = await inExpress(scene.options({}), middleware)
    expect(await scene.running.post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual(refused)
    expect(scene.errors).toMatchObject([hint])
  })

  test('A body is read in Express after a parser that leaves an empty object and the body alone, as those of Express 4 do', async () => {
    scene.running = await inExpress(scene.options({}), (request, _response, next) => {
      request.body = {}
      next()
    })
    expect(await scene.running.post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({
      status: 204,
      body: '',
    })
  })

  test.each<BufferEncoding>(['hex', 'base64', 'utf16le'])(
    'A body is refused that something else has read as %s, and the error says what to do',
    async (name) => {
      scene.running = await inExpress(scene.options({}), encoding(name))
      expect(await scene.running.post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual(refused)
      const message = expect.stringContaining(`setEncoding('${name}')`)
      expect(scene.errors).toMatchObject([{ code: 'malformed', message }])
    },
  )

  test('A body that something else is about to read is refused in a fetch handler, and the error says what to do', async () => {
    const body = await scene.sender.sign('PersonDeleted_v1', person)
    const request = new Request(addresses.targetUrl, { method: 'POST', body })
    request.body?.getReader()
    expect(await fetchHandler(scene.options({}))(request)).toMatchObject({ status: 401 })
    expect(scene.errors).toMatchObject([hint])
  })

  test('A body that a parser of the application left as bytes is read in Fastify', async () => {
    const app = fastify()
    app.addHook('preHandler', async (request) => {
      request.body = Buffer.from(String(request.body))
    })
    app.register(fastifyPlugin({ path: '/hook', ...scene.options({}) }))
    const answer = await app.inject({ method: 'POST', url: '/hook', ...(await injected()) })
    expect(answer.statusCode).toBe(204)
    await app.close()
  })

  test('A body that was read already is refused in a fetch handler, and the error says what to do', async () => {
    const request = new Request(addresses.targetUrl, {
      method: 'POST',
      body: await scene.sender.sign('PersonDeleted_v1', person),
    })
    await request.text()
    expect(await fetchHandler(scene.options({}))(request)).toMatchObject({ status: 401 })
    expect(scene.errors).toMatchObject([hint])
  })

  test('A body that a parser of the application made into something else than text is refused in Fastify, and the error says what to do', async () => {
    const app = fastify()
    app.addHook('preHandler', async (request) => {
      request.body = { parsed: true }
    })
    app.register(fastifyPlugin({ path: '/hook', ...scene.options({}) }))
    const answer = await app.inject({ method: 'POST', url: '/hook', ...(await injected()) })
    expect(answer.statusCode).toBe(401)
    expect(scene.errors).toMatchObject([hint])
    await app.close()
  })
})

const injected = async () => ({
  headers: { 'content-type': 'application/jwt' },
  payload: await scene.sender.sign('PersonDeleted_v1', person),
})

describe('The Fastify plugin', () => {
  test.each<[string, string | RegExp]>([
    ['application/jwt', 'application/jwt'],
    ['every type', '*'],
    ['types that match an expression', /^application\/.*/],
  ])(
    'The plugin starts where the application has a parser for %s, which keeps working on other routes',
    async (_, type) => {
      const app = fastify()
      app.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, { parsed: body }))
      app.post('/other', async (request) => request.body)
      app.register(fastifyPlugin({ path: '/hook', ...scene.options({}) }))
      app.register(fastifyPlugin({ path: '/second', ...scene.options({}) }))
      const request = await injected()
      for (const url of ['/hook', '/second'])
        expect(await app.inject({ method: 'POST', url, ...request })).toMatchObject({ statusCode: 204 })
      const other = await app.inject({ method: 'POST', url: '/other', ...request })
      expect(other.json()).toEqual({ parsed: request.payload })
      expect(scene.errors).toEqual([])
      await app.close()
    },
  )

  test('The plugin goes on when something else has answered already', async () => {
    const app = fastify()
    app.addHook('preHandler', async (_request, reply) => {
      reply.raw.writeHead(503).end()
    })
    app.register(fastifyPlugin({ path: '/hook', ...scene.options({}) }))
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/hook`
    for (const _ of [1, 2]) expect(await post(url, (await injected()).payload)).toEqual({ status: 503, body: '' })
    await app.close()
  })
})
