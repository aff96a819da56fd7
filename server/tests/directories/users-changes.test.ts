import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { openBrowser } from '../support/browser.ts'
import { as, closeSignIns, openSignIns, service, signIns, tenant } from '../support/own-sign-ins.ts'
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

const { clash, gone, invalid } = refusal

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newDirectory())

const set = (path: string, value: unknown, op = 'replace') => ({ op, path, value })
const patched = async (id: string, ...operations: object[]) => {
  const { status, body } = await corp.patch(id, ...operations)
  expect(status).toBe(200)
  return body
}
const account = 'g-1'
/** A user who has signed in, with the tokens of that. */
async function signedIn() {
  const user = await corp.push(jo)
  await as('POST', `/persons/${user.id}/identities`, { oauth_client_id: 'signet', subject: account })
  const begun = await tenant.application.begin({ scope: 'openid offline_access' })
  const { url } = await tenant.browser.go(begun.url, { person: { sub: account } })
  return { user, tokens: await tenant.application.exchange(begun, url) }
}
const comes = async () =>
  openBrowser(() => service.baseUrl).go((await tenant.application.begin()).url, { person: { sub: account } })
const sessionsOf = async (id: string) => (await as('GET', `/persons/${id}/sessions`)).body.result

describe('Whom a directory switches off', () => {
  test.each<[string, (id: string) => Promise<{ status: number }>]>([
    ['45: by Entra', (id) => corp.patch(id, { op: 'Replace', path: 'active', value: 'False' })],
    ['46: by Okta', (id) => corp.patch(id, { op: 'replace', value: { active: false } })],
    ['47: by PUT', (id) => put(id, { ...jo, active: false })],
    ['48: by a list', (id) => corp.patch(id, set('active', [{ value: 'False' }]))],
    ['48: by an object', (id) => corp.patch(id, { op: 'replace', value: { active: 'false' } })],
    ['48: in capitals', (id) => corp.patch(id, set('active', 'FALSE'))],
    ['by DELETE', remove],
    ['by the end of the directory', () => as('DELETE', `/organizations/directories/${corp.id}?people=deactivate`)],
  ])('%s: sessions, tokens and codes end in that transaction, and the person cannot come in', async (_, switchOff) => {
    const { user, tokens } = await signedIn()
    expect(await sessionsOf(user.id)).toHaveLength(1)
    const { status } = await switchOff(user.id)
    expect([200, 204]).toContain(status)
    await expect(tenant.application.userInfo(tokens.access_token)).rejects.toThrow()
    await expect(tenant.application.refresh(tokens.refresh_token ?? '')).rejects.toThrow()
    if (status === 204) return
    expect(await sessionsOf(user.id)).toEqual([])
    expect(await personOf(user.id)).toMatchObject({ active: false })
    expect((await get(user.id)).body).toMatchObject({ active: false, displayName: 'Jo Doe' })
    expect(errorIn(await comes())).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['succeeded', 'person_not_active'])
    const [event] = (await tenant.events()).filter(
      ({ event_metadata }) => event_metadata.event_type === 'PersonDeactivated',
    )
    expect(event).toMatchObject({ person_id: user.id, region: 'local', reason: 'directory' })
  })

  test.each(['no', 0, null, {}, 'falsch'])('48: %j is neither true nor false', async (value) => {
    const { id } = await corp.push(jo)
    expect(await corp.patch(id, set('active', value))).toMatchObject(invalid(expect.stringContaining('active')))
    expect((await get(id)).body).toMatchObject({ active: true, meta: { version: 'W/"1"' } })
  })

  test('49: Switched on again the person comes in, and what has ended stays ended', async () => {
    const { user, tokens } = await signedIn()
    await patched(user.id, set('active', false))
    expect(await patched(user.id, set('active', true))).toMatchObject({ active: true })
    await expect(tenant.application.userInfo(tokens.access_token)).rejects.toThrow()
    expect((await comes()).url).toContain('code=')
    expect((await eventsOf()).filter((name) => name.startsWith('Person'))).toEqual([
      'PersonCreated',
      'PersonDeactivated',
      'PersonActivated',
    ])
  })

  test('50: A key’s block stays, of which SCIM says nothing, and the key lifts its own alone', async () => {
    const { user } = await signedIn()
    const key = (active: boolean) => as('PATCH', `/persons/${user.id}`, { active })
    expect((await key(false)).body.result.active).toBe(false)
    expect(await patched(user.id, set('active', true))).toMatchObject({ active: true })
    expect(await personOf(user.id)).toMatchObject({ active: false })
    await patched(user.id, set('active', false))
    // Held off by both; the key's is the one that stays.
    await patched(user.id, set('active', true))
    expect(errorIn(await comes())).toBe('access_denied')
    expect((await key(true)).body.result.active).toBe(true)
    await patched(user.id, set('active', false))
    const refused = await key(true)
    expect(refused.status).toBe(409)
    expect(refused.body.errors[0].message).toContain('Corp staff')
    expect(await personOf(user.id)).toMatchObject({ active: false })
    expect((await eventsOf()).filter((name) => name.startsWith('Person'))).toEqual([
      'PersonCreated',
      'PersonDeactivated',
      'PersonActivated',
      'PersonDeactivated',
    ])
  })

  test('What a key decides of somebody whom the directory holds off is in the audit log, and makes no event', async () => {
    const { id } = await corp.push({ ...jo, active: false })
    expect((await as('PATCH', `/persons/${id}`, { active: false })).status).toBe(200)
    expect((await auditOf('changePerson'))[0]).toMatchObject({
      before: { key_active: true },
      after: { key_active: false },
    })
    expect((await as('PATCH', `/persons/${id}`, { handles: [] })).status).toBe(200)
    expect(await patched(id, set('active', true))).toMatchObject({ active: true })
    expect(await personOf(id)).toMatchObject({ active: false })
    expect(await eventsOf()).toEqual(['PersonCreated'])
  })

  test('A directory may switch off its own people who enter the console, the last owner too; others may not', async () => {
    const { id } = await corp.push(jo)
    await makeAdministrator(id, 'owner')
    const key = (await as('POST', '/organizations/api-keys', { scopes: ['persons:write'] })).body.result.api_key
    const narrow = { id: tenant.organization.id, apiKey: key }
    expect((await service.as(narrow, 'PATCH', `/persons/${id}`, { active: false })).status).toBe(403)
    expect(await patched(id, set('active', false))).toMatchObject({ active: false })
    expect(await personOf(id)).toMatchObject({ active: false, groups: ['admins'] })
  })
})

