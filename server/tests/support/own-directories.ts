import pg from 'pg'
import { expect } from 'vitest'
import { refused } from './refused.ts'
import { type Answer, type Organization, type OwnSignet, startOwnSignet } from './signet.ts'

/** A Signet of a test file's own, with a client inside its database, and a new organization for each test. */
export let signet: OwnSignet
export let inside: pg.Client
export let ours: Organization

export const directories = '/organizations/directories'
export const credentials = '/organizations/sso/oidc/provider-credentials'
export const noDirectory = refused(404, 'directory: not found')

export async function openDirectories() {
  signet = await startOwnSignet()
  inside = new pg.Client(signet.database)
  await inside.connect()
}

export async function closeDirectories() {
  await inside?.end()
  await signet?.stop()
}

export async function newOrganization() {
  ours = await signet.organization()
}

export const ask = (method: string, path: string, body?: unknown, by = ours) => signet.as(by, method, path, body)
export const made = async (answer: Promise<Answer>): Promise<Answer['body']> => {
  const { status, body } = await answer
  expect({ status, errors: body.errors }).toEqual({ status: 201, errors: undefined })
  return body.result
}
export const createDirectory = (fields: object = {}, by = ours) =>
  made(ask('POST', directories, { name: 'Corp staff', ...fields }, by))
export const pathOf = ({ id }: { id: string }, below = '') => `${directories}/${id}${below}`

/** The client id of a credential of a customer's own provider. */
export async function createCredential(client_id = 'okta') {
  const options = { provider_h: { organization_url: 'https://corp.okta.example' } }
  await made(ask('POST', credentials, { client_id, client_secret: 'secret', provider: 'provider_h', options }))
  return client_id
}

/** A key of the organization with these scopes. */
export async function keyWith(...scopes: string[]): Promise<Organization> {
  const { api_key: apiKey } = await made(ask('POST', '/organizations/api-keys', { scopes }))
  return { id: ours.id, apiKey }
}

export const auditOf = async (query: string): Promise<Answer['body'][]> =>
  (await ask('GET', `/organizations/audit-log?${query}`)).body.result

/** As the client of a directory writes them, row by row: the ids of persons it keeps. */
export async function keepPersons(directoryId: string, count: number, fields: { directory_active?: boolean } = {}) {
  const { rows } = await inside.query<{ id: string }>(
    `with made as (
       insert into persons (org_id, id, active, region, created_at, directory_active)
       select $1, gen_random_uuid(), true, 'local', now(), $4 from generate_series(1, $3::int) returning id
     )
     insert into directory_users
            (org_id, person_id, directory_id, user_name, user_name_key, adopted, attributes, created_at, updated_at)
     select $1, id, $2, id, id, false, '{}', now(), now() from made returning person_id as id`,
    [ours.id, directoryId, count, fields.directory_active ?? true],
  )
  return rows.map(({ id }) => id).sort()
}

/** The same for a group with these members. */
export async function keepGroup(directoryId: string, name: string, members: string[] = []) {
  await made(ask('POST', '/groups', { name }))
  if (members.length > 0) await made(ask('POST', `/groups/${name}/persons`, { persons: members }))
  const { rows } = await inside.query<{ id: string }>(
    `insert into directory_groups
            (org_id, directory_id, id, group_name, display_name, display_key, tied, members_count, created_at, updated_at)
     values ($1, $2, gen_random_uuid(), $3, $3, lower($3), false, $4, now(), now()) returning id`,
    [ours.id, directoryId, name, members.length],
  )
  return rows[0]?.id ?? ''
}
