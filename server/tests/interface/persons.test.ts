import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  closePersons,
  create,
  email,
  groupNameRule,
  newGroups,
  newOrganization,
  newPerson,
  openPersons,
  phone,
  read,
  regions,
  signet,
  unknownId,
} from '../support/own-persons.ts'
import { refused } from '../support/refused.ts'

beforeAll(openPersons)
afterAll(closePersons)
beforeEach(newOrganization)

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const utcForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/
const emailRule = 'must be an e-mail address of at most 254 characters, such as jo@example.com'
const phoneRule = 'must be a phone number as in E.164, such as +12025550123'
const personNotFound = refused(404, 'person: not found')
const regionRule = `region: must be one of ${regions.join(', ')}`
const countPersons = async () => (await ask('GET', '/persons?limit=1')).body.meta.pagination.total_count
const emails = (count: number) => Array.from({ length: count }, (_, index) => email(`jo${index}@example.com`))

/** 64 characters before the `@`, and so many in all. */
const longEmail = (length: number) =>
  email(`${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(length - 197)}.com`)

describe('Person creation', () => {
  // Proves 2.3/2.
  test('A new person is answered with the record, as it was given', async () => {
    await newGroups('staff', 'Admins')
    const handles = [{ ...email('Jo@Example.com'), verified: true }, phone('+12025550123')]
    const { status, body } = await create({
      handles,
      groups: ['staff', 'Admins', 'staff'],
      region: 'eu-1_X',
      active: false,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      result: {
        person_id: expect.stringMatching(uuidForm),
        active: false,
        region: 'eu-1_X',
        handles: [handles[0], { ...handles[1], verified: false }],
        groups: ['Admins', 'staff'],
        created_at: expect.stringMatching(utcForm),
      },
    })
    expect((await ask('GET', `/persons/${body.result.person_id}`)).body).toEqual(body)
  })

  // Proves 2.3/2.
  test('A person needs nothing: it is active, in the region of the service, without handles and groups (2.3)', async () => {
    const { body } = await create()
    expect(body.result).toMatchObject({ active: true, region: 'local', handles: [], groups: [] })
  })

  test('A person may have 20 handles, a region of 63 characters, and 1000 names of groups', async () => {
    await newGroups('staff')
    const answer = await create({ handles: emails(20), region: 'r'.repeat(63), groups: Array(1_000).fill('staff') })
    expect(answer).toMatchObject({ status: 201, body: { result: { region: 'r'.repeat(63), groups: ['staff'] } } })
    expect(answer.body.result.handles).toHaveLength(20)
  })

  // Proves 2.3/3.
  test.each<[string, object, string[]]>([
    ['21 handles', { handles: emails(21) }, ['handles: must be an array of at most 20 handles']],
    ['handles that are no array', { handles: {} }, ['handles: must be an array of at most 20 handles']],
    [
      'an unknown type of handle',
      { handles: [{ type: 'Username', value: 'jo' }] },
      ['handles[0].type: must be one of EmailAddress, PhoneNumber'],
    ],
    [
      'a handle without its parts',
      { handles: [{}] },
      ['handles[0].type: is required', 'handles[0].value: is required'],
    ],
    [
      'an unknown part of a handle',
      { handles: [{ ...email('a@b.co'), primary: true }] },
      ['handles[0].primary: is not a known field'],
    ],
    [
      'verified that is no boolean',
      { handles: [{ ...email('a@b.co'), verified: 1 }] },
      ['handles[0].verified: must be a boolean'],
    ],
    [
      'handles against their rules',
      { handles: [email('jo'), phone('1')] },
      [`handles[0].value: ${emailRule}`, `handles[1].value: ${phoneRule}`],
    ],
    [
      'one handle in two compositions',
      { handles: [email('jose\u0301@example.com'), email('jos\u00e9@example.com')] },
      ['handles[1].value: is the same as handles[0].value'],
    ],
    [
      'one handle twice',
      { handles: [email('jo@example.com'), email('JO@EXAMPLE.COM')] },
      ['handles[1].value: is the same as handles[0].value'],
    ],
    ['an empty region', { region: '' }, [regionRule]],
    ['a region that the service has not', { region: 'moon' }, [regionRule]],
    ['a region in capital letters', { region: 'EU' }, [`${regionRule}; did you mean eu?`]],
    ['a region that is no text', { region: 1 }, [regionRule]],
    ['a region that is the name of what objects have', { region: 'constructor' }, [regionRule]],
    ['active that is no boolean', { active: 'yes' }, ['active: must be a boolean']],
    [
      'bad names of groups',
      { groups: ['a', 'ok', '-x'] },
      [`groups[0]: ${groupNameRule}`, `groups[2]: ${groupNameRule}`, 'groups[1]: ok does not exist'],
    ],
    [
      '1001 names of groups',
      { groups: Array.from({ length: 1_001 }, (_, index) => `ok-${index}`) },
      ['groups: must be an array of at most 1000 group names'],
    ],
    [
      'missing groups',
      { groups: ['no', 'none', 'no'] },
      ['groups[0]: no does not exist', 'groups[1]: none does not exist'],
    ],
    ['an unknown field', { person_id: unknownId }, ['person_id: is not a known field']],
  ])('A person with %s is 400, and none is created', async (_name, body, messages) => {
    expect(await create(body)).toMatchObject(refused(400, ...messages))
    expect(await countPersons()).toBe(0)
  })
})

