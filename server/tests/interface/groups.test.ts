import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

const utcForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/
const unknownId = '01890000-0000-7000-8000-000000000000'
const nameRule = 'must be 2 to 100 characters of A-Z a-z 0-9 - _ . and start and end with a letter or digit'
const groupNotFound = refused(404, 'group: not found')
const membershipNotFound = refused(404, 'membership: not found')

let signet: Signet
let ours: Organization

beforeAll(async () => {
  signet = await startOwnSignet()
})

afterAll(() => signet?.stop())

beforeEach(async () => {
  ours = await signet.organization()
})

const ask = (method: string, path: string, body?: unknown) => signet.as(ours, method, path, body)
const create = (fields: object) => ask('POST', '/groups', fields)

async function newPersons(count: number, fields: object = {}): Promise<string[]> {
  const answers = []
  for (let person = 0; person < count; person++) answers.push(await ask('POST', '/persons', fields))
  return answers.map((answer) => answer.body.result.person_id)
}

describe('The name of a group', () => {
  const places: [place: string, nameWith: (text: string) => string][] = [
    ['first', (text) => `${text}bc`],
    ['in the middle', (text) => `a${text}c`],
    ['last', (text) => `ab${text}`],
  ]
  const everywhere: [string, string][] = [
    ['a small letter', 'z'],
    ['a capital letter', 'Z'],
    ['a digit', '0'],
  ]
  const inside: [string, string][] = [
    ['a hyphen', '-'],
    ['an underscore', '_'],
    ['a dot', '.'],
  ]
  const nowhere: [string, string][] = [
    ['a blank', ' '],
    ['a tab', '\t'],
    ['a line end', '\n'],
    ['a carriage return', '\r'],
    ['a slash', '/'],
    ['a back slash', '\\'],
    ['a percent sign', '%'],
    ['a plus sign', '+'],
    ['an at sign', '@'],
    ['a colon', ':'],
    ['a comma', ','],
    ['a tilde', '~'],
    ['a quote', '"'],
    ['an accented letter', 'é'],
    ['a long s', 'ſ'],
    ['a Kelvin sign', '\u212a'],
    ['a Greek letter', 'λ'],
    ['an Arabic digit', '٣'],
    ['a fullwidth letter', 'ａ'],
    ['a combining mark', '\u0301'],
    ['a no-break space', '\u00a0'],
    ['a zero-width space', '\u200b'],
    ['a line separator', '\u2028'],
    ['an emoji', '😀'],
  ]
  const cases = places.flatMap(([place, nameWith], index) => [
    ...everywhere.map(([what, text]) => [what, place, nameWith(text), true] as const),
    ...inside.map(([what, text]) => [what, place, nameWith(text), index === 1] as const),
    ...nowhere.map(([what, text]) => [what, place, nameWith(text), false] as const),
  ])

  // Proves 2.2/2, 8/2.
  test.each(cases.filter(([, , , isLawful]) => isLawful))(
    'A group name may have %s %s: %j (2.2, 8)',
    async (_what, _place, name) => {
      expect(await create({ name })).toMatchObject({ status: 201, body: { result: { name } } })
      expect((await ask('GET', `/groups/${name}`)).body.result.name).toBe(name)
    },
  )

  // Proves 2.2/2, 4.3/10, 7/5, 8/2.
  test.each(cases.filter(([, , , isLawful]) => !isLawful))(
    'A group name may not have %s %s: %j (2.2, 8)',
    async (_what, _place, name) => {
      expect(await create({ name })).toMatchObject(refused(400, `name: ${nameRule}`))
    },
  )

  // Proves 2.2/3.
  test.each(places)('A group name may not have U+0000 %s (2.2)', async (_place, nameWith) => {
    const refusal = refused(400, 'name: must not contain U+0000 or lone surrogates')
    expect(await create({ name: nameWith('\0') })).toMatchObject(refusal)
  })

  // Proves 2.2/4, 8/1.
  test.each([2, 3, 99, 100])('A group name may have %i characters (2.2, 8)', async (length) => {
    const name = 'a'.repeat(length)
    expect(await create({ name })).toMatchObject({ status: 201, body: { result: { name } } })
  })

  // Proves 2.2/4, 8/1.
  test.each([0, 1, 101, 1_000])('A group name may not have %i characters (2.2, 8)', async (length) => {
    expect(await create({ name: 'a'.repeat(length) })).toMatchObject(refused(400, `name: ${nameRule}`))
  })

  // Proves 2.2/4.
  test('A group name may have 98 other characters between its ends, and not 99', async () => {
    expect((await create({ name: `a${'.'.repeat(98)}z` })).status).toBe(201)
    expect((await create({ name: `a${'.'.repeat(99)}z` })).status).toBe(400)
  })

  // Proves 2.2/3.
  test.each([[1], [null], [true], [['ab']], [{}]])('A group name may not be %j', async (name) => {
    expect(await create({ name })).toMatchObject(refused(400, `name: ${nameRule}`))
  })

  // Proves 2.2/1, 4.3/6.
  test('A group name is required (2.2)', async () => {
    expect(await create({ description: 'x' })).toMatchObject(refused(400, 'name: is required'))
  })

  // Proves 2.2/5.
  test('A group name is case-sensitive (2.2)', async () => {
    for (const name of ['Staff', 'staff', 'STAFF']) await create({ name, description: name })
    expect((await ask('GET', '/groups')).body.result).toEqual(['STAFF', 'Staff', 'staff'])
    const found = { result: ['STAFF', 'Staff'], meta: { pagination: { total_count: 2 } } }
    expect((await ask('GET', '/groups?name=S')).body).toMatchObject(found)
    expect((await ask('GET', '/groups?name=st')).body.result).toEqual(['staff'])
    for (const none of ['a', 'taff', '%25', 'S_', 'staff-'])
      expect((await ask('GET', `/groups?name=${none}`)).body.result).toEqual([])
    expect((await ask('GET', '/groups/Staff')).body.result.description).toBe('Staff')
    expect(await ask('GET', '/groups/sTAFF')).toMatchObject(groupNotFound)
  })

  // Proves 2.2/6.
  test('A group name is unique within its organization, but not across organizations (2.2)', async () => {
    const theirs = await signet.organization()
    await create({ name: 'staff', description: 'ours' })
    expect(await signet.as(theirs, 'GET', '/groups/staff')).toMatchObject(groupNotFound)
    await signet.as(theirs, 'POST', '/groups', { name: 'staff', description: 'theirs' })
    expect((await ask('GET', '/groups')).body.result).toEqual(['staff'])
    expect((await ask('GET', '/groups/staff')).body.result.description).toBe('ours')
    expect((await signet.as(theirs, 'GET', '/groups/staff')).body.result.description).toBe('theirs')
  })
})