describe('A change of a user', () => {
  test('51: An address is replaced, and the old one is free at once', async () => {
    const { id } = await corp.push(jo)
    const body = await patched(id, { op: 'Replace', path: 'emails[type eq "work"].value', value: 'jd@corp.example' })
    expect(body.emails).toEqual([{ primary: true, type: 'work', value: 'jd@corp.example' }])
    expect(await handlesOf(id)).toEqual([['jd@corp.example', true]])
    await corp.push({ userName: 'heir', ...emails('jo@corp.example') })
    expect(body.meta).toMatchObject({ version: 'W/"2"', created: expect.any(String) })
    expect(body.meta.lastModified > body.meta.created).toBe(true)
  })

  test('51: What a key gave stays, and what it vouched for', async () => {
    const { id } = await corp.push({ userName: 'jo', ...emails('a@corp.example', 'b@corp.example', 'c@corp.example') })
    await as('PATCH', `/persons/${id}`, {
      handles: [mail('a@corp.example', true), mail('b@corp.example'), mail('own@home.example'), mail('c@corp.example')],
    })
    await put(id, { userName: 'jo' })
    expect(await handlesOf(id)).toEqual([
      ['a@corp.example', true],
      ['b@corp.example', false],
      ['own@home.example', false],
      ['c@corp.example', false],
    ])
  })

  test.each(['Add', 'Replace'])('52: %s makes the address of a kind that there is not', async (op) => {
    const { id } = await corp.push({ userName: 'jo' })
    const body = await patched(id, { op, path: 'emails[type eq "work"].value', value: 'jo@corp.example' })
    expect(body.emails).toEqual([{ type: 'work', value: 'jo@corp.example' }])
    expect(await handlesOf(id)).toEqual([['jo@corp.example', true]])
  })

  test('53: All of one PATCH is one change', async () => {
    const { id } = await corp.push(jo)
    const body = await patched(
      id,
      set('displayName', 'Joan'),
      set('emails[type eq "work"].value', 'joan@corp.example'),
      set('name.givenName', 'Joan'),
      set('name.familyName', 'Roe'),
      set('externalId', '00unew'),
      set(`${enterprise}:employeeNumber`, '7'),
    )
    const expected = { displayName: 'Joan', name: { givenName: 'Joan', familyName: 'Roe' }, externalId: '00unew' }
    expect(body).toMatchObject({ ...expected, [enterprise]: { employeeNumber: '7' }, meta: { version: 'W/"2"' } })
    expect((await get(id)).body).toEqual(body)
    const [entry, ...more] = await auditOf('changeScimUser')
    expect(more).toEqual([])
    expect(entry).toMatchObject({
      actor: { type: 'directory', id: corp.id },
      target: { type: 'person', id },
      before: { version: 1, handles: [{ vouched_by: 'directory' }] },
      after: { version: 2, handles: [{ vouched_by: 'directory' }] },
    })
    expect(entry.after.changed_attributes.toSorted()).toEqual(['displayName', 'emails', 'name', enterprise].toSorted())
    expect(JSON.stringify([entry.before, entry.after])).not.toMatch(/Joan|corp\.example|00u/)
    expect(await eventsOf()).toEqual(['PersonCreated'])
  })

  test('54: Dotted keys change the parts, and leave the others', async () => {
    const { id } = await corp.push(jo)
    const value = { displayName: 'J', 'name.givenName': 'J', [`${enterprise}:employeeNumber`]: '7' }
    const body = await patched(id, { op: 'replace', value })
    expect(body).toMatchObject({
      displayName: 'J',
      name: { givenName: 'J', familyName: 'Doe' },
      [enterprise]: { employeeNumber: '7' },
    })
  })

  test('55, 110: Names in any case of letters, and the URN in front', async () => {
    const { id } = await corp.push(jo)
    await patched(id, { op: 'REPLACE', path: 'NAME.givenname', value: 'A' })
    await patched(id, { op: 'ADD', path: `${core}:title`, value: 'Dr' })
    await patched(id, { op: 'replace', value: { userName: 'new' } })
    expect(await patched(id, { op: 'Replace', path: 'Active', value: 'False' })).toMatchObject({
      userName: 'new',
      name: { givenName: 'A' },
      title: 'Dr',
      active: false,
    })
    expect(await corp.find('userName eq "NEW"')).toHaveLength(1)
  })

  test('56, 57, 106: A manager as a text; what is removed or made empty is gone', async () => {
    const { id } = await corp.push({ ...jo, title: 'Dr' })
    const manager = `${enterprise}:manager`
    for (const value of ['26118915', { value: '26118915' }])
      expect(await patched(id, set(manager, value, 'add'))).toMatchObject({
        [enterprise]: { manager: { value: '26118915' } },
      })
    expect(await patched(id, { op: 'remove', path: 'title' })).not.toHaveProperty('title')
    expect(await patched(id, set(manager, ''))).not.toHaveProperty([enterprise])
    expect(await patched(id, set('displayName', ''))).not.toHaveProperty('displayName')
    const before = (await get(id)).body
    expect(await patched(id, { op: 'remove', path: 'emails[type eq "fax"]' })).toEqual(before)
    expect(await corp.patch(id, { op: 'remove' })).toMatchObject(refusal.of(400, 'noTarget', expect.any(String)))
    expect(await patched(id, { op: 'remove', path: 'emails' })).not.toHaveProperty('emails')
    expect(await handlesOf(id)).toEqual([])
  })

  test('58: What is read-only is refused in PATCH and ignored in PUT', async () => {
    const user = await corp.push(jo)
    for (const operation of [set('id', 'x'), set('meta.created', '2020-01-01T00:00:00Z'), set('groups', [])])
      expect(await corp.patch(user.id, operation)).toMatchObject(refusal.of(400, 'mutability', expect.any(String)))
    const { status, body } = await put(user.id, {
      ...jo,
      id: 'x',
      meta: { created: '2020-01-01T00:00:00Z' },
      groups: [{ value: 'x' }],
    })
    expect({ status, body }).toEqual({ status: 200, body: user })
  })

  test.each<[string, object, string]>([
    ['59', set('active', 'perhaps'), 'invalidValue'],
    ['60', { op: 'move', path: 'title' }, 'invalidSyntax'],
    ['60', set('emails[', 'x'), 'invalidPath'],
    ['61', set('__proto__.x', 'x'), 'invalidPath'],
    ['24', set('emails[type eq "home"].value', 'none', 'add'), 'invalidValue'],
    ['18', set('userName', ''), 'invalidValue'],
    ['18', { op: 'remove', path: 'userName' }, 'invalidValue'],
  ])('%s: Where the last operation is %j, nothing of the first ones is done', async (_, last, scimType) => {
    const user = await corp.push(jo)
    const { status, body } = await corp.patch(user.id, set('displayName', 'X'), set('active', false), last)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { scimType: expect.stringMatching(scimType === 'invalidValue' ? /invalidValue|mutability/ : scimType) },
    })
    expect((await get(user.id)).body).toEqual(user)
    expect(await eventsOf()).toEqual(['PersonCreated'])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test('62, 111: What changes nothing leaves version and time, and makes neither event nor entry', async () => {
    const user = await corp.push({
      ...jo,
      [enterprise]: { department: 'R&D' },
      phoneNumbers: [{ value: '+4915112345678' }],
    })
    const xmin = async () =>
      (
        await signIns.inside.query(
          `select 'u' as t, xmin::text from directory_users where org_id = $1 union all select 'p', xmin::text from persons where org_id = $1
           union all select 'h', xmin::text from handles where org_id = $1 order by 1, 2`,
          [tenant.organization.id],
        )
      ).rows
    const before = await xmin()
    expect(await patched(user.id, set('displayName', 'Jo Doe'), set('active', 'True'))).toEqual(user)
    expect(await patched(user.id, { op: 'add', value: { emails: jo.emails, userName: jo.userName } })).toEqual(user)
    const { status, body } = await put(user.id, { ...user, password: 'another' })
    expect({ status, body }).toEqual({ status: 200, body: user })
    expect(await xmin()).toEqual(before)
    expect(await eventsOf()).toEqual(['PersonCreated'])
    expect([...(await auditOf('changeScimUser')), ...(await auditOf('replaceScimUser'))]).toEqual([])
  })

  test('63: What a PUT does not name is gone, but for the switch', async () => {
    const user = await corp.push({ ...jo, title: 'Dr', phoneNumbers: [{ value: '+4915112345678' }], active: false })
    const { status, body } = await put(user.id, { userName: 'jd' })
    expect(status).toBe(200)
    const meta = { ...user.meta, version: 'W/"2"', lastModified: expect.any(String) }
    expect(body).toEqual({ schemas: [core], id: user.id, userName: 'jd', active: false, groups: [], meta })
    expect((await get(user.id)).body).toEqual(body)
    expect(await handlesOf(user.id)).toEqual([])
    const [{ after }] = await auditOf('replaceScimUser')
    expect(after).toMatchObject({ handles: [], active: false })
    expect(after).not.toHaveProperty('external_id')
  })

  test('65: A userName, an externalId or an address that another user has', async () => {
    const first = await corp.push(jo)
    const { id } = await corp.push({ userName: 'zoe', externalId: '00uzoe' })
    for (const [path, value] of [
      ['userName', 'JO@corp.example'],
      ['externalId', '00ujo'],
      ['emails[type eq "work"].value', 'jo@corp.example'],
    ] as const)
      expect(await corp.patch(id, set('displayName', 'Zoe'), set(path, value))).toMatchObject(
        clash(expect.stringContaining(path.slice(0, 6))),
      )
    expect((await get(id)).body).not.toHaveProperty('displayName')
    expect(await put(id, { ...jo, externalId: 'other' })).toMatchObject(clash(expect.stringContaining('userName')))
    expect((await get(first.id)).body).toEqual(first)
  })

  test('66: Of another version nothing is changed', async () => {
    const { id } = await corp.push(jo)
    await patched(id, set('title', 'Dr'))
    for (const version of ['W/"1"', '"x"', 'W/"3"']) {
      const headers = { 'if-match': version }
      const answers = [
        await corp.call('PATCH', `/Users/${id}`, { Operations: [set('title', 'X')] }, headers),
        await put(id, { userName: 'x' }, headers),
        await remove(id, headers),
      ]
      expect(answers.map(({ status }) => status)).toEqual([412, 412, 412])
    }
    const { status, headers } = await put(id, { ...jo, title: 'X' }, { 'if-match': 'W/"2"' })
    expect([status, headers.get('etag')]).toEqual([200, 'W/"3"'])
    expect((await remove(id, { 'if-match': 'W/"3"' })).status).toBe(204)
  })

  test('An unlisted address that is another user’s is kept, and becomes a handle with the next change of addresses once it is free', async () => {
    const first = await corp.push({ userName: 'one', ...emails('both@home.example') })
    const second = await corp.push({ userName: 'two', ...emails('both@home.example') })
    await patched(first.id, { op: 'remove', path: 'emails' })
    await patched(second.id, set('phoneNumbers', [{ value: '+4915112345678' }]))
    expect(await handlesOf(second.id)).toEqual([
      ['both@home.example', false],
      ['+4915112345678', false],
    ])
  })
})