describe('A handle', () => {
  // Proves 2.3/3, 2.3/4.
  test.each([
    email('a@b.co'),
    email(`${'a'.repeat(64)}@example.com`),
    longEmail(254),
    email('用户@例え.テスト'),
    phone('+12'),
    phone('+123456789012345'),
  ])('A handle may be %j (2.3)', async (handle) => {
    expect((await create({ handles: [handle] })).body.result.handles).toEqual([{ ...handle, verified: false }])
  })

  // Proves 2.3/4.
  test.each([
    [email(`${'a'.repeat(65)}@example.com`), emailRule],
    [longEmail(255), emailRule],
    [email('jo@localhost'), emailRule],
    [email('jo@127.0.0.1'), emailRule],
    [email('jo@example.com\n'), emailRule],
    [email('+12025550123'), emailRule],
    [phone('+1'), phoneRule],
    [phone('+1234567890123456'), phoneRule],
    [phone('12025550123'), phoneRule],
    [phone('+1 202 555 0123'), phoneRule],
    [phone('+0123'), phoneRule],
    [phone('jo@example.com'), phoneRule],
  ])('A handle may not be %j (2.3)', async (handle, rule) => {
    expect(await create({ handles: [handle] })).toMatchObject(refused(400, `handles[0].value: ${rule}`))
  })

  test.each([
    [email('jo@example.com'), email('jo@example.com')],
    [email('jo@example.com'), email('JO@Example.Com')],
    [email('jo@bücher.example'), email('jo@xn--bcher-kva.example')],
    [phone('+12025550123'), phone('+12025550123')],
  ])('A handle %j conflicts with %j of another person: 409, and nothing is created', async (taken, same) => {
    await newGroups('staff')
    await create({ handles: [taken] })
    const answer = await create({ handles: [email('new@example.com'), same], groups: ['staff'] })
    expect(answer).toMatchObject(refused(409, 'handles[1].value: is already in use'))
    expect(await countPersons()).toBe(1)
    expect((await create({ handles: [email('new@example.com')] })).status).toBe(201)
  })

  test('Each handle that is taken has an error of its own', async () => {
    await create({ handles: [email('jo@example.com'), phone('+12025550123')] })
    const handles = [phone('+12025550123'), email('new@example.com'), email('jo@example.com')]
    expect(await create({ handles })).toMatchObject(
      refused(409, 'handles[0].value: is already in use', 'handles[2].value: is already in use'),
    )
  })

  test('A handle differs by letters that are not ASCII, and by its organization', async () => {
    await create({ handles: [email('éve@example.com')] })
    expect((await create({ handles: [email('Éve@example.com')] })).status).toBe(201)
    const theirs = await signet.organization()
    const answer = await signet.as(theirs, 'POST', '/persons', { handles: [email('éve@example.com')] })
    expect(answer.status).toBe(201)
  })

  test('A handle is free again when its person gives it up or is deleted', async () => {
    const handles = [email('jo@example.com')]
    const first = await newPerson({ handles })
    await ask('PATCH', `/persons/${first}`, { handles: [] })
    const second = await newPerson({ handles })
    await ask('DELETE', `/persons/${second}`)
    expect((await create({ handles })).status).toBe(201)
  })
})

