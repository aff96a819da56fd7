import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  auditOf,
  closeDirectories,
  createCredential,
  createDirectory,
  createToken,
  credentials,
  directories,
  keyWith,
  newOrganization,
  noDirectory,
  openDirectories,
  ours,
  pathOf,
  push,
  pushGroup,
  scim,
  signet,
} from '../support/own-directories.ts'
import { refused } from '../support/refused.ts'

beforeAll(openDirectories)
afterAll(closeDirectories)
beforeEach(newOrganization)

const plain = {
  name: 'Corp staff',
  match: 'external_id',
  adopt: false,
  email_domains: [],
  on_delete: 'delete',
  group_prefix: '',
  enabled: true,
}
const full = {
  name: 'Corp staff',
  oauth_client_id: 'okta',
  match: 'none',
  adopt: true,
  email_domains: ['corp.example'],
  on_delete: 'deactivate',
  group_prefix: 'corp-',
  enabled: false,
}

describe('A directory', () => {
  test('It is made with defaults, read, listed, changed by a merge patch, and deleted', async () => {
    const directory = await createDirectory()
    const scim_url = `${signet.baseUrl}/scim/${ours.id}/v2`
    expect(directory).toEqual({ id: expect.any(String), ...plain, scim_url, created_at: expect.any(String) })
    expect((await ask('GET', pathOf(directory))).body.result).toEqual({ ...directory, users_count: 0, groups_count: 0 })
    expect((await ask('GET', directories)).body).toMatchObject({
      result: [{ ...directory, users_count: 0, groups_count: 0 }],
      meta: { pagination: { total_count: 1 } },
    })
    await createCredential()
    const changed = await ask('PATCH', pathOf(directory), full)
    expect(changed.body.result).toEqual({ ...directory, ...full })
    expect((await ask('PATCH', pathOf(directory), {})).body.result).toEqual(changed.body.result)
    const nulls = Object.fromEntries(Object.keys(full).map((name) => [name, null]))
    expect((await ask('PATCH', pathOf(directory), { ...nulls, name: 'Corp staff' })).body.result).toEqual(directory)
    expect((await ask('DELETE', pathOf(directory))).status).toBe(204)
    for (const method of ['GET', 'DELETE']) expect(await ask(method, pathOf(directory))).toMatchObject(noDirectory)
    expect(await ask('PATCH', pathOf(directory), {})).toMatchObject(noDirectory)
    const entries = await auditOf('limit=1000')
    const ofDirectories = entries.filter(({ target }) => target.type === 'directory')
    expect(ofDirectories.map(({ action, target }) => [action, target.name])).toEqual([
      ['deleteDirectory', 'Corp staff'],
      ['changeDirectory', 'Corp staff'],
      ['changeDirectory', 'Corp staff'],
      ['createDirectory', 'Corp staff'],
    ])
  })

  test('It is made with all that it may have', async () => {
    await createCredential()
    expect(await createDirectory(full)).toMatchObject(full)
    const none = Object.fromEntries(Object.keys(full).map((name) => [name, null]))
    expect(await createDirectory({ ...none, name: 'Other' })).toMatchObject({ ...plain, name: 'Other' })
  })

  test.each<[object, ...string[]]>([
    [{ name: '' }, 'name: must be 1 to 200 characters'],
    [{ name: 'a\u202eb' }, 'name: must not contain control or format characters, such as line breaks'],
    [{ match: 'email' }, 'match: must be external_id or none'],
    [{ on_delete: 'keep' }, 'on_delete: must be delete or deactivate'],
    [{ adopt: true }, 'adopt: must be false or absent without email_domains, which say whom it may adopt'],
    [
      { email_domains: ['corp.example', 'jo@corp.example'] },
      'email_domains[1]: must be a domain name, such as corp.example',
    ],
    [{ email_domains: ['gmail.com'] }, 'email_domains[0]: is of a public mail service'],
    [
      { email_domains: Array.from({ length: 51 }, (_, index) => `d${index}.example`) },
      'email_domains: must be an array of at most 50 domain names',
    ],
    ...['-corp', 'corp prefix', 'c'.repeat(41), 'é'].map((group_prefix): [object, string] => [
      { group_prefix },
      'group_prefix: must be at most 40 characters of A-Z a-z 0-9 - _ . and start with a letter or digit',
    ]),
    [{ oauth_client_id: 'nobody' }, 'oauth_client_id: must be that of a credential of this organization'],
    [{ oauth_client_id: '' }, 'oauth_client_id: must be that of a credential of this organization'],
    [{ active: true }, 'active: is not a known field'],
    [
      { oauth_client_id: 'nobody', email_domains: ['gmail.com'], enabled: 'yes' },
      'enabled: must be a boolean',
      'email_domains[0]: is of a public mail service',
      'oauth_client_id: must be that of a credential of this organization',
    ],
  ])('%j is refused, when it is made and when it is changed', async (fields, ...problems) => {
    const directory = await createDirectory()
    const answers = [
      await ask('POST', directories, { name: 'Other', ...fields }),
      await ask('PATCH', pathOf(directory), fields),
    ]
    for (const { status, body } of answers) {
      const messages = body.errors.map(({ message }: { message: string }) => message.replace(/,? or null$/, ''))
      expect({ status, messages: messages.sort() }).toEqual({ status: 400, messages: problems.sort() })
    }
    const { users_count: _, groups_count: __, ...after } = (await ask('GET', pathOf(directory))).body.result
    expect(after).toEqual(directory)
    expect((await ask('GET', directories)).body.meta.pagination.total_count).toBe(1)
  })

  test('Its domains are A-labels in lower case, each once', async () => {
    const { email_domains } = await createDirectory({ email_domains: ['Corp.Example', 'corp.example', 'köln.example'] })
    expect(email_domains).toEqual(['corp.example', 'xn--kln-sna.example'])
  })

  test('It adopts nobody once no domain is left', async () => {
    const directory = await createDirectory({ adopt: true, email_domains: ['corp.example'] })
    const refusal = 'adopt: must be false or absent without email_domains, which say whom it may adopt'
    expect(await ask('PATCH', pathOf(directory), { email_domains: null })).toMatchObject(refused(400, refusal))
    expect((await ask('PATCH', pathOf(directory), { email_domains: null, adopt: false })).status).toBe(200)
  })
})

