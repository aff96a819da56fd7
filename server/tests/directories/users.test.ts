import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { unknownId } from '../support/own-persons.ts'
import { as, closeSignIns, openSignIns, other, service, signIns, tenant } from '../support/own-sign-ins.ts'
import {
  auditOf,
  corp,
  emails,
  eventsOf,
  get,
  handlesOf,
  mail,
  makeAdministrator,
  newDirectory,
  newPerson,
  personOf,
  post,
  put,
  refusal,
  remove,
} from '../support/own-users.ts'
import { core, enterprise, jo, startPushing } from '../support/pushing.ts'
import { providers } from '../support/sign-ins.ts'

const { clash, gone, invalid } = refusal

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newDirectory())

describe('A user who is created', () => {
  test('13: As Okta sends it, the user is a person with a handle that the directory vouches for', async () => {
    const { status, headers, body } = await post(jo)
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(body.meta.location)
    expect(headers.get('content-type')).toMatch(/^application\/scim\+json/)
    const { password: _, ...kept } = jo
    expect(body).toEqual({ ...kept, id: expect.any(String), meta: expect.any(Object) })
    expect(body.meta).toMatchObject({ resourceType: 'User', version: 'W/"1"' })
    expect(body.meta.lastModified).toBe(body.meta.created)
    expect(await personOf(body.id)).toMatchObject({ active: true, groups: [], region: 'local' })
    expect(await handlesOf(body.id)).toEqual([['jo@corp.example', true]])
    expect(await eventsOf()).toEqual(['PersonCreated'])
    expect((await get(body.id)).body).toEqual(body)
  })

  test('14: As Entra sends it, what means nothing is ignored', async () => {
    const user = { ...jo, schemas: [core, enterprise], meta: { resourceType: 'User' }, roles: [] }
    const { status, body } = await post({ ...user, [enterprise]: { employeeNumber: '7', manager: '26118915' } })
    expect(status).toBe(201)
    expect(body.schemas).toEqual([core, enterprise])
    expect(body[enterprise]).toEqual({ employeeNumber: '7', manager: { value: '26118915' } })
    expect(body).not.toHaveProperty('roles')
    expect((await get(body.id)).body).toEqual(body)
  })

  test('15, 16: The same twice is a conflict, also in other letters, and changes nothing of the first', async () => {
    const first = await corp.push(jo)
    const other = { ...jo, ...emails('other@corp.example'), externalId: '00uother', displayName: 'Other' }
    for (const userName of [jo.userName, 'JO@Corp.example'])
      expect(await post({ ...other, userName })).toMatchObject(
        clash('userName: is that of another user of this directory'),
      )
    expect(await post({ ...other, userName: 'new', externalId: jo.externalId })).toMatchObject(
      clash('externalId: is that of another user of this directory'),
    )
    expect((await get(first.id)).body).toEqual(first)
    expect(await handlesOf(first.id)).toEqual([['jo@corp.example', true]])
    expect(await eventsOf()).toEqual(['PersonCreated'])
    expect(await tenant.persons()).toHaveLength(1)
  })

  test('109: External ids that differ in the case of letters are different', async () => {
    await corp.push({ userName: 'one', externalId: '00uA' })
    await corp.push({ userName: 'two', externalId: '00ua' })
    expect(await tenant.persons()).toHaveLength(2)
  })

  test('18: Without a userName, or with one that is no text, nobody is made', async () => {
    for (const userName of [undefined, '', 7, null, {}])
      expect(await post({ userName })).toMatchObject(invalid(expect.stringContaining('userName')))
    expect(await tenant.persons()).toEqual([])
  })

  test('19: What is unknown is left out', async () => {
    const extension = 'urn:example:params:scim:schemas:extension:other:2.0:User'
    const unknown = { favouriteColour: 'red', [extension]: { a: 1 } }
    const { status, body } = await post({ ...jo, ...unknown, schemas: [core, extension] })
    expect(status).toBe(201)
    for (const name of Object.keys(unknown)) expect(body).not.toHaveProperty([name])
  })

  test.each([
    ['20', 'True', true],
    ['21', undefined, true],
    ['22', false, false],
    ['22, as Entra writes it', 'False', false],
  ])('%s: active %j comes to %j', async (_, active, expected) => {
    const { id, active: shown } = await corp.push({ userName: 'jo', active })
    expect(shown).toBe(expected)
    expect((await get(id)).body.active).toBe(expected)
    expect(await personOf(id)).toMatchObject({ active: expected })
    expect(await eventsOf()).toEqual(['PersonCreated'])
  })

  test('23: A userName makes no handle', async () => {
    const user = await corp.push({ userName: 'jo@corp.example' })
    expect(user).not.toHaveProperty('emails')
    expect(await handlesOf(user.id)).toEqual([])
  })

  test('24: An address that is none is named by its place, and nobody is made', async () => {
    const user = { userName: 'jo', ...emails('jo@corp.example', 'no address') }
    expect(await post(user)).toMatchObject(
      invalid(expect.stringMatching(/^emails\[1\]\.value: must be an e-mail address/)),
    )
    expect(await tenant.persons()).toEqual([])
  })

  test('25: A number as in E.164 is a handle, another one is kept as it was sent', async () => {
    const phoneNumbers = [
      { type: 'mobile', value: '+4915112345678' },
      { type: 'work', value: '0151 / 234' },
    ]
    const user = await corp.push({ userName: 'jo', phoneNumbers })
    expect(user.phoneNumbers).toEqual(phoneNumbers)
    expect(await handlesOf(user.id)).toEqual([['+4915112345678', false]])
    // Of a reception.
    const second = await corp.push({ userName: 'zoe', phoneNumbers })
    expect(second.phoneNumbers).toEqual(phoneNumbers)
    expect(await handlesOf(second.id)).toEqual([])
    expect(await handlesOf(user.id)).toHaveLength(1)
  })

  test('30: An unknown id, what is no id, and a person of another directory or of none are not found', async () => {
    const stranger = await startPushing(service, tenant.organization, { name: 'Other' })
    const { id } = await stranger.push({ userName: 'jo' })
    const outsider = await newPerson()
    for (const one of [unknownId, '00919288221112222', id, outsider, 'x'.repeat(300)]) {
      expect(await get(one)).toMatchObject(gone)
      expect(await put(one, jo)).toMatchObject(gone)
      expect(await corp.patch(one, { op: 'replace', path: 'title', value: 'x' })).toMatchObject(gone)
      expect(await remove(one)).toMatchObject(gone)
    }
    expect((await stranger.call('GET', `/Users/${id.toUpperCase()}`)).status).toBe(200)
    expect(await personOf(outsider)).toMatchObject({ active: true })
  })

  test('103, 114: The audit log has the directory, and neither names nor password in clear', async () => {
    const { id } = await corp.push({ ...jo, password: 'hunter2' })
    const [entry] = await auditOf('createScimUser')
    expect(entry).toMatchObject({
      actor: { type: 'directory', id: corp.id, name: 'Corp staff' },
      action: 'createScimUser',
      target: { type: 'person', id },
      after: {
        active: true,
        user_name: { hash: expect.any(String) },
        external_id: { hash: expect.any(String) },
        handles: [{ type: 'EmailAddress', hash: expect.any(String), verified: true, vouched_by: 'directory' }],
      },
    })
    for (const secret of ['jo@corp', '00ujo', 'hunter2', 'Doe'])
      expect(JSON.stringify(entry.after)).not.toContain(secret)
  })

  test('A text that PostgreSQL cannot keep is refused, and nobody is made', async () => {
    for (const value of ['a\u0000b', 'a\ud800b'])
      for (const user of [
        { userName: value },
        { userName: 'jo', displayName: value },
        { userName: 'jo', externalId: value },
      ]) {
        const { status } = await post(user)
        expect(status).toBe(400)
      }
    expect(await tenant.persons()).toEqual([])
  })

  test('What is kept is at most 16 KiB', async () => {
    expect((await post({ userName: 'jo', title: 'a'.repeat(20_000) })).status).toBe(413)
    const { id, title } = await corp.push({ userName: 'jo', title: 'a'.repeat(15_000) })
    expect(title).toHaveLength(15_000)
    expect((await get(id)).body.title).toHaveLength(15_000)
  })

  test('Where the tier allows no more persons, a 403 says so, and a repeat works once it does', async () => {
    await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
    expect(await post(jo)).toMatchObject(
      refusal.of(403, undefined, expect.stringContaining('the pricing tier allows at most 0')),
    )
    await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'unlimited' })
    expect((await post(jo)).status).toBe(201)
  })
})

