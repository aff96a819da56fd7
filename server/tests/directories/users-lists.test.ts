import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { as, closeSignIns, openSignIns, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { corp, emails, newDirectory, refusal } from '../support/own-users.ts'
import { core, enterprise, jo, startPushing } from '../support/pushing.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newDirectory())

const list = (query: string) => corp.call('GET', `/Users${query}`)
const found = async (filter: string) => (await corp.find(filter)).map(({ userName }) => userName)
const search = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

/** As the rows of users who were pushed, one a second. */
const insertUsers = (count: number) =>
  signIns.inside.query(
    `with made as (
       insert into persons (org_id, id, active, region, created_at)
       select $1, gen_random_uuid(), true, 'local', now() from generate_series(1, $3::int) returning id
     )
     insert into directory_users (org_id, person_id, directory_id, user_name, user_name_key, adopted, attributes, created_at, updated_at)
     select $1, id, $2, 'u' || row_number() over (), 'u' || row_number() over (), false, '{}',
            now() - interval '1 day' + row_number() over () * interval '1 second', now() from made`,
    [tenant.organization.id, corp.id, count],
  )

describe('A filter', () => {
  test('31, 32, 33: userName eq finds the user whatever the case, and nobody is an empty list', async () => {
    const user = await corp.push(jo)
    const query = (name: string) => `?filter=${encodeURIComponent(`userName EQ "${name}"`)}&startIndex=1&count=100`
    expect(await list(query('JO@Corp.example'))).toMatchObject({
      status: 200,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: 1,
        startIndex: 1,
        itemsPerPage: 1,
        Resources: [user],
      },
    })
    expect(await list(query('b4c1a7f0-0000-4000-8000-000000000000'))).toMatchObject({
      status: 200,
      body: { totalResults: 0, itemsPerPage: 0, Resources: [] },
    })
  })

  test('34, 35, 36, 37: Each attribute is compared as it is', async () => {
    const { id, meta } = await corp.push({ ...jo, [enterprise]: { department: 'R&D', manager: { value: 'M-1' } } })
    const zoe = { userName: 'zoe', active: false, externalId: '00uzoe', name: { familyName: 'Zürn' } }
    await corp.push({ ...zoe, emails: [{ type: 'home', value: 'Zoe@home.example' }, { value: 'zoe@corp.example' }] })
    const later = new Date(Date.parse(meta.created) - 1).toISOString()
    const cases: [string, string[]][] = [
      ['externalId eq "00ujo"', ['jo']],
      ['externalId eq "00uJO"', []],
      ['emails[type eq "work"].value eq "JO@corp.example"', ['jo']],
      ['emails[type eq "work" and value eq "jo@corp.example"]', ['jo']],
      ['emails[type eq "home"].value eq "jo@corp.example"', []],
      ['emails.value eq "zoe@home.example"', ['zoe']],
      ['emails eq "zoe@corp.example"', ['zoe']],
      ['emails eq "zoe@corp.example" or userName eq "jo@corp.example"', ['jo', 'zoe']],
      ['not (emails eq "zoe@corp.example")', ['jo']],
      ['emails ne "jo@corp.example" and active eq false', ['zoe']],
      ['emails.type eq "home"', ['zoe']],
      ['emails pr', ['jo', 'zoe']],
      ['userName eq "zoe" and active eq true', []],
      ['userName eq "zoe" and active eq false', ['zoe']],
      ['not (active eq false)', ['jo']],
      ['userName sw "J"', ['jo']],
      ['userName co "CORP"', ['jo']],
      ['userName ew "oe"', ['zoe']],
      ['title pr', []],
      ['displayName pr', ['jo']],
      ['userName ne "zoe"', ['jo']],
      ['name.familyName eq "ZÜRN"', ['zoe']],
      ['name[familyName eq "doe" and givenName eq "jo"]', ['jo']],
      [`id eq "${id}"`, ['jo']],
      ['id eq "x"', []],
      [`meta.lastModified gt "${later}"`, ['jo', 'zoe']],
      [`meta.created lt "${later}"`, []],
      [`${core}:userName eq "zoe"`, ['zoe']],
      [`${enterprise}:department eq "r&d"`, ['jo']],
      [`${enterprise}:manager.value eq "M-1"`, ['jo']],
      [`${enterprise}:manager.value eq "m-1"`, []],
      ['locale eq "en-us"', ['jo']],
      ['favouriteColour eq "red"', []],
      ['password eq "1mz050nq"', []],
    ]
    for (const [filter, names] of cases)
      expect([filter, (await found(filter)).map((name) => name.split('@')[0]).sort()]).toEqual([filter, names])
  })

  test('38: What is no filter is refused', async () => {
    for (const filter of ['userName eq', 'userName == "a"', '(((', 'a b c'])
      expect(await list(`?filter=${encodeURIComponent(filter)}`)).toMatchObject(
        refusal.of(400, 'invalidFilter', expect.any(String)),
      )
  })

  test('39: What a client writes is compared letter by letter', async () => {
    for (const userName of ['a%b', 'a_b', `a'b"c\\d`, "'; drop table persons; --"]) {
      await corp.push({ userName })
      const text = JSON.stringify(userName)
      for (const operator of ['eq', 'co', 'sw', 'ew'])
        expect(await found(`userName ${operator} ${text}`)).toEqual([userName])
    }
    expect(await found('userName co "%"')).toEqual(['a%b'])
    for (const filter of [
      'userName eq "a\\u0000"',
      'emails eq "a\\u0000"',
      'meta.created gt "+999999-01-01T00:00:00Z"',
    ])
      expect((await list(`?filter=${encodeURIComponent(filter)}`)).status).toBe(400)
  })

  test('groups: those of this directory alone', async () => {
    const { id } = await corp.push({ userName: 'jo' })
    await corp.push({ userName: 'zoe' })
    for (const name of ['staff', 'own']) {
      await as('POST', '/groups', { name })
      await as('POST', `/groups/${name}/persons`, { persons: [id] })
    }
    const {
      rows: [group],
    } = await signIns.inside.query(
      `insert into directory_groups (org_id, directory_id, id, group_name, display_name, display_key, tied, created_at, updated_at)
       values ($1, $2, gen_random_uuid(), 'staff', 'Staff', 'staff', false, now(), now()) returning id`,
      [tenant.organization.id, corp.id],
    )
    expect(await found(`groups.value eq "${group.id}"`)).toEqual(['jo'])
    expect(await found('groups.display eq "STAFF"')).toEqual(['jo'])
    expect(await found('groups.display eq "own"')).toEqual([])
    const [user] = await corp.find('userName eq "jo"')
    expect(user.groups).toMatchObject([{ value: group.id, display: 'Staff', type: 'direct' }])
    const { body } = await list('?excludedAttributes=groups')
    for (const each of body.Resources) expect(each).not.toHaveProperty('groups')
  })
})