describe('Persons', () => {
  const find = (query: string) => ask('GET', `/persons?${query}`)

  test('The list of persons has the newest first, in pages', async () => {
    const personIds = [await newPerson(), await newPerson(), await newPerson()]
    const { body } = await ask('GET', '/persons')
    expect(body.result).toEqual(await Promise.all(personIds.toReversed().map(read)))
    expect(body.meta).toEqual({ pagination: { limit: 100, offset: 0, total_count: 3 } })
    expect((await find('limit=1&offset=1')).body.result).toMatchObject([{ person_id: personIds[1] }])
  })

  test.each([
    'EmailAddress:jo+x@example.com',
    'EmailAddress:JO%2BX@EXAMPLE.COM',
    'EmailAddress%3Ajo%20x%40example.com',
    'PhoneNumber:%2B12025550123',
    'PhoneNumber:+12025550123',
    'PhoneNumber:%2012025550123',
  ])('Persons are found by handle=%s', async (handle) => {
    await newPerson()
    const person = await newPerson({ handles: [email('Jo+x@example.com'), phone('+12025550123')] })
    const { body } = await find(`handle=${handle}`)
    expect(body.result).toEqual([await read(person)])
    expect(body.meta.pagination.total_count).toBe(1)
    expect((await find(`handle=${handle}&offset=1`)).body.result).toEqual([])
  })

  test('Persons are found by the beginning of a handle, by a group and by whether they may sign in, and by all of these', async () => {
    await newGroups('staff', 'Admins')
    const jo = await newPerson({ handles: [email('Jo+x@Example.com'), email('jo+y@example.com')], groups: ['staff'] })
    const joan = await newPerson({ handles: [email('joan@example.com')], groups: ['Admins'], active: false })
    const ali = await newPerson({ handles: [phone('+12025550123')], groups: ['staff'], active: false })
    const theirs = await signet.organization()
    await signet.as(theirs, 'POST', '/persons', { handles: [email('jo@example.com')] })
    const idsBy = async (query: string) => {
      const { result, meta } = (await find(query)).body
      expect(meta.pagination.total_count).toBe(result.length)
      return result.map((person: { person_id: string }) => person.person_id)
    }
    expect(await idsBy('handle_prefix=JO')).toEqual([joan, jo])
    expect(await idsBy('handle_prefix=jo%2Bx@ex')).toEqual([jo])
    for (const plus of ['+', '%2B']) expect(await idsBy(`handle_prefix=${plus}1202`)).toEqual([ali])
    for (const none of ['o', 'jo_', 'jo%25', 'jo+x@example.com.'])
      expect(await idsBy(`handle_prefix=${none}`)).toEqual([])
    expect(await idsBy('group=staff')).toEqual([ali, jo])
    for (const none of ['unknown', '-', '']) expect(await idsBy(`group=${none}`)).toEqual([])
    expect(await idsBy('active=false')).toEqual([ali, joan])
    expect(await idsBy('active=true')).toEqual([jo])
    expect(await idsBy('group=staff&active=false')).toEqual([ali])
    expect(await idsBy('handle_prefix=jo&active=false')).toEqual([joan])
    expect(await idsBy('handle_prefix=jo&group=Admins')).toEqual([joan])
    expect(await idsBy('handle_prefix=jo&group=Admins&active=true')).toEqual([])
    const second = await find('active=false&limit=1&offset=1')
    expect(second.body).toMatchObject({ result: [await read(joan)], meta: { pagination: { total_count: 2 } } })
  })

  test.each([
    ['handle_prefix=', 'handle_prefix: must be 1 to 254 characters'],
    ['active=yes', 'active: must be true or false'],
    ['handle=EmailAddress:jo@example.com&active=true', 'handle: must not be together with another filter'],
  ])('A list of persons with %s is 400', async (query, rule) => {
    expect(await find(query)).toMatchObject(refused(400, rule))
  })

  test('No person is found by a handle that nobody has, or that is of another organization', async () => {
    const theirs = await signet.organization()
    await signet.as(theirs, 'POST', '/persons', { handles: [email('jo@example.com')] })
    expect(await find('handle=EmailAddress:jo@example.com')).toMatchObject({
      status: 200,
      body: { result: [], meta: { pagination: { total_count: 0 } } },
    })
  })

  test.each(['', 'jo@example.com', 'Username:jo', 'EmailAddress:', 'EmailAddress:jo', 'PhoneNumber:12025550123'])(
    'A list of persons with handle=%s is 400',
    async (handle) => {
      const rule = 'handle: must be EmailAddress: or PhoneNumber: followed by a value of that type'
      expect(await find(`handle=${handle}`)).toMatchObject(refused(400, rule))
    },
  )
})