describe('An address of a user', () => {
  test('26: One that nobody vouches for goes to the user where its domain is listed, and stays where it is not', async () => {
    const listed = await newPerson({ handles: [mail('jo@corp.example')] })
    const free = await newPerson({ handles: [mail('jo@home.example')] })
    const user = await corp.push({
      userName: 'jo',
      ...emails('Jo@corp.example', 'jo@home.example', 'new@home.example'),
    })
    expect(user.emails.map(({ value }: { value: string }) => value)).toEqual([
      'Jo@corp.example',
      'jo@home.example',
      'new@home.example',
    ])
    expect(await handlesOf(user.id)).toEqual([
      ['Jo@corp.example', true],
      ['new@home.example', false],
    ])
    expect(await handlesOf(listed)).toEqual([])
    expect(await handlesOf(free)).toEqual([['jo@home.example', false]])
  })

  test.each(['corp.example', 'home.example'])(
    '26a: One of %s that is vouched for as another person’s is a conflict that names adoption, and not whose it is',
    async (domain) => {
      const address = `jo@${domain}`
      const owner = await newPerson({ handles: [mail(address, true)] })
      const answer = await post({ userName: 'jo', ...emails('first@corp.example', address) })
      expect(answer).toMatchObject(clash(expect.stringMatching(/^emails\[1\]\.value: .*adopt/)))
      expect(JSON.stringify(answer.body)).not.toContain(owner)
      expect(await tenant.persons()).toHaveLength(1)
      expect(await handlesOf(owner)).toEqual([[address, true]])
      expect(await eventsOf()).toEqual(['PersonCreated'])
    },
  )

  test('Of another user of the directory it is a conflict where the directory vouches, and else kept without a handle', async () => {
    const first = await corp.push({ userName: 'one', ...emails('both@corp.example', 'both@home.example') })
    expect(await post({ userName: 'two', ...emails('both@corp.example') })).toMatchObject(clash(expect.any(String)))
    const second = await corp.push({ userName: 'two', ...emails('both@home.example') })
    expect(second.emails).toEqual([{ value: 'both@home.example' }])
    expect(await handlesOf(second.id)).toEqual([])
    expect(await handlesOf(first.id)).toHaveLength(2)
  })

  test('Where no domain is listed the directory vouches for none', async () => {
    const plain = await startPushing(service, tenant.organization, { name: 'Plain' })
    const { id } = await plain.push(jo)
    expect(await handlesOf(id)).toEqual([['jo@corp.example', false]])
  })

  test('An address that is there twice is one handle, and that of a subdomain is not listed', async () => {
    const { id } = await corp.push({
      userName: 'jo',
      ...emails('jo@corp.example', 'JO@CORP.EXAMPLE', 'jo@eu.corp.example'),
    })
    expect(await handlesOf(id)).toEqual([
      ['jo@corp.example', true],
      ['jo@eu.corp.example', false],
    ])
  })

  test('A person has at most 20 handles, and those that the directory vouches for come first', async () => {
    const values = Array.from({ length: 19 }, (_, n) => `${n}@home.example`)
    const phoneNumbers = [{ value: '+12025550123' }, { value: '+12025550124' }]
    const { id } = await corp.push({ userName: 'jo', ...emails(...values, 'jo@corp.example'), phoneNumbers })
    const handles = await handlesOf(id)
    expect(handles).toHaveLength(20)
    expect(handles[0]).toEqual(['jo@corp.example', true])
  })
})

