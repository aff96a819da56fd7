// biome-ignore-all lint/suspicious/noTemplateCurlyInString: characters that must come back as they were
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileOf, type Organization, run } from './as-code-program.ts'
import { closeService, openService, service } from './own-service.ts'

const root = join(import.meta.dirname, '../../..')
beforeAll(openService)
afterAll(closeService)

const letters = (unit: string[], minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...unit), minLength, maxLength })
const name = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  letters([...' \n\t:#-"\'${}[]&*!|>%@\u2028\u202e\u001bé'], 1, 30),
  fc.constantFrom('no', 'null', '1e3', '2026-11-25', '~'),
)
/** Without what the name of an application or a label must not have. */
const shown = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
const shownName = name.map((text) => shown(text) || 'x')
const description = fc.oneof(name, fc.constant(''), fc.constant('x'.repeat(1_000)))
const headerValue = letters([...'abc:#"\'$é'], 0, 20)
const event = fc.record({
  trigger_type: fc.constant('event'),
  trigger_name: fc.constantFrom('PersonCreated_v1', 'PersonDeleted_v1', 'VirtualPageLoaded_v1'),
})
const hook = fc.record({
  trigger_type: fc.constant('sync_hook'),
  trigger_name: fc.constant('token_minted'),
  on_failure: fc.constantFrom('fail', 'continue'),
})

/** What a credential of oidc has more than others. */
const ownServer = { options: { oidc: { issuer: 'https://id.corp.example/' } }, trust_email_domains: ['corp.example'] }
const organization = fc.record({
  settings: fc.record({
    self_registration: fc.boolean(),
    allowed_email_domains: fc.uniqueArray(fc.domain(), { maxLength: 3 }),
    default_locale: fc.constantFrom('en', 'ja'),
    branding: fc.record(
      { display_name: shownName, accent_color: fc.constantFrom('#0b57d0', '#ffcc00') },
      { requiredKeys: [] },
    ),
  }),
  groups: fc.uniqueArray(
    fc.record({ name: letters([...'abAB019_.-'], 0, 10).map((middle) => `g${middle}1`), description }),
    {
      maxLength: 5,
      selector: (group) => group.name,
    },
  ),
  webhooks: fc.uniqueArray(
    fc.record({
      target_url: letters([...'ab/é%$'], 0, 8).map((path) => `https://receiver.example.com/${path}`),
      name,
      description,
      custom_headers: fc.dictionary(
        letters([...'abc-'], 1, 8).map((text) => `x-${text}`),
        fc.array(headerValue, { minLength: 1, maxLength: 2 }),
        { maxKeys: 3 },
      ),
      timeout: fc.constantFrom('0s', '500ms', '1.5s', '20s'),
      triggers: fc.uniqueArray(fc.oneof(event, hook), { selector: (trigger) => trigger.trigger_name }),
    }),
    { maxLength: 3, selector: ({ target_url }) => new URL(target_url).href },
  ),
  credentials: fc.uniqueArray(
    fc
      .record({
        client_id: letters([...'abc/:. #$'], 1, 12).map((text) => `c${text}`),
        client_secret: letters([...'abc$'], 1, 10),
        provider: fc.constantFrom('provider_a', 'provider_b', 'provider_g', 'oidc'),
        label: description.map((text) => shown(text.slice(0, 30)).toWellFormed()),
        active: fc.boolean(),
      })
      .map((credential) => (credential.provider === 'oidc' ? { ...credential, ...ownServer } : credential)),
    { maxLength: 3, selector: (credential) => credential.client_id },
  ),
  applications: fc.uniqueArray(
    fc.record({
      name: shownName,
      redirect_uris: fc.constant(['https://app.example.com/callback']),
      confidential: fc.boolean(),
      id_token_signed_response_alg: fc.constantFrom('RS256', 'ES256'),
    }),
    { maxLength: 3, selector: (application) => application.name },
  ),
})

test('What is exported makes of an empty organization one whose export is the same', async () => {
  await fc.assert(
    fc.asyncProperty(organization, async (wanted) => {
      const [from, to] = [await service.organization(), await service.organization()]
      const { headers } = await create(from, wanted)
      const exported = await exportOf(from)
      const environment = environmentOf(exported, headers)
      const file = await fileOf(exported)
      const unchanged = await run({ baseUrl: service.baseUrl, organization: from, environment }, [
        'apply',
        '-f',
        file,
        '--prune',
      ])
      expect(unchanged).toMatchObject({ code: 0, output: 'No changes.\n' })
      const applied = await run({ baseUrl: service.baseUrl, organization: to, environment }, [
        'apply',
        '-f',
        file,
        '--yes',
      ])
      expect(applied).toMatchObject({ code: 0, error: '' })
      expect((await exportOf(to)).replaceAll(to.id, from.id)).toBe(exported)
    }),
    { numRuns: 5 },
  )
})

