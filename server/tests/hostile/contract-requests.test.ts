import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultOfCodes } from '../support/codes.ts'
import { type Answer, type Headings, type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { badBodies, badInAddress, badInBody, badInHeader } from './support/bad-values.ts'
import { type Operation, readOperations } from './support/document.ts'
import { spread } from './support/form.ts'
import { unreachedRates } from './support/rates.ts'
import { addressOf, makeThings, type Things } from './support/things.ts'

/** For some fifteen thousand requests. */
const patience = 900_000
const atOnce = 8

let signet: OwnSignet
let organization: Organization
let things: Things
let operations: Operation[]

beforeAll(async () => {
  signet = await startOwnSignet({
    env: { ...unreachedRates, SIGNET_ROLES: 'api', SIGNET_WEBHOOK_RESOLVE: 'hostile.example.com:443:127.0.0.1' },
  })
  organization = await signet.organization()
  things = await makeThings(signet, organization, 'hostile')
  operations = await readOperations(signet)
})

afterAll(() => signet?.stop())

type Request = { operation: Operation; what: string; address: string; headers: Headings; body?: string }

const bodyOf = (example: unknown) => (example === undefined ? undefined : JSON.stringify(example))

function requestsOf(operation: Operation): Request[] {
  const address = () => addressOf(operation.path, things)
  const needed = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(`${example}`)}`)
  const query = (more: string[] = []) => ([...needed, ...more].length > 0 ? `?${[...needed, ...more].join('&')}` : '')
  const ordinary = { operation, address: address() + query(), headers: {}, ...withBody(bodyOf(operation.example)) }
  const inPath = [...operation.path.matchAll(/\{\w+\}/g)].flatMap(([parameter]) =>
    badInAddress.map((value) => ({
      ...ordinary,
      what: `${parameter}: ${value.slice(0, 50)}`,
      address: addressOf(operation.path.replace(parameter, '\0'), things).replace('\0', () => value) + query(),
    })),
  )
  const inQuery = ['unknown', ...namesOf(operation, 'query')].flatMap((name) =>
    badInAddress.map((value) => ({
      ...ordinary,
      what: `?${name}: ${value.slice(0, 50)}`,
      address:
        address() +
        query()
          .replace(new RegExp(`[?&]${name}=[^&]*`), '')
          .replace(/^&/, '?') +
        (query() ? '&' : '?') +
        `${name}=${value}`,
    })),
  )
  const inHeaders = ['Content-Type', 'Accept', ...namesOf(operation, 'header')].flatMap((name) =>
    badInHeader.map((value) => ({ ...ordinary, what: `${name}: ${value.slice(0, 50)}`, headers: { [name]: value } })),
  )
  const bodies = [...badBodies, ...spoiltBodies(operation.example)].map((body) => ({
    ...ordinary,
    what: `body ${body.slice(0, 100)}`,
    ...withBody(body),
  }))
  return [...inPath, ...inQuery, ...inHeaders, ...(operation.method === 'GET' ? [] : bodies)]
}

const withBody = (body: string | undefined) => (body === undefined ? {} : { body })

const namesOf = ({ parameters }: Operation, place: 'query' | 'header') =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name)

/** Each member in turn missing, unknown, and with every bad value. */
function spoiltBodies(example: unknown): string[] {
  const first = Array.isArray(example) ? example[0] : example
  if (typeof first !== 'object' || first === null) return []
  const isList = Array.isArray(example)
  const written = (members: string[]) => (isList ? `[{${members.join()}}]` : `{${members.join()}}`)
  const members = Object.entries(first).map(([name, value]) => [
    name,
    `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  ])
  const others = (name: string) => members.filter(([each]) => each !== name).map(([, text]) => text as string)
  return ['unknown', ...Object.keys(first)].flatMap((name) => [
    written(others(name)),
    ...badInBody.map((value) => written([...others(name), `${JSON.stringify(name)}:${value}`])),
  ])
}

async function send({ operation, address, headers, body }: Request): Promise<Answer> {
  const { method, access } = operation
  if (access === 'operator')
    return signet.call(method, address, { 'Service-Operator-Key': signet.operatorKey, ...headers }, body)
  return signet.as(organization, method, address, body, headers)
}

/** What Fastify's router refuses before there is an operation: an address that is none, or is that of another one. */
const ofRouter = [400, 404, 405]

function expectProper({ operation, what, address }: Request, { status, headers, body }: Answer) {
  const where = `${operation.name}, ${what}: ${status} ${JSON.stringify(body)?.slice(0, 500)}`
  expect(status, where).not.toBe(500)
  const isElsewhere =
    !address.startsWith(addressOf(operation.path, things)) && !operation.statuses.includes(`${status}`)
  if (isElsewhere) expect(status === 301 || status < 300 || ofRouter.includes(status), where).toBe(true)
  else expect(operation.statuses, where).toContain(`${status}`)
  expect(headers.get('x-content-type-options'), where).toBe('nosniff')
  if (status < 400) return
  expect(body.errors.length, where).toBeGreaterThan(0)
  for (const error of body.errors) expect(error, where).toEqual({ httpcode: status, message: expect.any(String) })
  expect(faultOfCodes(headers.get('signet-error'), body), where).toBeUndefined()
}

/** Those that take things away come last. */
const order = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE']

test('Whatever an operation is asked with, its answer is one that the document tells of, and never 500', {
  timeout: patience,
}, async () => {
  const sorted = operations.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
  const waiting = spread(sorted.flatMap(requestsOf), 800)
  expect(waiting.length).toBeGreaterThan(700)
  const work = async () => {
    for (let request = waiting.shift(); request; request = waiting.shift()) expectProper(request, await send(request))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  expect(signet.output()).not.toContain('request failed')
})