describe('The domains of a directory', () => {
  const handles = async (id: string) =>
    (await ask('GET', `/persons/${id}`)).body.result.handles.map(
      ({ value, verified }: { value: string; verified: boolean }) => [value, verified],
    )

  test('It vouches at once for what its people have in a domain that is added, and no more for one that is taken away', async () => {
    const directory = await createDirectory({ email_domains: ['sub.corp.example'] })
    const emails = ['Jo@corp.example', 'jo@sub.corp.example', 'jo@else.example'].map((value) => ({ value }))
    const [jo] = (await push(await createToken(directory), 1, { emails })) as [string]
    const known = (await ask('POST', '/persons', { handles: [{ type: 'EmailAddress', value: 'al@corp.example' }] }))
      .body
    const all = (...verified: boolean[]) => emails.map(({ value }, index) => [value, verified[index]])
    expect((await handles(jo)).sort()).toEqual(all(false, true, false).sort())
    await ask('PATCH', pathOf(directory), { email_domains: ['sub.corp.example', 'corp.example'] })
    expect((await handles(jo)).sort()).toEqual(all(true, true, false).sort())
    expect(await handles(known.result.person_id)).toEqual([['al@corp.example', false]])
    await ask('PATCH', pathOf(directory), { email_domains: ['sub.corp.example'] })
    expect((await handles(jo)).sort()).toEqual(all(true, true, false).slice(1).sort())
  })

  test('What a key vouches for, too, stays when the directory vouches no more', async () => {
    const directory = await createDirectory({ email_domains: ['corp.example'] })
    const emails = [{ value: 'jo@corp.example' }]
    const [jo] = (await push(await createToken(directory), 1, { emails })) as [string]
    const vouched = [{ type: 'EmailAddress', value: 'jo@corp.example', verified: true }]
    await ask('PATCH', `/persons/${jo}`, { handles: vouched })
    await ask('PATCH', pathOf(directory), { email_domains: null })
    expect(await handles(jo)).toEqual([['jo@corp.example', true]])
  })
})

