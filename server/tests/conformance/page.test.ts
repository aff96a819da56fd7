import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../support/program.ts'
import { plans } from './modules.ts'
import { page } from './page.ts'

const names = plans.flatMap(({ modules }) => modules.map(({ name }) => name))

test('The page of the documentation has each module with its outcome', async () => {
  await expect(page).toMatchFileSnapshot(join(repository, 'docs/reference/conformance.md'))
})

test('Each of the 52 modules has one test of its name', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts'))
  const tests = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n')
  const tested = [...tests.matchAll(/^mirrors\(\s*'([^']+)'/gm)].map(([, name]) => name)
  expect(names).toHaveLength(52)
  expect(tested.toSorted()).toEqual(names.toSorted())
})

test('The settings for the suite name what each of its modules reads', () => {
  const settings = JSON.parse(readFileSync(join(repository, 'conformance/signet.json'), 'utf8'))
  expect(settings.server.discoveryUrl).toMatch(/^https:\/\/.+\/oidc\/.+\/\.well-known\/openid-configuration$/)
  for (const client of ['client', 'client_secret_post', 'client2'])
    expect(settings[client]).toEqual({ client_id: expect.any(String), client_secret: expect.any(String) })
  for (const { tasks } of settings.browser)
    for (const { match, commands } of tasks) expect([match, commands]).toEqual([expect.any(String), expect.any(Array)])
})
