import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { unknownId } from '../support/own-persons.ts'
import { as, closeSignIns, newTenant, openSignIns, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { core, enterprise, jo, type Pushing, startPushing } from '../support/pushing.ts'

let corp: Pushing

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(async () => {
  await newTenant()
  corp = await startPushing(service, tenant.organization, { email_domains: ['corp.example'] })
})

const error = (status: number, scimType: string | undefined, detail: unknown) => ({
  status,
  body: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    detail,
    ...(scimType !== undefined && { scimType }),
  },
})
const invalid = (detail: unknown) => error(400, 'invalidValue', detail)
const clash = (detail: unknown) => error(409, 'uniqueness', detail)
const gone = error(404, undefined, expect.stringContaining('id'))

const post = (user: object) => corp.call('POST', '/Users', { schemas: [core], ...user })
const get = (id: string) => corp.call('GET', `/Users/${id}`)
const put = (id: string, user: object) => corp.call('PUT', `/Users/${id}`, { schemas: [core], ...user })
const personOf = async (id: string) => (await as('GET', `/persons/${id}`)).body.result
const handlesOf = async (id: string): Promise<[string, boolean][]> =>
  (await personOf(id)).handles.map(({ value, verified }: { value: string; verified: boolean }) => [value, verified])
const newPerson = async (fields: object = {}) => (await as('POST', '/persons', fields)).body.result.person_id as string
const mail = (value: string, verified?: boolean) => ({
  type: 'EmailAddress',
  value,
  ...(verified !== undefined && { verified }),
})
const emails = (...values: string[]) => ({ emails: values.map((value) => ({ value })) })
const eventsOf = async () => (await tenant.events()).map(({ event_metadata }) => event_metadata.event_type)
const audit = async (query = '') => (await as('GET', `/organizations/audit-log?${query}`)).body.result

describe('A user who is created', () => {
  test('13: As Okta sends it, the user is a person with a handle that the directory vouches for', async () => {
    const { status, headers, body } = await post(jo)
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(body.meta.location)
    expect(headers.get('content-type')).toMatch(/^application\/scim\+json/)
    const { password: _, groups, ...kept } = jo
    expect(body).toEqual({ ...kept, groups, id: expect.any(String), meta: expect.any(Object) })
    expect(body.meta).toMatchObject({ resourceType: 'User', version: 'W/"1"' })
    expect(body.meta.lastModified).toBe(body.meta.created)
    expect(await personOf(body.id)).toMatchObject({ active: true, groups: [], region: 'local' })
    expect(await handlesOf(body.id)).toEqual([['jo@corp.example', true]])
    expect(await eventsOf()).toEqual(['PersonCreated'])
    expect((await get(body.id)).body).toEqual(body)
  })
})