describe('A person who is there already', () => {
  const adopting = { adopt: true }
  const vouched = (address = 'jo@corp.example') => newPerson({ handles: [mail(address, true)] })
  const okta = () => tenant.addCredential(providers.okta, other)

  test('27: A directory that adopts takes whom an admin key vouched for by an address in its domains', async () => {
    await newDirectory(adopting)
    const person = await vouched()
    expect(await post(jo)).toMatchObject({ status: 201, body: { id: person, userName: jo.userName } })
    expect(await eventsOf()).toEqual(['PersonCreated'])
    expect(await handlesOf(person)).toEqual([['jo@corp.example', true]])
    const [entry] = await auditOf('adoptScimUser')
    expect(entry).toMatchObject({ actor: { type: 'directory', id: corp.id }, target: { type: 'person', id: person } })
    expect(await auditOf('createScimUser')).toEqual([])
    // The key's word outlives that of the directory.
    await put(person, { userName: jo.userName })
    expect(await handlesOf(person)).toEqual([['jo@corp.example', true]])
  })

  test('27: What a key decided stays, and whom the directory pushes as inactive is switched off', async () => {
    await newDirectory(adopting)
    const off = await vouched()
    await as('PATCH', `/persons/${off}`, { active: false })
    expect(await corp.push(jo)).toMatchObject({ id: off, active: true })
    expect(await personOf(off)).toMatchObject({ active: false })
    const on = await vouched('zoe@corp.example')
    expect(await corp.push({ userName: 'zoe', ...emails('zoe@corp.example'), active: false })).toMatchObject({
      id: on,
      active: false,
    })
    expect(await personOf(on)).toMatchObject({ active: false })
    expect(await eventsOf()).toEqual(['PersonCreated', 'PersonDeactivated', 'PersonCreated', 'PersonDeactivated'])
  })

  test('27: It adopts nobody by an address of another domain, or that a directory alone vouches for', async () => {
    await newDirectory(adopting)
    await vouched('jo@home.example')
    expect(await post({ userName: 'jo', ...emails('jo@home.example') })).toMatchObject(clash(expect.any(String)))
    const stranger = await startPushing(service, tenant.organization, {
      name: 'Other',
      email_domains: ['corp.example'],
    })
    await stranger.push(jo)
    expect(await post(jo)).toMatchObject(clash(expect.any(String)))
  })

  test('26b: The account that externalId names is that of a person who signed in with it, without adoption', async () => {
    await okta()
    await newDirectory()
    await okta()
    const named = await startPushing(service, tenant.organization, {
      oauth_client_id: other.client_id,
      match: 'external_id',
    })
    const person = await newPerson()
    await as('POST', `/persons/${person}/identities`, { oauth_client_id: other.client_id, subject: jo.externalId })
    expect(await named.push(jo)).toMatchObject({ id: person })
    expect(await eventsOf()).toEqual(['PersonCreated'])
    expect((await auditOf('adoptScimUser'))[0]).toMatchObject({ target: { id: person } })
    const another = await named.push({ ...jo, userName: 'other', ...emails('other@corp.example'), externalId: '00uJO' })
    expect(another.id).not.toBe(person)
  })

  test('26b: Not where the directory does not match by external ids', async () => {
    await okta()
    const named = await startPushing(service, tenant.organization, { oauth_client_id: other.client_id, match: 'none' })
    const person = await newPerson()
    await as('POST', `/persons/${person}/identities`, { oauth_client_id: other.client_id, subject: jo.externalId })
    expect((await named.push(jo)).id).not.toBe(person)
  })

  describe.each(['an address', 'externalId'])('28: Found by %s', (by) => {
    const isByAddress = by === 'an address'
    let person: string
    let named: Awaited<ReturnType<typeof startPushing>>
    beforeEach(async () => {
      await okta()
      await as('DELETE', `/organizations/directories/${corp.id}`)
      const fields = {
        oauth_client_id: other.client_id,
        match: 'external_id',
        adopt: isByAddress,
        email_domains: ['corp.example'],
      }
      named = await startPushing(service, tenant.organization, fields)
      person = await newPerson({ handles: isByAddress ? [mail('jo@corp.example', true)] : [] })
      if (!isByAddress)
        await as('POST', `/persons/${person}/identities`, { oauth_client_id: other.client_id, subject: jo.externalId })
    })
    const refused = async () => {
      const { status, body } = await named.call('POST', '/Users', jo)
      expect({ status, scimType: body.scimType }).toEqual({ status: 409, scimType: 'uniqueness' })
      expect(JSON.stringify(body)).not.toContain(person)
      expect(
        (await auditOf('adoptScimUser')).filter(
          ({ actor }: { actor: object }) => 'id' in actor && actor.id === named.id,
        ),
      ).toEqual([])
    }

    test('somebody who enters the console is not adopted', async () => {
      await makeAdministrator(person)
      await refused()
    })

    test('somebody of another directory is not adopted', async () => {
      const fields = isByAddress ? { adopt: true, email_domains: ['corp.example'] } : {}
      const second = await startPushing(service, tenant.organization, { name: 'Second', ...fields })
      if (isByAddress) expect((await second.push({ ...jo, externalId: 'x' })).id).toBe(person)
      else {
        await signIns.inside.query(
          `insert into directory_users (org_id, person_id, directory_id, user_name, user_name_key, adopted, attributes, created_at, updated_at)
           values ($1, $2, $3, 'x', 'x', true, '{}', now(), now())`,
          [tenant.organization.id, person, second.id],
        )
      }
      await refused()
    })

    test('somebody who signs in elsewhere is not adopted', async () => {
      await as('POST', `/persons/${person}/identities`, { oauth_client_id: 'signet', subject: 'g-1' })
      await refused()
    })

    test('somebody who signs in there alone is adopted', async () => {
      if (isByAddress)
        await as('POST', `/persons/${person}/identities`, { oauth_client_id: other.client_id, subject: 'another' })
      expect((await named.push(jo)).id).toBe(person)
    })
  })
})

describe('Two directories, and two organizations', () => {
  test('Each has its own names, and finds nobody of the other', async () => {
    const first = await corp.push({ userName: 'jo', externalId: '1' })
    const second = await startPushing(service, tenant.organization, { name: 'Other' })
    expect((await second.push({ userName: 'jo', externalId: '1' })).id).not.toBe(first.id)
    const before = corp
    await newDirectory()
    expect((await corp.push({ userName: 'jo', externalId: '1', ...emails('jo@corp.example') })).id).not.toBe(first.id)
    expect((await get(first.id)).status).toBe(404)
    expect(await before.find('userName eq "jo"')).toHaveLength(1)
  })
})