describe('A user who is deleted', () => {
  test('67, 112: The person is gone, with one event that tells handles and groups; the name is free', async () => {
    const { id } = await corp.push(jo)
    await as('POST', '/groups', { name: 'staff' })
    await as('POST', `/persons/${id}/groups`, { groups: ['staff'] })
    expect((await remove(id)).status).toBe(204)
    expect(await get(id)).toMatchObject(gone)
    expect(await remove(id)).toMatchObject(gone)
    expect(await corp.patch(id, set('active', false))).toMatchObject(gone)
    expect(await personOf(id)).toBeUndefined()
    const deleted = (await tenant.events()).filter(
      ({ event_metadata }) => event_metadata.event_type === 'PersonDeleted',
    )
    expect(deleted).toMatchObject([
      { person_id: id, groups: ['staff'], handles: [{ type: 0, value: 'jo@corp.example' }] },
    ])
    const [entry] = await auditOf('deleteScimUser')
    expect(entry).toMatchObject({
      actor: { type: 'directory' },
      target: { id },
      before: { active: true, groups: ['staff'] },
    })
    expect(entry.after).toBeNull()
    expect((await corp.push(jo)).id).not.toBe(id)
  })

  test.each(['adopted', 'kept by on_delete', 'an administrator'])(
    '68: One who was %s stays, switched off and without what the directory gave',
    async (why) => {
      await newDirectory({ adopt: true, ...(why === 'kept by on_delete' && { on_delete: 'deactivate' }) })
      const own = why === 'adopted' ? await newPerson({ handles: [mail('jo@corp.example', true)] }) : undefined
      const { id } = await corp.push({ ...jo, ...emails('jo@corp.example', 'jd@corp.example', 'jo@home.example') })
      if (own) expect(id).toBe(own)
      if (why === 'an administrator') await makeAdministrator(id)
      for (const name of ['theirs', 'ours']) {
        await as('POST', '/groups', { name })
        await as('POST', `/persons/${id}/groups`, { groups: [name] })
      }
      await signIns.inside.query(
        `insert into directory_groups (org_id, directory_id, id, group_name, display_name, display_key, tied, created_at, updated_at)
         values ($1, $2, gen_random_uuid(), 'theirs', 'Theirs', 'theirs', false, now(), now())`,
        [tenant.organization.id, corp.id],
      )
      expect((await get(id)).body.groups).toEqual([
        { value: expect.any(String), display: 'Theirs', type: 'direct', $ref: expect.stringContaining('/Groups/') },
      ])
      expect((await remove(id)).status).toBe(204)
      for (const answer of [await get(id), await remove(id), await corp.patch(id, set('active', true))])
        expect(answer).toMatchObject(gone)
      const groups = [...(why === 'an administrator' ? ['admins'] : []), 'ours']
      expect(await personOf(id)).toMatchObject({ active: false, groups })
      expect(await handlesOf(id)).toEqual(own ? [['jo@corp.example', true]] : [])
      const events = await tenant.events()
      expect(events.map(({ event_metadata }) => event_metadata.event_type).slice(-2)).toEqual([
        'PersonDeactivated',
        'PersonGroupsChanged',
      ])
      expect(events.at(-1)).toMatchObject({ person_id: id, added: [], removed: ['theirs'] })
      expect((await auditOf('deleteScimUser'))[0]).toMatchObject({ before: { active: true }, after: { active: false } })
      // As though a key had switched the person off.
      expect((await as('PATCH', `/persons/${id}`, { active: true })).body.result.active).toBe(true)
    },
  )

  test('One whom the interface deleted is not found any more', async () => {
    const { id } = await corp.push(jo)
    expect((await as('DELETE', `/persons/${id}`)).status).toBe(204)
    for (const answer of [
      await get(id),
      await remove(id),
      await put(id, jo),
      await corp.patch(id, set('active', true)),
    ])
      expect(answer).toMatchObject(gone)
    expect((await corp.push(jo)).id).not.toBe(id)
  })

  test('69: A directory that is stopped writes nothing, and what it wrote stays', async () => {
    const { id } = await corp.push(jo)
    await as('PATCH', `/organizations/directories/${corp.id}`, { enabled: false })
    for (const answer of [await get(id), await post({ userName: 'x' }), await remove(id)])
      expect(answer.status).toBe(401)
    expect(await personOf(id)).toMatchObject({ active: true })
  })

  test('69: Without the directory, whom it had switched off stays off as though by a key', async () => {
    const [off, on] = [await corp.push({ ...jo, active: false }), await corp.push({ userName: 'on' })]
    expect((await as('DELETE', `/organizations/directories/${corp.id}`)).status).toBe(204)
    expect([await personOf(off.id), await personOf(on.id)]).toMatchObject([{ active: false }, { active: true }])
    expect((await as('PATCH', `/persons/${off.id}`, { active: true })).body.result.active).toBe(true)
  })
})

test('What one directory does, another one of the organization and another organization do not feel', async () => {
  const { id } = await corp.push(jo)
  const second = await startPushing(service, tenant.organization, { name: 'Second' })
  for (const answer of [
    await second.patch(id, set('active', false)),
    await second.call('PUT', `/Users/${id}`, jo),
    await second.call('DELETE', `/Users/${id}`),
    await second.call('GET', `/Users/${id}`),
  ])
    expect(answer).toMatchObject(gone)
  expect((await get(id)).body).toMatchObject({ active: true, meta: { version: 'W/"1"' } })
})
