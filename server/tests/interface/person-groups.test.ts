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
  ours,
  phone,
  read,
  receiver,
  signet,
  unknownId,
} from '../support/own-persons.ts'
import { refused } from '../support/refused.ts'

beforeAll(openPersons)
afterAll(closePersons)
beforeEach(newOrganization)

const membershipNotFound = refused(404, 'membership: not found')

describe('The groups of a person', () => {
  let person: string
  const set = (groups: unknown) => ask('PUT', `/persons/${person}/groups`, { groups })
  const add = (groups: unknown) => ask('POST', `/persons/${person}/groups`, { groups })
  const groups = async () => (await ask('GET', `/persons/${person}/groups`)).body.result

  beforeEach(async () => {
    await newGroups('aa', 'bb', 'cc', 'Aa')
    person = await newPerson({ groups: ['aa', 'bb'] })
  })

  test('The list of groups is sorted by the bytes of their names, in pages', async () => {
    await set(['cc', 'aa', 'Aa'])
    expect((await ask('GET', `/persons/${person}/groups`)).body).toEqual({
      result: ['Aa', 'aa', 'cc'],
      meta: { pagination: { limit: 100, offset: 0, total_count: 3 } },
    })
    expect((await ask('GET', `/persons/${person}/groups?limit=1&offset=1`)).body.result).toEqual(['aa'])
  })

  // Proves 1/4, 4.4, rule 1/1, 4.4/4, 7/2.
  test('Set adds the person to each group that is listed and removes it from every other (4.4, rule 1)', async () => {
    const answer = await set(['cc', 'bb'])
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { result: ['bb', 'cc'] } })
    expect(await groups()).toEqual(['bb', 'cc'])
    expect((await ask('GET', '/groups/aa/persons')).body.result).toEqual([])
    expect((await ask('GET', '/groups/cc/persons')).body.result).toEqual([person])
    expect((await set(['bb', 'cc'])).body.result).toEqual(['bb', 'cc'])
  })

  // Proves 4.4, rule 1/1.
  test('Set leaves the groups of other persons alone', async () => {
    const other = await newPerson({ groups: ['aa', 'bb'] })
    await set(['cc'])
    expect((await read(other)).groups).toEqual(['aa', 'bb'])
  })

  // Proves 4.4, rule 2/1, 4.4/5.
  test('Set requires that all groups that are listed exist, else 400 that names each missing one and nothing changes (4.4, rule 2)', async () => {
    const theirs = await signet.organization()
    await signet.as(theirs, 'POST', '/groups', { name: 'theirs' })
    expect(await set(['cc', 'none', 'theirs', 'AA', 'none'])).toMatchObject(
      refused(
        400,
        'groups[1]: none does not exist',
        'groups[2]: theirs does not exist',
        'groups[3]: AA does not exist',
      ),
    )
    expect(await groups()).toEqual(['aa', 'bb'])
  })

  // Proves 4.4, rule 3/1.
  test('Set ignores duplicates (4.4, rule 3)', async () => {
    expect((await set(['cc', 'aa', 'cc', 'cc'])).body.result).toEqual(['aa', 'cc'])
    expect(await groups()).toEqual(['aa', 'cc'])
  })

  // Proves 4.4, rule 4/1.
  test('Set with an empty list removes the person from all groups and adds none (4.4, rule 4)', async () => {
    const answer = await set([])
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { result: [] } })
    expect(await groups()).toEqual([])
  })

  // Proves 4.4/5.
  test('Set takes at most 1000 names', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `none-${index}`)
    expect(await set(names)).toMatchObject(refused(400, 'groups: must be an array of at most 1000 group names'))
    expect(await groups()).toEqual(['aa', 'bb'])
  })

  // Proves 4.4, rule 3/1.
  test('Set counts names once their duplicates are removed (4.4, rule 3)', async () => {
    expect((await set(Array(10_000).fill('cc'))).body.result).toEqual(['cc'])
    expect(await groups()).toEqual(['cc'])
    expect(await set(Array(10_001).fill('aa'))).toMatchObject(
      refused(400, 'groups: must be an array of at most 1000 group names'),
    )
  })

  // Proves 4.4/3, 4.4/5, 4.4/6, 7/6.
  test.each<[unknown, string[]]>([
    [undefined, ['groups: is required']],
    [null, ['groups: must be an array of at most 1000 group names']],
    ['aa', ['groups: must be an array of at most 1000 group names']],
    [['aa', 'b', 1, 'é!'], [1, 2, 3].map((index) => `groups[${index}]: ${groupNameRule}`)],
    [['aa\n'], [`groups[0]: ${groupNameRule}`]],
    [['a'.repeat(101)], [`groups[0]: ${groupNameRule}`]],
  ])('Set and add refuse %j: 400 that names each bad name, and nothing changes (4.4)', async (names, messages) => {
    expect(await set(names)).toMatchObject(refused(400, ...messages))
    expect(await add(names)).toMatchObject(refused(400, ...messages))
    expect(await groups()).toEqual(['aa', 'bb'])
  })

  // Proves 4.4/6.
  test('Add keeps the person in all other groups, and the reply has all names (4.4)', async () => {
    const answer = await add(['cc', 'aa', 'cc'])
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: { result: ['aa', 'bb', 'cc'] } })
    expect(await groups()).toEqual(['aa', 'bb', 'cc'])
    expect((await add([])).body.result).toEqual(['aa', 'bb', 'cc'])
  })

  // Proves 4.4/6.
  test('Add with a missing group is 400 that names it, and nothing changes (4.4)', async () => {
    const refusal = refused(400, 'groups[0]: none does not exist')
    expect(await add(['none', 'cc'])).toMatchObject(refusal)
    expect(await groups()).toEqual(['aa', 'bb'])
  })

  test('Leave takes the person out of the group, and is 404 for one who is not in it', async () => {
    const leave = (path: string) => ask('DELETE', `/persons/${path}`)
    expect(await leave(`${person}/groups/aa`)).toMatchObject({ status: 200, body: {} })
    expect(await groups()).toEqual(['bb'])
    for (const path of [`${person}/groups/aa`, `${person}/groups/none`, `${unknownId}/groups/bb`, 'x/groups/bb'])
      expect(await leave(path)).toMatchObject(membershipNotFound)
  })
})