describe('A list', () => {
  test('41: In pages it shows each user once, those that were made first come first, while others are made', async () => {
    await insertUsers(250)
    const names: string[] = []
    for (let startIndex = 1; ; startIndex += 100) {
      const { body } = await list(`?startIndex=${startIndex}&count=100`)
      expect(body).toMatchObject({ startIndex, itemsPerPage: body.Resources.length })
      names.push(...body.Resources.map(({ userName }: { userName: string }) => userName))
      if (body.Resources.length < 100) break
      await corp.push({ userName: `new-${startIndex}` })
    }
    expect(names.slice(0, 250)).toEqual(Array.from({ length: 250 }, (_, n) => `u${n + 1}`))
    expect(new Set(names).size).toBe(names.length)
    expect((await list('?startIndex=201&count=100')).body).toMatchObject({ itemsPerPage: 52, totalResults: 252 })
    expect((await list('?startIndex=1000&count=100')).body).toMatchObject({
      itemsPerPage: 0,
      totalResults: 252,
      Resources: [],
    })
  })

  test('42: Bounds', async () => {
    await insertUsers(3)
    for (const [query, items, start] of [
      ['startIndex=0', 3, 1],
      ['startIndex=-5', 3, 1],
      ['count=0', 0, 1],
      ['count=-1', 0, 1],
      ['count=100000', 3, 1],
      ['startIndex=3', 1, 3],
    ] as const) {
      const { body } = await list(`?${query}`)
      expect([query, body.totalResults, body.itemsPerPage, body.startIndex]).toEqual([query, 3, items, start])
    }
    expect((await list('?count=abc')).status).toBe(400)
  })

  test('12, 43: What is asked for, what is not, and what means nothing', async () => {
    const { id } = await corp.push({ ...jo, phoneNumbers: [{ value: '+4915112345678', type: 'work' }] })
    const first = async (query: string) => (await list(`?aadOptscim062020&${query}`)).body.Resources[0]
    expect(await first('attributes=userName')).toEqual({ schemas: [core], id, userName: jo.userName })
    expect(await first('attributes=emails.value,password')).toEqual({
      schemas: [core],
      id,
      emails: [{ value: 'jo@corp.example' }],
    })
    const rest = await first('excludedAttributes=emails,name')
    expect(rest).toMatchObject({ id, userName: jo.userName, displayName: 'Jo Doe' })
    for (const name of ['emails', 'name', 'password']) expect(rest).not.toHaveProperty(name)
    const one = await corp.call('GET', `/Users/${id}?attributes=displayName`)
    expect(one.body).toEqual({ schemas: [core], id, displayName: 'Jo Doe' })
    expect((await corp.call('POST', '/Users?attributes=userName', { userName: 'x' })).body).toEqual({
      schemas: [core],
      id: expect.any(String),
      userName: 'x',
    })
  })

  test('44: By POST as by GET', async () => {
    await corp.push(jo)
    const body = { schemas: [search], filter: 'userName eq "jo@corp.example"', startIndex: 1, count: 10 }
    const { status, body: told } = await corp.call('POST', '/Users/.search', body)
    expect({ status, told }).toMatchObject({
      status: 200,
      told: { totalResults: 1, Resources: [{ userName: jo.userName }] },
    })
  })

  test('Nobody of another directory or organization is in it', async () => {
    await corp.push({ userName: 'jo', ...emails('jo@corp.example') })
    const second = await startPushing(service, tenant.organization, { name: 'Second' })
    for (const filter of ['userName eq "jo"', 'emails eq "jo@corp.example"', 'active eq true'])
      expect(await second.find(filter)).toEqual([])
  })
})