describe('What a key of a narrower scope may do', () => {
  const field = (name: string) => `${name}: must stay as it is, unless the key is an admin key`
  const trusted = ['oauth_client_id', 'match', 'adopt', 'email_domains'] as const

  test('It makes and changes a directory, but for what decides who somebody is', async () => {
    await createCredential()
    const narrow = await keyWith('directories:write')
    const directory = await createDirectory({ on_delete: 'deactivate', group_prefix: 'corp-' }, narrow)
    const refusals = refused(403, ...trusted.map(field))
    expect(await ask('POST', directories, full, narrow)).toMatchObject(refusals)
    expect(await ask('PATCH', pathOf(directory), full, narrow)).toMatchObject(refusals)
    expect((await ask('PATCH', pathOf(directory), { ...plain, name: 'Other' }, narrow)).status).toBe(200)
    await ask('PATCH', pathOf(directory), full)
    const less = { oauth_client_id: null, match: 'external_id', adopt: false, email_domains: [] }
    expect(await ask('PATCH', pathOf(directory), less, narrow)).toMatchObject(refusals)
    expect((await ask('PATCH', pathOf(directory), full, narrow)).status).toBe(200)
  })

  test('It stops a directory, and does not let one go on', async () => {
    const narrow = await keyWith('directories:write')
    const directory = await createDirectory()
    expect((await ask('PATCH', pathOf(directory), { enabled: false }, narrow)).status).toBe(200)
    expect(await ask('PATCH', pathOf(directory), { enabled: true }, narrow)).toMatchObject(
      refused(403, field('enabled')),
    )
    expect((await ask('PATCH', pathOf(directory), { enabled: true })).status).toBe(200)
  })

  test('It deletes none, makes and revokes no token and no link, and ties no group', async () => {
    const narrow = await keyWith('directories:write', 'groups:write')
    const directory = await createDirectory()
    const token = (await ask('POST', pathOf(directory, '/tokens'), {})).body.result
    const link = (await ask('POST', pathOf(directory, '/links'), {})).body.result
    const calls: [string, string, object?][] = [
      ['DELETE', ''],
      ['POST', '/tokens', {}],
      ['DELETE', `/tokens/${token.id}`],
      ['POST', '/links', {}],
      ['DELETE', `/links/${link.id}`],
      ['PATCH', `/groups/${link.id}`, { group_name: 'staff' }],
    ]
    for (const [method, below, body] of calls)
      expect((await ask(method, pathOf(directory, below), body, narrow)).status).toBe(403)
    expect((await ask('GET', pathOf(directory, '/tokens'), undefined, narrow)).body.result).toHaveLength(1)
  })
})

