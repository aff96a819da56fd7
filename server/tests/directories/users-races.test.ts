import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { as, closeSignIns, openSignIns, service, tenant } from '../support/own-sign-ins.ts'
import {
  corp,
  emails,
  eventsOf,
  get,
  handlesOf,
  mail,
  newDirectory,
  newPerson,
  post,
  put,
  remove,
} from '../support/own-users.ts'
import { jo, startPushing } from '../support/pushing.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newDirectory())

const statusesOf = async (answers: Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status).sort()
const times = <Result>(count: number, work: (n: number) => Result) => Array.from({ length: count }, (_, n) => work(n))
const won = (count: number, lost: number) => [...times(count, () => 201), ...times(lost, () => 409)]

test('17: Of equal POSTs at the same moment one makes the user, with one event', async () => {
  expect(await statusesOf(times(8, () => post(jo)))).toEqual(won(1, 7))
  expect(await tenant.persons()).toHaveLength(1)
  expect(await eventsOf()).toEqual(['PersonCreated'])
})

test.each([
  ['userName', (n: number) => ({ userName: n % 2 ? 'JO' : 'jo', externalId: `${n}` })],
  ['externalId', (n: number) => ({ userName: `${n}`, externalId: '00u' })],
  ['an address that the directory vouches for', (n: number) => ({ userName: `${n}`, ...emails('jo@corp.example') })],
])('Of those with %s in common one makes a user', async (_, user) => {
  expect(await statusesOf(times(8, (n) => post(user(n))))).toEqual(won(1, 7))
  expect(await tenant.persons()).toHaveLength(1)
})

test('An address that nobody vouches for is a handle of one of them, and all are made', async () => {
  const users = await Promise.all(
    times(8, (n) =>
      corp.push({ userName: `${n}`, ...emails('jo@home.example'), phoneNumbers: [{ value: '+4915112345678' }] }),
    ),
  )
  const handles = (await Promise.all(users.map(({ id }) => handlesOf(id)))).flat()
  expect(handles.sort()).toEqual([
    ['+4915112345678', false],
    ['jo@home.example', false],
  ])
})

test('Changes of one user at the same moment are all made', async () => {
  const { id } = await corp.push(jo)
  const attributes = [
    'displayName',
    'nickName',
    'title',
    'userType',
    'preferredLanguage',
    'locale',
    'timezone',
    'profileUrl',
  ]
  const answers = attributes.map((path) => corp.patch(id, { op: 'replace', path, value: path }))
  expect(await statusesOf(answers)).toEqual(attributes.map(() => 200))
  const { body } = await get(id)
  expect(body).toMatchObject(Object.fromEntries(attributes.map((name) => [name, name])))
  expect(body.meta.version).toBe(`W/"${attributes.length + 1}"`)
})

test('Users who swap addresses and names at the same moment wait for one another, and each address is one’s', async () => {
  const addresses = times(6, (n) => `${n}@corp.example`)
  const users = await Promise.all(
    addresses.map((address) => corp.push({ userName: address, externalId: address, ...emails(address) })),
  )
  for (let round = 1; round <= 5; round++) {
    const answers = users.map(({ id }, n) => {
      const at = (n + round) % addresses.length
      const next = addresses[at] as string
      // Those whose new address is another one's, and those that take one that nobody has.
      return put(
        id,
        n % 2
          ? { userName: next, externalId: next, ...emails(next) }
          : { userName: `free-${n}`, ...emails(`${n}-${round}@corp.example`) },
      )
    })
    for (const status of await statusesOf(answers)) expect([200, 409]).toContain(status)
  }
  const handles = (await Promise.all(users.map(({ id }) => handlesOf(id)))).flat()
  expect(handles).toHaveLength(users.length)
  const said = (await Promise.all(users.map(({ id }) => get(id)))).map(({ body }) => body.emails[0].value)
  expect(handles.map(([value]) => value).sort()).toEqual(said.sort())
})

test('Of two directories that adopt one person, one does', async () => {
  const directories = await Promise.all(
    times(4, (n) =>
      startPushing(service, tenant.organization, { name: `Number ${n}`, adopt: true, email_domains: ['corp.example'] }),
    ),
  )
  const person = await newPerson({ handles: [mail('jo@corp.example', true)] })
  const answers = directories.map((directory, n) => directory.call('POST', '/Users', { ...jo, userName: `${n}` }))
  expect(await statusesOf(answers)).toEqual(won(1, 3))
  expect((await tenant.persons()).map(({ person_id }) => person_id)).toEqual([person])
})

test('A user who is deleted, switched and changed at the same moment ends once', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await corp.push({ ...jo, externalId: `${round}` })
    const answers = [
      remove(id),
      corp.patch(id, { op: 'replace', path: 'active', value: false }),
      put(id, { ...jo, ...emails('jo@corp.example', `${round}@corp.example`) }),
      remove(id),
      as('DELETE', `/persons/${id}`),
    ]
    for (const status of await statusesOf(answers)) expect([200, 204, 404]).toContain(status)
    expect((await get(id)).status).toBe(404)
  }
  const names = await eventsOf()
  expect(names.filter((name) => name === 'PersonDeleted')).toHaveLength(5)
  expect(await tenant.persons()).toEqual([])
})

test('A directory that is deleted while it pushes leaves nobody of its own', async () => {
  const pushes = times(10, (n) => corp.call('POST', '/Users', { userName: `${n}`, ...emails(`${n}@corp.example`) }))
  const gone = as('DELETE', `/organizations/directories/${corp.id}`)
  for (const status of await statusesOf(pushes)) expect([201, 401]).toContain(status)
  expect((await gone).status).toBe(204)
  const persons = await tenant.persons()
  for (const { handles } of persons) expect(handles).toEqual([])
})