describe('The events of a person', () => {
  const contentOf = (jwt: string) =>
    JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).trigger_content

  // Proves 1/6, 6.1/5, 6.1/6, 6.1/18, 6.1/19.
  test('The events of a person are PersonCreated_v1 and PersonDeleted_v1 with what it had, and none for what was refused (6.1)', async () => {
    const target = { name: 'x', target_url: receiver.url('/persons') }
    const { body } = await ask('POST', '/organizations/webhooks', target)
    for (const trigger_name of ['PersonCreated_v1', 'PersonDeleted_v1'])
      await ask('POST', `/organizations/webhooks/${body.result.id}/triggers`, { trigger_type: 'event', trigger_name })
    await newGroups('staff', 'Admins')

    const handles = [email('Jo@example.com'), phone('+12025550123')]
    const person = await newPerson({ handles, groups: ['staff', 'Admins'], region: 'eu' })
    await create({ handles })
    await create({ groups: ['none'] })
    await ask('DELETE', `/persons/${person}`)
    await ask('DELETE', `/persons/${person}`)
    const last = await newPerson()

    const contents = (await receiver.waitFor('/persons', 3)).map((received) => contentOf(received.body))
    const of = (name: string, id: string) =>
      contents.filter((content) => content.event_metadata.event_name === name && content.person_id === id)
    expect(of('PersonCreated_v1', last)).toHaveLength(1)
    expect(of('PersonCreated_v1', person)).toMatchObject([{ region: 'eu' }])
    expect(of('PersonDeleted_v1', person)).toMatchObject([
      {
        event_metadata: { organization_id: ours.id, is_test_event: false },
        region: 'eu',
        handles: [
          { type: 0, value: 'Jo@example.com' },
          { type: 1, value: '+12025550123' },
        ],
        groups: ['Admins', 'staff'],
      },
    ])
  })
})