describe('A person', () => {
  // Proves 2.3/1.
  test('A person is read by its id, in upper and lower case (2.3)', async () => {
    const person = await newPerson()
    expect(await read(person.toUpperCase())).toMatchObject({ person_id: person })
  })

  test('A person is activated and deactivated, and an absent field stays', async () => {
    const person = await newPerson({ handles: emails(2) })
    const before = await read(person)
    const change = async (body: object) => (await ask('PATCH', `/persons/${person}`, body)).body.result
    expect(await change({})).toEqual(before)
    expect(await change({ active: false })).toEqual({ ...before, active: false })
    expect(await change({ active: true })).toEqual(before)
  })

  test('A person changes all its handles at once, and may keep some', async () => {
    const person = await newPerson({ handles: [email('jo@example.com'), phone('+12025550123')] })
    const handles = [
      { ...email('new@example.com'), verified: true },
      { ...email('JO@example.com'), verified: false },
    ]
    const { body } = await ask('PATCH', `/persons/${person}`, { handles })
    expect(body.result.handles).toEqual(handles)
    expect((await read(person)).handles).toEqual(handles)
  })

  test('A handle stays verified when a change names it without saying so, in upper or lower case, and no other one does', async () => {
    const person = await newPerson({ handles: [{ ...email('jo@example.com'), verified: true }, phone('+12025550123')] })
    const change = async (...handles: object[]) =>
      (await ask('PATCH', `/persons/${person}`, { handles })).body.result.handles
    const jo = email('JO@example.com')
    expect(await change(phone('+12025550123'), jo)).toEqual([
      { ...phone('+12025550123'), verified: false },
      { ...jo, verified: true },
    ])
    expect(await change({ ...jo, verified: false })).toEqual([{ ...jo, verified: false }])
    expect(await change(jo)).toEqual([{ ...jo, verified: false }])
    await change()
    expect(await change(jo)).toEqual([{ ...jo, verified: false }])
  })

  test('A person does not change when a handle is taken (409) or wrong (400)', async () => {
    await newPerson({ handles: [email('taken@example.com')] })
    const person = await newPerson({ handles: [email('jo@example.com')] })
    const before = await read(person)
    const change = (body: object) => ask('PATCH', `/persons/${person}`, body)
    expect(
      await change({ active: false, handles: [email('new@example.com'), email('taken@example.com')] }),
    ).toMatchObject(refused(409, 'handles[1].value: is already in use'))
    const wrong = { active: null, handles: emails(21), region: 'x' }
    expect(await change(wrong)).toMatchObject(
      refused(
        400,
        'region: is not a known field',
        'active: must be a boolean',
        'handles: must be an array of at most 20 handles',
      ),
    )
    expect(await read(person)).toEqual(before)
  })

  test('A person is deleted once, with its memberships', async () => {
    await newGroups('staff')
    const person = await newPerson({ groups: ['staff'] })
    expect(await ask('DELETE', `/persons/${person}`)).toMatchObject({ status: 204, body: undefined })
    expect(await ask('DELETE', `/persons/${person}`)).toMatchObject(personNotFound)
    expect((await ask('GET', '/groups/staff/persons')).body.result).toEqual([])
    expect(await countPersons()).toBe(0)
  })

  // Proves 2.3/1, 4.4/1, 7/9.
  test.each<[string, string, unknown]>([
    ['GET', '', undefined],
    ['PATCH', '', {}],
    ['DELETE', '', undefined],
    ['GET', '/groups', undefined],
    ['PUT', '/groups', { groups: ['unknown'] }],
    ['POST', '/groups', { groups: ['unknown'] }],
  ])('An unknown person is 404 (%s /persons/{person_id}%s)', async (method, rest, body) => {
    for (const id of [unknownId, 'x', `${unknownId}0`, '%C3%A9', '..%2Fgroups'])
      expect(await ask(method, `/persons/${id}${rest}`, body)).toMatchObject(personNotFound)
  })
})
