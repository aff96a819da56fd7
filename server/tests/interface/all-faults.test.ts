import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

let signet: Signet
let organization: Organization
let webhookId: string
let personId: string
let clientId: string

beforeAll(async () => {
  signet = await startOwnSignet()
  organization = await signet.organization()
  await make('/groups', { name: 'staff' })
  webhookId = (await make('/organizations/webhooks', { name: 'W', target_url: 'https://w.example.com/' })).id
  personId = (await make('/persons', {})).person_id
  const redirect_uris = ['https://app.example.com/']
  clientId = (await make('/organizations/applications', { name: 'A', redirect_uris })).client_id
  await make('/organizations/sso/oidc/provider-credentials', {
    client_id: 'okta',
    client_secret: 's',
    provider: 'provider_h',
    options: { provider_h: { organization_url: 'https://example.okta.example' } },
  })
})

afterAll(() => signet?.stop())

const make = async (path: string, body: object) => (await signet.as(organization, 'POST', path, body)).body.result

/** The fields that are complained of, each as often as it is. */
async function faultsOf(method: string, path: string, body: unknown) {
  const { status, body: answer } = await signet.as(organization, method, path, body)
  expect(status, JSON.stringify(answer)).toBe(400)
  return answer.errors.map(({ message }: { message: string }) => message.split(': ', 1)[0]).sort()
}

const past = '2020-01-01T00:00:00Z'
const unknownId = '01890000-0000-7000-8000-000000000000'
const at = (path: string) => path.replace(':webhook', webhookId).replace(':person', personId).replace(':app', clientId)

describe('All that is wrong with a body', () => {
  test.each<[string, string, unknown, string[]]>([
    [
      'POST',
      '/organizations/webhooks',
      { target_url: 'http://x.example.com/', name: 5, timeout: '99s', bogus: 1 },
      ['bogus', 'name', 'target_url', 'timeout'],
    ],
    [
      'POST',
      '/organizations/webhooks',
      { target_url: 'https://x.example.com/', custom_headers: { host: ['a'], good: [1] } },
      ['custom_headers.good[0]', 'custom_headers.host', 'name'],
    ],
    ['PATCH', '/organizations/webhooks/:webhook', { timeout: '99s', enabled: 'yes' }, ['enabled', 'timeout']],
    [
      'POST',
      '/organizations/webhooks/:webhook/triggers',
      { trigger_type: 'event', trigger_name: 'token_minted', x: 1 },
      ['trigger_name', 'x'],
    ],
    [
      'POST',
      '/persons',
      {
        handles: [
          { type: 'Fax', value: '1' },
          { type: 'EmailAddress', value: 'no address' },
        ],
        groups: ['staff', 'no-such-group', '-'],
        active: 1,
      },
      ['active', 'groups[1]', 'groups[2]', 'handles[0].type', 'handles[1].value'],
    ],
    // No schema is broken, but two rules are.
    [
      'POST',
      '/persons',
      { handles: [{ type: 'EmailAddress', value: 'no address' }], groups: ['no-such-group'] },
      ['groups[0]', 'handles[0].value'],
    ],
    [
      'PATCH',
      '/persons/:person',
      { handles: [{ type: 'EmailAddress', value: 'no address' }], active: 1 },
      ['active', 'handles[0].value'],
    ],
    ['PUT', '/persons/:person/groups', { groups: ['-', 'no-such-group'], x: 1 }, ['groups[0]', 'groups[1]', 'x']],
    ['POST', '/persons/:person/groups', { groups: [1, 'no-such-group'] }, ['groups[0]', 'groups[1]']],
    ['POST', '/groups/staff/persons', { persons: [unknownId, 'x'] }, ['persons[0]', 'persons[1]']],
    ['POST', '/organizations/api-keys', { expires_at: past, name: 1 }, ['expires_at', 'name']],
    [
      'PATCH',
      '/organizations/settings',
      { allowed_email_domains: ['-'], self_registration: 1 },
      ['allowed_email_domains[0]', 'self_registration'],
    ],
    [
      'POST',
      '/organizations/applications',
      { name: 1, redirect_uris: ['http://a.example.com/', 5], require_pkce: false },
      ['name', 'redirect_uris[0]', 'redirect_uris[1]', 'require_pkce'],
    ],
    [
      'PATCH',
      '/organizations/applications/:app',
      { name: 1, redirect_uris: ['http://a.example.com/'] },
      ['name', 'redirect_uris[0]'],
    ],
    [
      'POST',
      '/organizations/sso/oidc/provider-credentials',
      { client_id: 'a', provider: 'provider_h', external_cred: 'a', external_cred_id: 'b' },
      ['client_secret', 'external_cred', 'options.provider_h.organization_url'],
    ],
    [
      'PATCH',
      '/organizations/sso/oidc/provider-credentials/okta',
      { label: 1, options: { provider_h: { organization_url: null } } },
      ['label', 'options.provider_h.organization_url'],
    ],
    ['POST', '/test-events', [{ event_name: 5 }, { event_name: 'NoSuchEvent' }], ['[0].event_name', '[1].event_name']],
    [
      'POST',
      '/organizations/webhooks/:webhook/redeliver',
      { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z', status: 'x' },
      ['since', 'status'],
    ],
  ])(
    'The reply to %s %s %j names at once every field that breaks the schema or a rule (7)',
    async (method, path, body, fields) => {
      expect(await faultsOf(method, at(path), body)).toEqual(fields)
    },
  )

  test('A field that breaks its schema is not reported a second time by a rule', async () => {
    const body = { client_id: 'a', client_secret: 's', provider: 'provider_h' }
    const options = { provider_h: { organization_url: 5 } }
    expect(await faultsOf('POST', '/organizations/sso/oidc/provider-credentials', { ...body, options })).toEqual([
      'options.provider_h.organization_url',
    ])
  })

  test('No rule is checked for a body of which only the first problem is reported', async () => {
    const groups = Array(20_000).fill('no-such-group')
    expect(await faultsOf('POST', '/persons', { groups, x: 1 })).toHaveLength(1)
  })
})
