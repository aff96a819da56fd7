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
  const env = {
    SIGNET_RATE_SCIM: '600000/10000',
    SIGNET_RATE_PUBLIC: '600000/10000',
    SIGNET_TRUSTED_PROXIES: '127.0.0.1',
  }
  signet = await startOwnSignet({ env })
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

/** A token of a directory. */
export const createToken = async (directory: { id: string }, fields: object = {}): Promise<string> =>
  (await made(ask('POST', pathOf(directory, '/tokens'), fields))).token

/** As the client of a directory calls with the token. */
export const scim = (token: string, method: string, path: string, body?: object, organization = ours) =>
  signet.call(method, `/scim/${organization.id}/v2${path}`, { authorization: `Bearer ${token}` }, body)

/** The ids of persons that the directory makes, in their order. */
export async function push(token: string, count: number, fields: object = {}): Promise<string[]> {
  const push = async (index: number) => {
    const user = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: `${index}@${token.slice(-40)}`,
      ...fields,
    }
    const { status, body } = await scim(token, 'POST', '/Users', user)
    expect({ status, detail: body.detail }).toEqual({ status: 201, detail: undefined })
    return body.id as string
  }
  return (await Promise.all(Array.from({ length: count }, (_, index) => push(index)))).sort()
}

/** The id of a group that the directory makes. */
export async function pushGroup(token: string, displayName: string, members: string[] = []): Promise<string> {
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group']
  const group = { schemas, displayName, members: members.map((value) => ({ value })) }
  const { status, body } = await scim(token, 'POST', '/Groups', group)
  expect({ status, detail: body.detail }).toEqual({ status: 201, detail: undefined })
  return body.id
}