test('What opens the console is in no file, is refused in one, and stays as it is when one is applied', async () => {
  const owner = await service.organization()
  await service.as(owner, 'POST', '/groups', { name: 'owners' })
  const access = { console_access: [{ group: 'owners', role: 'owner' }] }
  expect((await service.as(owner, 'PATCH', '/organizations/settings', access)).status).toBe(200)
  const exported = await exportOf(owner)
  expect(exported).toContain('owners')
  expect(exported).not.toContain('console')
  const apply = async (content: string, ...more: string[]) =>
    run({ baseUrl: service.baseUrl, organization: owner }, ['apply', '-f', await fileOf(content), '--yes', ...more])
  const adding = exported.replace('settings:', 'settings:\n  console_access: []')
  expect(await apply(adding)).toMatchObject({ error: expect.stringContaining('console_access') })
  expect(await apply(exported.replace('self_registration: true', 'self_registration: false'))).toMatchObject({
    code: 0,
  })
  expect((await service.as(owner, 'GET', '/organizations/settings')).body.result).toMatchObject({
    ...access,
    self_registration: false,
  })
})

const exportOf = async (organization: Organization) =>
  (await run({ baseUrl: service.baseUrl, organization }, ['export'])).output

/** Through the interface, as anybody else would. */
async function create(
  owner: Organization,
  wanted: typeof organization extends fc.Arbitrary<infer Value> ? Value : never,
) {
  const post = async (path: string, body: object) => {
    const answer = await service.as(owner, 'POST', path, body)
    expect(answer.status, JSON.stringify([body, answer.body])).toBe(201)
    return answer.body.result
  }
  expect((await service.as(owner, 'PATCH', '/organizations/settings', wanted.settings)).status).toBe(200)
  for (const group of wanted.groups) await post('/groups', group)
  const headers: string[] = []
  for (const { triggers, ...webhook } of wanted.webhooks) {
    headers.push(...Object.values(webhook.custom_headers).flat().filter(Boolean))
    const { id } = await post('/organizations/webhooks', webhook)
    for (const trigger of triggers) await post(`/organizations/webhooks/${id}/triggers`, trigger)
  }
  for (const credential of wanted.credentials) await post('/organizations/sso/oidc/provider-credentials', credential)
  for (const application of wanted.applications) await post('/organizations/applications', application)
  return { headers }
}

/** The variables of the file in their order: the values of headers, and then client secrets. */
function environmentOf(file: string, headers: string[]) {
  const names = [...file.matchAll(/^# {3}([A-Z0-9_]+): /gm)].map(([, name]) => name as string)
  return Object.fromEntries(names.map((name, index) => [name, headers[index] ?? 'a-secret']))
}

test('A key that may not read a section makes the export fail, with nothing on standard output', async () => {
  const owner = await service.organization()
  const body = { name: 'Directory', scopes: ['groups:read', 'settings:read'] }
  const { api_key } = (await service.as(owner, 'POST', '/organizations/api-keys', body)).body.result
  const given = { baseUrl: service.baseUrl, organization: { ...owner, apiKey: api_key } }
  const exported = await run(given, ['export'])
  expect(exported).toMatchObject({ code: 3, output: '', error: expect.stringContaining('lacks the scope') })
})

test('Every command of the guide to organizations as code does what the guide says', async () => {
  const owner = await service.organization()
  expect((await service.as(owner, 'POST', '/groups', { name: 'there-before' })).status).toBe(201)
  const folder = await mkdtemp(join(tmpdir(), 'signet-guide-'))
  const program = join(folder, 'signet')
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'server/src/signet.mjs')}" "$@"\n`)
  await chmod(program, 0o700)
  const script = scriptOf(await readFile(join(root, 'docs/use/organizations-as-code.md'), 'utf8'))
  const env = {
    PATH: [folder, process.env.PATH].join(delimiter),
    SIGNET_URL: service.baseUrl,
    SIGNET_ORGANIZATION_ID: owner.id,
    SIGNET_API_KEY: owner.apiKey,
  }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env })
  expect(stdout).toContain('Plan: 6 to create, 1 to change, 0 to delete.')
  expect(stdout).not.toContain('2nQ7')
  expect(stdout).toMatch(
    /^No changes\.\n[\s\S]*- delete group "there-before"\nPlan: 0 to create, 0 to change, 1 to delete\.$/m,
  )
  expect((await service.as(owner, 'GET', '/groups')).body.result).toEqual(['engineering', 'there-before'])
})

/** Its blocks in their order: YAML is the file, the others are commands. */
function scriptOf(guide: string): string {
  const blocks = [...guide.matchAll(/^```(sh|yaml)\n(.*?)^```$/gms)]
  expect(blocks).toHaveLength(7)
  const toCommand = ([, kind, text]: string[]) => (kind === 'sh' ? text : `cat > signet.yaml <<'END'\n${text}END\n`)
  return blocks.map(toCommand).join('')
}
