import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { as, closeSignIns, newTenant, openSignIns, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { ada } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/claims.md'), 'utf8')
const [, section = ''] = page.split('\n## Who decides: issuer, provider or hook\n')
const [chapter = ''] = section.split('\n## ')

type Word = 'is dropped' | 'is no claim' | 'wins'

/** Each claim of the table, and what becomes of a hook's word. */
const rows = chapter
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const [claims = '', , word = ''] = line.slice(2, -2).split(' | ')
    return [...claims.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, word as Word] as const)
  })
const namesThat = (wanted: Word) => rows.flatMap(([name, word]) => (word === wanted ? [name] : []))

const everything = 'openid email phone profile offline_access'
/** No claim is ever that by itself, and no floating-point number is. */
const lie = '9007199254740993'
const profile = { given_name: 'Ada', family_name: 'L', picture: 'https://p.example/ada', locale: 'en' }

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

/** A hook that claims each of them; gives the resource of its webhook. */
async function addHook(names: string[]) {
  const path = `/${tenant.organization.id}/hook`
  const members = names.map((name) => `${JSON.stringify(name)}:${name === 'deny' ? 'null' : lie}`)
  signIns.receiver.behave(path, { body: `{${members}}` })
  const resource = `/organizations/webhooks/${await addWebhook(service, tenant.organization, signIns.receiver.url(path))}`
  await as('POST', `${resource}/triggers`, { trigger_type: 'sync_hook', trigger_name: 'token_minted' })
  return resource
}

const payloadOf = (idToken = '') => Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()

/** As JSON, because a parser would round the numbers. */
async function saidOf(params: Record<string, string>) {
  const { application, browser, organization } = tenant
  const begun = await application.begin({ scope: everything, ...params })
  const { url } = await browser.go(begun.url, { person: { ...ada, ...profile } })
  const tokens = await application.exchange(begun, url)
  const authorization = `Bearer ${tokens.access_token}`
  const userInfo = await fetch(`${service.baseUrl}/oidc/${organization.id}/userinfo`, { headers: { authorization } })
  const refreshed = await application.refresh(tokens.refresh_token ?? '')
  return {
    'ID token': payloadOf(tokens.id_token),
    'user info': await userInfo.text(),
    'refreshed ID token': payloadOf(refreshed.id_token),
  }
}

/** Members of an object whose value is the lie, as it stands there. */
const believed = (json: string) =>
  [...json.matchAll(/"(\w+)":9007199254740993(?=[,}])/g)].map(([, name = '']) => name).sort()

describe('Who decides a claim', () => {
  test('The table has each claim once, and tells of all three kinds', () => {
    const names = rows.map(([name]) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(rows.filter(([, word]) => !['is dropped', 'is no claim', 'wins'].includes(word))).toEqual([])
    expect(namesThat('is dropped').length).toBeGreaterThan(35)
    expect(namesThat('wins')).toEqual(expect.arrayContaining(['name', 'picture', 'locale']))
  })

  // Proves 6.2, rule 5/3.
  test.each([{ prompt: 'login' }, { prompt: 'none' }])(
    'A hook that claims everything is believed where the table says so, alike in ID token, user info and at a refresh (%j)',
    async (params) => {
      if (params.prompt === 'none') await tenant.application.signIn(tenant.browser, { person: { ...ada, ...profile } })
      const resource = await addHook(rows.map(([name]) => name))
      const said = await saidOf(params)
      const expected = namesThat('wins').sort()
      for (const [place, json] of Object.entries(said)) {
        expect(believed(json), place).toEqual(expected)
        expect(json, place).not.toContain('"deny"')
      }
      const { body } = await as('GET', `${resource}/deliveries`)
      expect(body.result[0].dropped_claims.sort()).toEqual(namesThat('is dropped').sort())
    },
  )
})