describe('Group creation', () => {
  // Proves 1/3, 4.3/1, 4.3/7, 4.3/9, 7/4.
  test('A new group is answered with its record (4.3)', async () => {
    const { status, body } = await create({ name: 'staff', description: 'All of us' })
    expect(status).toBe(201)
    const record = {
      name: 'staff',
      description: 'All of us',
      members_count: 0,
      created_at: expect.stringMatching(utcForm),
    }
    expect(body).toEqual({ result: record })
    expect((await ask('GET', '/groups/staff')).body).toEqual(body)
  })

  // Proves 2.2/7, 4.3/7.
  test('A group needs no description (2.2, 4.3)', async () => {
    expect((await create({ name: 'staff' })).body.result.description).toBe('')
  })

  // Proves 4.3/8, 7/12.
  test('A group that exists is created again without effect (4.3, 7)', async () => {
    const first = await create({ name: 'staff', description: 'first' })
    const personIds = await newPersons(1, { groups: ['staff'] })
    const second = await create({ name: 'staff', description: 'second' })
    expect(second.status).toBe(201)
    expect(second.body.result).toEqual({ ...first.body.result, members_count: 1 })
    expect((await ask('GET', '/groups/staff/persons')).body.result).toEqual(personIds)
  })

  // Proves 4.3/7.
  test.each([[1], [true], [['x']]])('A group with the description %j is 400', async (description) => {
    const refusal = refused(400, 'description: must be at most 1000 characters')
    expect(await create({ name: 'staff', description })).toMatchObject(refusal)
  })
})

describe('Groups', () => {
  test('The list of groups is sorted by the bytes of their names, in pages', async () => {
    for (const name of ['b1', 'a_', 'a-1', 'a1', 'a.1', 'B1', '1a', 'a_1']) await create({ name })
    const sorted = ['1a', 'B1', 'a-1', 'a.1', 'a1', 'a_1', 'b1']
    expect((await ask('GET', '/groups')).body).toEqual({
      result: sorted,
      meta: { pagination: { limit: 100, offset: 0, total_count: sorted.length } },
    })
    expect((await ask('GET', '/groups?limit=2&offset=5')).body.result).toEqual(['a_1', 'b1'])
  })
})

describe('A group', () => {
  beforeEach(async () => {
    await create({ name: 'staff', description: 'All of us' })
  })

  test('The description of a group is changed, kept when it is absent, and emptied by null', async () => {
    const change = async (body: object) => (await ask('PATCH', '/groups/staff', body)).body.result
    expect((await change({})).description).toBe('All of us')
    expect((await change({ description: 'Some of us' })).description).toBe('Some of us')
    expect((await change({ description: null })).description).toBe('')
    expect((await ask('GET', '/groups/staff')).body.result.description).toBe('')
  })

  test('The name of a group cannot be changed', async () => {
    const refusal = refused(400, 'name: is not a known field')
    expect(await ask('PATCH', '/groups/staff', { name: 'crew' })).toMatchObject(refusal)
  })

  test('A group counts its members', async () => {
    await newPersons(3, { groups: ['staff'] })
    expect((await ask('GET', '/groups/staff')).body.result.members_count).toBe(3)
  })

  test('A group is deleted with its memberships and empty when it is created again, and its members stay', async () => {
    const [person] = await newPersons(1, { groups: ['staff'] })
    expect(await ask('DELETE', '/groups/staff')).toMatchObject({ status: 200, body: {} })
    expect((await ask('GET', '/groups')).body.result).toEqual([])
    expect((await ask('GET', `/persons/${person}`)).body.result.groups).toEqual([])
    await create({ name: 'staff' })
    expect((await ask('GET', '/groups/staff/persons')).body.result).toEqual([])
  })

  test.each<[string, string, unknown]>([
    ['GET', '', undefined],
    ['PATCH', '', { description: 'x' }],
    ['DELETE', '', undefined],
    ['GET', '/persons', undefined],
    ['POST', '/persons', { persons: [] }],
  ])('An unknown group is 404 (%s /groups/{group_name}%s)', async (method, rest, body) => {
    for (const name of ['unknown', 'Staff', 'x', 'a%20b', 'staff%0A', 'a%2Fb', '%C3%A9'])
      expect(await ask(method, `/groups/${name}${rest}`, body)).toMatchObject(groupNotFound)
  })
})

