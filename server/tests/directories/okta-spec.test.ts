import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDirectory } from '../support/directories.ts'
import { type OwnSignet, startOwnSignet } from '../support/signet.ts'

/**
 * The requests of Okta's own test of a SCIM 2.0 service, which it demands before it lists an application, with its
 * assertions, one by one in the order of its file. It begins with one user, whom it makes no part of its requests.
 */
type Assertion = [what: string, holds: (answer: Answered) => unknown]
type Step = {
  name: string
  method?: string
  path: () => string
  body?: () => object
  authorization?: string
  assertions: Assertion[]
}
// biome-ignore lint/suspicious/noExplicitAny: each assertion says what it expects of the answer
type Answered = { status: number; ms: number; body: any }

const messages = 'urn:ietf:params:scim:api:messages:2.0'
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const random = randomUUID().slice(0, 8)
const jo = { userName: `Jo.${random}@example.com`, givenName: `Jo${random}`, familyName: `Doe${random}` }
let [firstId, joId] = ['', '']

const isNotEmpty = (value: unknown) => value !== undefined && value !== null && value !== ''
const status = (wanted: number): Assertion => [`status ${wanted}`, (answer) => answer.status === wanted]
const schema = (urn: string): Assertion => [`schemas has ${urn}`, ({ body }) => body.schemas.includes(urn)]
const number = (name: string): Assertion => [`${name} is a number`, ({ body }) => typeof body[name] === 'number']
const none: Assertion = ['totalResults is 0', ({ body }) => body.totalResults === 0]
const detail: Assertion = ['detail is not empty', ({ body }) => isNotEmpty(body.detail)]
const statusText = (text: string): Assertion => [`status is "${text}"`, ({ body }) => body.status === text]
const filled = (name: string, of: (user: Answered['body']) => unknown, list = false): Assertion => [
  `${name} is not empty`,
  ({ body }) => isNotEmpty(of(list ? body.Resources[0] : body)),
]
const filledUser = (list: boolean): Assertion[] => [
  filled('id', ({ id }) => id, list),
  filled('name.familyName', ({ name }) => name.familyName, list),
  filled('name.givenName', ({ name }) => name.givenName, list),
  filled('userName', ({ userName }) => userName, list),
  filled('active', ({ active }) => active, list),
  filled('emails[0].value', ({ emails }) => emails[0].value, list),
]
const named: Assertion[] = [
  ['name.familyName is as sent', ({ body }) => body.name.familyName === jo.familyName],
  ['name.givenName is as sent', ({ body }) => body.name.givenName === jo.givenName],
]
const asSent: Assertion = ['userName is as sent', ({ body }) => body.userName === jo.userName]

const byName = (userName: string) => `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`
const newUser = (email: string) => ({
  schemas: [userSchema],
  userName: jo.userName,
  name: { givenName: jo.givenName, familyName: jo.familyName },
  emails: [{ primary: true, value: email, type: 'work' }],
  displayName: `${jo.givenName} ${jo.familyName}`,
  active: true,
})

const steps: Step[] = [
  {
    name: 'users are listed',
    path: () => '/Users?count=1&startIndex=1',
    assertions: [
      status(200),
      ['Resources is not empty', ({ body }) => body.Resources.length > 0],
      schema(`${messages}:ListResponse`),
      number('itemsPerPage'),
      number('startIndex'),
      number('totalResults'),
      ...filledUser(true),
    ],
  },
  {
    name: 'a user is read',
    path: () => `/Users/${firstId}`,
    assertions: [
      status(200),
      ...filledUser(false),
      ['id is the one that was asked for', ({ body }) => body.id === firstId],
    ],
  },
  {
    name: 'a user name that nobody has',
    path: () => byName(`nobody.${random}@example.com`),
    assertions: [status(200), schema(`${messages}:ListResponse`), none],
  },
  {
    name: 'an id that nobody has',
    path: () => '/Users/010101001010101011001010101011',
    assertions: [status(404), detail, schema(`${messages}:Error`)],
  },
  {
    name: 'the new user is not there',
    path: () => byName(jo.userName),
    assertions: [status(200), none, schema(`${messages}:ListResponse`)],
  },
  {
    name: 'a user is created',
    method: 'POST',
    path: () => '/Users',
    body: () => newUser(`jo.${random}@example.com`),
    assertions: [
      status(201),
      ['active is true', ({ body }) => body.active === true],
      filled('id', ({ id }) => id),
      ...named,
      schema(userSchema),
      asSent,
    ],
  },
  { name: 'the new user is read', path: () => `/Users/${joId}`, assertions: [status(200), asSent, ...named] },
  {
    name: 'the new user is created again',
    method: 'POST',
    path: () => '/Users',
    body: () => newUser(jo.userName),
    assertions: [status(409)],
  },
  {
    name: 'the user name in capital letters',
    path: () => byName(jo.userName.toUpperCase()),
    assertions: [status(200)],
  },
  {
    name: 'groups are listed',
    path: () => '/Groups',
    assertions: [status(200), ['the answer took less than 600 ms', ({ ms }) => ms < 600]],
  },
  {
    name: 'no right token',
    path: () => byName(jo.userName.toUpperCase()),
    authorization: 'non-token',
    assertions: [status(401), detail, statusText('401'), schema(`${messages}:Error`)],
  },
  {
    name: 'another id that nobody has',
    path: () => '/Users/00919288221112222',
    assertions: [status(404), detail, statusText('404'), schema(`${messages}:Error`)],
  },
]

let signet: OwnSignet
let ask: (step: Omit<Step, 'name' | 'assertions'>) => Promise<Answered>

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_ROLES: 'api' } })
  const { address, token } = await openDirectory(signet, await signet.organization())
  ask = async ({ method = 'GET', path, body, authorization = `Bearer ${token}` }) => {
    const began = performance.now()
    const answer = await fetch(`${address}${path()}`, {
      method,
      headers: {
        authorization,
        accept: 'application/scim+json; charset=utf-8',
        ...(body && { 'content-type': 'application/scim+json; charset=utf-8' }),
      },
      ...(body && { body: JSON.stringify(body()) }),
    })
    return { status: answer.status, body: await answer.json(), ms: performance.now() - began }
  }
  const first = { ...newUser('first@example.com'), userName: 'first@example.com' }
  firstId = (await ask({ method: 'POST', path: () => '/Users', body: () => first })).body.id
})

afterAll(() => signet?.stop())

test('113: The file has twelve requests with 52 assertions', () => {
  expect(steps.length).toBe(12)
  expect(steps.flatMap(({ assertions }) => assertions).length).toBe(52)
})

test.each(steps)('113: $name', async ({ assertions, ...step }) => {
  const answer = await ask(step)
  if (answer.status === 201) joId = answer.body.id
  const failed = assertions.filter(([, holds]) => !holds(answer)).map(([what]) => what)
  expect({ failed, answer: failed.length > 0 && answer }).toEqual({ failed: [], answer: false })
})
