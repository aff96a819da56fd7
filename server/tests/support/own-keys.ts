import pg from 'pg'
import { expect } from 'vitest'
import { type Answer, type Organization, type OwnSignet, startOwnSignet } from './signet.ts'

/** A Signet of a test file's own, with a client inside its database, and an organization of each test with keys of its own. */
export let signet: OwnSignet
export let inside: pg.Client
export let ours: Organization

type Key = Organization & { keyId: string }

export const keys = '/organizations/api-keys'
export const webhooks = '/organizations/webhooks'
export const unknownId = '01890000-0000-7000-8000-000000000000'

export async function openOwnKeys() {
  signet = await startOwnSignet({ env: { SIGNET_ROLES: 'api' } })
  inside = new pg.Client(signet.database)
  await inside.connect()
}

export async function closeOwnKeys() {
  await inside?.end()
  await signet?.stop()
}

export async function newOrganization() {
  ours = await signet.organization()
}

export const ask = (method: string, path: string, body?: unknown, by = ours) => signet.as(by, method, path, body)
export const statusOf = async (answer: Promise<Answer>) => (await answer).status
export const make = async (path: string, body: unknown) => (await ask('POST', path, body)).body.result

export async function newKey(fields: object): Promise<Key> {
  const { status, body } = await ask('POST', keys, fields)
  expect({ status, errors: body.errors }).toEqual({ status: 201, errors: undefined })
  return { id: ours.id, apiKey: body.result.api_key, keyId: body.result.id }
}
export const keyWith = (...scopes: string[]) => newKey({ scopes })

/** All there are, as the record of an admin key has them. */
export const allScopes = async (): Promise<string[]> => (await ask('GET', keys)).body.result.at(-1).scopes
/** Everything but these. */
export const keyWithout = async (...lacked: string[]): Promise<Key> =>
  newKey({ scopes: (await allScopes()).filter((scope) => !lacked.includes(scope)) })