describe('The credential of a directory', () => {
  const elsewhere = { options: { provider_h: { organization_url: 'https://evil.okta.example' } } }

  test('One credential is that of one directory, also when two are made at once', async () => {
    await createCredential()
    const named = { name: 'Corp staff', oauth_client_id: 'okta' }
    const answers = await Promise.all([ask('POST', directories, named), ask('POST', directories, named)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    const refusal = refused(409, 'oauth_client_id: is that of another directory')
    expect(answers.find(({ status }) => status === 409)).toMatchObject(refusal)
    const other = await createDirectory()
    expect(await ask('PATCH', pathOf(other), { oauth_client_id: 'okta' })).toMatchObject(refusal)
  })

  test('That of a provider at which anybody has an account is refused', async () => {
    const google = { client_id: 'google', client_secret: 'secret', provider: 'provider_a' }
    const entra = { client_id: 'entra', client_secret: 'secret', provider: 'provider_g' }
    for (const credential of [google, entra]) await ask('POST', credentials, credential)
    for (const oauth_client_id of ['google', 'entra'])
      expect(await ask('POST', directories, { name: 'Corp staff', oauth_client_id })).toMatchObject({
        status: 400,
        body: {
          errors: [
            { message: expect.stringMatching(/^oauth_client_id: must be of a provider that is the customer's own/) },
          ],
        },
      })
    await ask('PATCH', `${credentials}/entra`, { options: { provider_g: { tenant: 'corp.example' } } })
    await createDirectory({ oauth_client_id: 'entra' })
  })

  test('Whoever points it elsewhere takes it from the directory, which the audit log says', async () => {
    const directory = await createDirectory({ oauth_client_id: await createCredential() })
    const same = { options: { provider_h: { organization_url: 'https://corp.okta.example/' } }, label: 'Staff' }
    await ask('PATCH', `${credentials}/okta`, same)
    expect((await ask('GET', pathOf(directory))).body.result.oauth_client_id).toBe('okta')
    expect((await ask('PATCH', `${credentials}/okta`, elsewhere)).status).toBe(200)
    const { oauth_client_id: _, ...without } = directory
    expect((await ask('GET', pathOf(directory))).body.result).toEqual({ ...without, users_count: 0, groups_count: 0 })
    const [entry] = (await auditOf('action=modifyOidcCredential')).filter(({ target }) => target.type === 'directory')
    expect(entry).toMatchObject({ target: { id: directory.id }, before: { oauth_client_id: 'okta' } })
    await ask('PATCH', pathOf(directory), { oauth_client_id: 'okta' })
  })

  test('A directory stays when its credential is deleted, without it', async () => {
    const directory = await createDirectory({ oauth_client_id: await createCredential() })
    expect((await ask('DELETE', `${credentials}/okta`)).status).toBe(200)
    expect((await ask('GET', pathOf(directory))).body.result).not.toHaveProperty('oauth_client_id')
    const [entry] = (await auditOf('action=deleteOidcCredential')).filter(({ target }) => target.type === 'directory')
    expect(entry).toMatchObject({ target: { id: directory.id }, before: { oauth_client_id: 'okta' } })
  })

  test('A directory that is given the credential while that is pointed elsewhere loses it, or is refused', async () => {
    const directory = await createDirectory()
    await createCredential()
    const toEntra = { options: { provider_h: { organization_url: 'https://account.okta.example' } } }
    await Promise.all([
      ask('PATCH', pathOf(directory), { oauth_client_id: 'okta' }),
      ask('PATCH', `${credentials}/okta`, toEntra),
    ])
    const entries = (await auditOf('limit=1000')).map(({ action, target }) => `${action} ${target.type}`)
    const isTied = 'oauth_client_id' in (await ask('GET', pathOf(directory))).body.result
    // The newest first: given it after it pointed there, or before, and then it was taken away.
    expect(entries.indexOf('changeDirectory directory') < entries.indexOf('modifyOidcCredential oidc_credential')).toBe(
      isTied,
    )
  })
})

describe('The people of a deleted directory', () => {
  const personOf = async (id: string) => (await ask('GET', `/persons/${id}`)).body.result

  test('They stay as they are: whoever was off stays off, as if a key had done it', async () => {
    const directory = await createDirectory()
    const token = await createToken(directory)
    const [on] = await push(token, 1)
    const [off] = await push(token, 1, { userName: 'off', active: false })
    expect((await ask('DELETE', pathOf(directory))).status).toBe(204)
    expect(await personOf(on as string)).toMatchObject({ active: true })
    expect(await personOf(off as string)).toMatchObject({ active: false })
    expect((await ask('PATCH', `/persons/${off}`, { active: true })).body.result).toMatchObject({ active: true })
    expect((await ask('GET', '/events?event_name=PersonDeactivated_v1')).body.result).toEqual([])
    expect((await scim(token, 'GET', '/Users')).status).toBe(401)
  })

  test('With people=deactivate all are switched off, more than one batch of them, each with its event', async () => {
    const directory = await createDirectory()
    const token = await createToken(directory)
    const [off] = await push(token, 1, { userName: 'off', active: false })
    const on = await push(token, 501)
    const bystander = (await ask('POST', '/persons', {})).body.result.person_id
    expect((await ask('DELETE', pathOf(directory, '?people=deactivate'))).status).toBe(204)
    const events = (await ask('GET', '/events?event_name=PersonDeactivated_v1&limit=1000')).body.result
    expect(events.map(({ person_id }: { person_id: string }) => person_id).sort()).toEqual(on)
    expect(events[0]).toMatchObject({ reason: 'api' })
    const active = (await ask('GET', '/persons?active=true')).body.result
    expect(active.map(({ person_id }: { person_id: string }) => person_id)).toEqual([bystander])
    // A key did it, and may undo it.
    expect((await ask('PATCH', `/persons/${off}`, { active: true })).body.result).toMatchObject({ active: true })
    const [entry] = await auditOf('action=deleteDirectory')
    expect(entry).toMatchObject({ before: { people: 'deactivate', persons_count: 502 } })
  })

  test('Its groups become groups like any other, with their members, and its addresses are no handles any more', async () => {
    const directory = await createDirectory({ email_domains: ['corp.example'] })
    const token = await createToken(directory)
    const [person] = await push(token, 1, { emails: [{ value: 'jo@corp.example' }] })
    await pushGroup(token, 'Staff', [person as string])
    expect(await personOf(person as string)).toMatchObject({ handles: [{ value: 'jo@corp.example', verified: true }] })
    await ask('DELETE', pathOf(directory))
    expect(await personOf(person as string)).toMatchObject({ handles: [], groups: ['Staff'] })
    expect((await ask('DELETE', `/groups/Staff/persons/${person}`)).status).toBe(200)
  })

  test('A person who is pushed while the directory is deleted is released as well, or never made', async () => {
    const directory = await createDirectory()
    const token = await createToken(directory)
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'] }
    const pushed = Array.from({ length: 20 }, (_, index) =>
      scim(token, 'POST', '/Users', { ...user, userName: String(index) }),
    )
    const deleted = ask('DELETE', pathOf(directory, '?people=deactivate'))
    const answers = await Promise.all(pushed)
    expect((await deleted).status).toBe(204)
    expect(answers.filter(({ status }) => ![201, 401].includes(status))).toEqual([])
    const persons = (await ask('GET', '/persons')).body.result
    expect(persons).toHaveLength(answers.filter(({ status }) => status === 201).length)
    expect(persons.filter(({ active }: { active: boolean }) => active)).toEqual([])
  })

  test('Another word than keep and deactivate is refused, and changes nothing', async () => {
    const directory = await createDirectory()
    const refusal = refused(400, 'people: must be keep or deactivate')
    expect(await ask('DELETE', pathOf(directory, '?people=delete'))).toMatchObject(refusal)
    expect((await ask('GET', pathOf(directory))).status).toBe(200)
  })
})

test("Another organization's directory is not found, nor is its token", async () => {
  const theirs = ours
  const directory = await createDirectory()
  const token = (await ask('POST', pathOf(directory, '/tokens'), {})).body.result
  const link = (await ask('POST', pathOf(directory, '/links'), {})).body.result
  await newOrganization()
  const calls: [string, string, object?][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'Ours' }],
    ['DELETE', ''],
    ['GET', '/tokens'],
    ['POST', '/tokens', {}],
    ['GET', '/links'],
    ['POST', '/links', {}],
    ['GET', '/refusals'],
    ['GET', '/groups'],
    ['PATCH', `/groups/${directory.id}`, { group_name: 'staff' }],
  ]
  for (const [method, below, body] of calls)
    expect(await ask(method, pathOf(directory, below), body), below).toMatchObject(noDirectory)
  for (const below of [`/tokens/${token.id}`, `/links/${link.id}`])
    expect((await ask('DELETE', pathOf(directory, below))).status).toBe(404)
  expect((await scim(token.token, 'GET', '/Users')).status).toBe(401)
  expect((await ask('GET', pathOf(directory), undefined, theirs)).body.result).toMatchObject(directory)
})