describe('The members of a group', () => {
  const add = (persons: unknown) => ask('POST', '/groups/staff/persons', { persons })
  const members = async () => (await ask('GET', '/groups/staff/persons')).body.result

  beforeEach(async () => {
    await create({ name: 'staff' })
  })

  test('The list of members has the newest first, in pages', async () => {
    const personIds = await newPersons(3, { groups: ['staff'] })
    expect((await ask('GET', '/groups/staff/persons')).body).toEqual({
      result: personIds.toReversed(),
      meta: { pagination: { limit: 100, offset: 0, total_count: 3 } },
    })
    expect((await ask('GET', '/groups/staff/persons?limit=1&offset=1')).body.result).toEqual([personIds[1]])
  })

  test('Members are added: who is in the group stays, and who is given twice counts once', async () => {
    const [first, second, third] = (await newPersons(3)) as [string, string, string]
    expect(await add([first])).toMatchObject({ status: 201, body: {} })
    expect((await add([third, first, third.toUpperCase()])).status).toBe(201)
    expect(await members()).toEqual([third, first])
    expect((await add([])).status).toBe(201)
    expect((await ask('GET', `/persons/${second}`)).body.result.groups).toEqual([])
  })

  test('No member is added when one of them does not exist: 400 that names each such one', async () => {
    const theirs = await signet.organization()
    const { body } = await signet.as(theirs, 'POST', '/persons', {})
    const foreign = body.result.person_id
    const [person] = await newPersons(1)
    expect(await add([unknownId, person, foreign])).toMatchObject(
      refused(400, `persons[0]: ${unknownId} does not exist`, `persons[2]: ${foreign} does not exist`),
    )
    expect(await members()).toEqual([])
  })

  test('Members are at most 1000 in a request', async () => {
    const [person] = await newPersons(1)
    expect((await add(Array(1_001).fill(person))).status).toBe(201)
    const unknown = Array.from({ length: 1_000 }, () => crypto.randomUUID())
    expect(await add([person, ...unknown])).toMatchObject(
      refused(400, 'persons: must be an array of at most 1000 person ids'),
    )
  })

  test('No member is added to more than 1000 groups, whichever way, and nothing changes', async () => {
    const [person] = (await newPersons(1)) as [string]
    const names = Array.from({ length: 1_000 }, (_, index) => `many-${index}`)
    for (const name of names) await ask('POST', '/groups', { name })
    expect((await ask('PUT', `/persons/${person}/groups`, { groups: names })).status).toBe(200)
    expect(await add([person])).toMatchObject(
      refused(400, `persons[0]: ${person} is in 1000 groups, the most that a person can be in`),
    )
    expect(await ask('POST', `/persons/${person}/groups`, { groups: ['staff'] })).toMatchObject(
      refused(400, 'groups: a person can be in at most 1000 groups'),
    )
    expect((await ask('POST', `/persons/${person}/groups`, { groups: names.slice(0, 5) })).status).toBe(201)
    expect(await members()).toEqual([])
  })

  test.each<[unknown, string]>([
    [undefined, 'persons: is required'],
    ['x', 'persons: must be an array of at most 1000 person ids'],
    [['x'], 'persons[0]: must be a UUID'],
    [[unknownId, null, 1], 'persons[1]: must be a UUID'],
  ])('The member list %j is refused', async (persons, message) => {
    const { status, body } = await add(persons)
    expect({ status, message: body.errors[0].message }).toEqual({ status: 400, message })
  })

  test('A member that leaves the group stays a person, and who is not in it is 404', async () => {
    const [first, second] = await newPersons(2, { groups: ['staff'] })
    expect(await ask('DELETE', `/groups/staff/persons/${first}`)).toMatchObject({ status: 200, body: {} })
    expect(await members()).toEqual([second])
    expect((await ask('GET', `/persons/${first}`)).status).toBe(200)
    for (const path of [
      `staff/persons/${first}`,
      `staff/persons/${unknownId}`,
      'staff/persons/x',
      `unknown/persons/${second}`,
    ])
      expect(await ask('DELETE', `/groups/${path}`)).toMatchObject(membershipNotFound)
  })
})
