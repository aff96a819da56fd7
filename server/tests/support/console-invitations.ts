import { expect } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { type Browser, baseUrl, openBrowser } from './browser.ts'
import { as, callback, service, signIns, tenant } from './own-sign-ins.ts'
import { refused } from './refused.ts'
import { ada, type Person, type Told } from './sign-ins.ts'
import type { Answer, Organization } from './signet.ts'

export const collection = '/organizations/console-invitations'
export const group = 'administrators'
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs
export const bob = { sub: 'bob-1', email: 'bob@elsewhere.example', email_verified: true }
export const notOpen = refused(
  404,
  'token: is that of no open invitation; an invitation is open until it is used or deleted, or expires',
)

/** The setting itself has tests of its own. */
export async function nameGroup(name = group, role = 'owner', of: Organization = tenant.organization) {
  await service.as(of, 'POST', '/groups', { name })
  await signIns.inside.query('insert into console_access (org_id, group_name, role) values ($1, $2, $3)', [
    of.id,
    name,
    role,
  ])
}
export const unnameGroup = (name = group) =>
  signIns.inside.query('delete from console_access where org_id = $1 and group_name = $2', [
    tenant.organization.id,
    name,
  ])

export const create = (fields: object = {}) => as('POST', collection, { group, ...fields })
export const list = async (): Promise<Answer['body'][]> => (await as('GET', collection)).body.result
export const tokenOf = ({ body }: Answer): string => body.result.url.split('#')[1]
export const invite = async (fields: object = {}) => tokenOf(await create(fields))
export const page = `${baseUrl}/console/invitation`
export const open = (token: string, browser: Browser = tenant.browser) => browser.send(page, { token })
export const enter = (token: string, { browser = tenant.browser, idp }: { browser?: Browser; idp?: string } = {}) =>
  browser.send(`${page}/sign-in`, { token, ...(idp !== undefined && { oauth_client_id: idp }) })
export const anotherBrowser = () => openBrowser(() => service.baseUrl)

export const consoleCallback = /\/console\/callback\?/
/** As far as the console's own callback, to which a code or an error leads. */
export const goOn = async (url: string, person: object = ada, browser: Browser = tenant.browser) =>
  outcomeIn((await browser.go(url, { person, stopAt: consoleCallback })).url)
export const outcomeIn = (url: string) => {
  const { searchParams } = new URL(url)
  return searchParams.get('error_description') ?? (searchParams.has('code') ? 'signed in' : `stopped at ${url}`)
}
/** Up to where the browser returns from the provider. */
export async function untilCallback(token: string, person: object = ada, browser: Browser = tenant.browser) {
  const { body } = await enter(token, { browser })
  return (await browser.go(body.result.url, { person, stopAt: callback })).url
}
export async function accept(token: string, person: object = ada, browser: Browser = tenant.browser) {
  const answer = await enter(token, { browser })
  return answer.status === 200 ? goOn(answer.body.result.url, person, browser) : answer.body.errors[0].message
}
export const members = async (name = group): Promise<string[]> =>
  (await as('GET', `/groups/${name}/persons`)).body.result
export const entries = async (query: string): Promise<Answer['body'][]> =>
  (await as('GET', `/organizations/audit-log?${query}`)).body.result
export const accepted = () => entries('action=acceptConsoleInvitation')
export const personIds = async () => (await tenant.persons()).map(({ person_id }: Person) => person_id)
export const typesOf = (events: Told[]) => events.map(({ event_metadata }) => event_metadata.event_type)
/** Nothing was written but how the sign-in ended. */
export async function expectNothing(token: string) {
  expect(await members()).toEqual([])
  expect(await accepted()).toEqual([])
  expect((await open(token)).status).toBe(200)
}
export const openDuring = async <Result>(work: (database: Database) => Promise<Result>) => {
  const database = openDatabase(signIns.connection)
  return work(database).finally(database.close)
}
