import { expect } from 'vitest'
import { as, newTenant, service, tenant } from './own-sign-ins.ts'
import { core, type Pushing, startPushing } from './pushing.ts'

/** A directory of each test's own tenant, which vouches for addresses of corp.example. */
export let corp: Pushing

export async function newDirectory(fields: object = {}) {
  await newTenant()
  corp = await startPushing(service, tenant.organization, { email_domains: ['corp.example'], ...fields })
}

const error = (status: number, scimType: string | undefined, detail: unknown) => ({
  status,
  body: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    detail,
    ...(scimType !== undefined && { scimType }),
  },
})
/** What a SCIM client is told. */
export const refusal = {
  invalid: (detail: unknown) => error(400, 'invalidValue', detail),
  clash: (detail: unknown) => error(409, 'uniqueness', detail),
  gone: error(404, undefined, expect.stringContaining('id')),
  of: error,
}

export const post = (user: object) => corp.call('POST', '/Users', { schemas: [core], ...user })
export const get = (id: string) => corp.call('GET', `/Users/${id}`)
export const put = (id: string, user: object, headers?: Record<string, string>) =>
  corp.call('PUT', `/Users/${id}`, { schemas: [core], ...user }, headers)
export const remove = (id: string, headers?: Record<string, string>) =>
  corp.call('DELETE', `/Users/${id}`, undefined, headers)

export const personOf = async (id: string) => (await as('GET', `/persons/${id}`)).body.result
/** With whether somebody vouches for it. */
export const handlesOf = async (id: string): Promise<[string, boolean][]> =>
  (await personOf(id)).handles.map(({ value, verified }: { value: string; verified: boolean }) => [value, verified])
export const newPerson = async (fields: object = {}): Promise<string> =>
  (await as('POST', '/persons', fields)).body.result.person_id
export const mail = (value: string, verified?: boolean) => ({
  type: 'EmailAddress',
  value,
  ...(verified !== undefined && { verified }),
})
export const emails = (...values: string[]) => ({ emails: values.map((value) => ({ value })) })

/** The names of all events, in their order. */
export const eventsOf = async (): Promise<string[]> =>
  (await tenant.events()).map(({ event_metadata }) => event_metadata.event_type)
export const auditOf = async (action: string) =>
  (await as('GET', `/organizations/audit-log?action=${action}`)).body.result
/** A guarded group with this person. */
export async function makeAdministrator(personId: string, role = 'reader') {
  await as('POST', '/groups', { name: 'admins' })
  await as('PATCH', '/organizations/settings', { console_access: [{ group: 'admins', role }] })
  const { status } = await as('POST', '/groups/admins/persons', { persons: [personId] })
  expect(status).toBe(201)
}
