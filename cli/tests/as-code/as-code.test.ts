// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how a file names a variable
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileOf, type Organization, run } from './as-code-program.ts'
import { closeService, newOrganization, openService, service } from './own-service.ts'

beforeAll(openService)
afterAll(closeService)

const secrets = { TOKEN: 'Bearer token-that-nobody-sees', CLIENT_SECRET: 'secret-that-nobody-sees' }
const whole = `
version: 1
pricing_tier: unlimited
settings:
  self_registration: false
  allowed_email_domains: [Bücher.example, example.com]
groups:
  - {name: engineering, description: Builds things}
  - {name: sales}
webhooks:
  - target_url: https://receiver.example.com/hook
    name: Customer records
    custom_headers: {authorization: ["\${TOKEN}"]}
    timeout: 1500ms
    enabled: false
    triggers:
      - {trigger_type: event, trigger_name: PersonCreated_v1}
      - {trigger_type: sync_hook, trigger_name: token_minted, on_failure: continue}
credentials:
  - client_id: 8c1f2a7e.apps.example.com
    provider: provider_a
    client_secret: \${CLIENT_SECRET}
    label: Staff
    options: {provider_a: {authorize_scopes: [openid, email]}}
resources:
  - {identifier: https://api.example.com, name: Orders, scopes: ["orders:read"], token_lifetime: 600s}
applications:
  - name: Portal
    redirect_uris: [https://app.example.com/callback]
    confidential: true
    refresh_token_grace: 0.5s
    home_url: https://app.example.com/
    backchannel_logout_uri: https://app.example.com/logout?tenant=a
    introspects: [https://api.example.com]
`

async function setUp(content = whole) {
  const { organization, given, read } = await newOrganization(secrets)
  const file = await fileOf(content)
  const applied = (...flags: string[]) => run(given, ['apply', '-f', file, ...flags])
  return { organization, given, file, apply: applied, read }
}

describe('Apply', () => {
  test('It makes an empty organization what the file says, and the second time there are no changes', async () => {
    const { apply, read } = await setUp()
    const first = await apply('--yes')
    expect(first).toMatchObject({ code: 0, error: '' })
    expect(first.output).toContain('Plan: 8 to create, 1 to change, 0 to delete.')
    expect(first.output).toMatch(/client_secret of application "Portal", client_id \S+, shown this once: \S{20}/)
    expect(await read('/groups')).toEqual(['engineering', 'sales'])
    const [webhook] = await read('/organizations/webhooks')
    expect(webhook).toMatchObject({
      custom_headers: { authorization: [secrets.TOKEN] },
      timeout: '1.5s',
      enabled: false,
    })
    expect(await read(`/organizations/webhooks/${webhook.id}/triggers`)).toHaveLength(2)
    expect(await read('/organizations/settings')).toMatchObject({
      self_registration: false,
      allowed_email_domains: ['xn--bcher-kva.example', 'example.com'],
    })
    expect(await apply('--yes')).toEqual({ code: 0, output: 'No changes.\n', records: [], error: '' })
    expect(await apply('--prune', '--yes')).toMatchObject({ output: 'No changes.\n' })
  })

  test('An address of an application is removed by null, and stays where the file does not name it', async () => {
    const { apply, given, read } = await setUp()
    await apply('--yes')
    const removed = whole
      .replace('home_url: https://app.example.com/', 'home_url: null')
      .replace(/ *backchannel.*\n/, '')
    const file = await fileOf(removed)
    expect((await run(given, ['apply', '-f', file, '--yes'])).output).toContain(
      'home_url: "https://app.example.com/" → null',
    )
    const [application] = await read('/organizations/applications')
    expect(application).toMatchObject({ backchannel_logout_uri: 'https://app.example.com/logout?tenant=a' })
    expect(application).not.toHaveProperty('home_url')
    expect((await run(given, ['apply', '-f', file, '--yes'])).output).toBe('No changes.\n')
  })

  test('No secret is in what it says, neither for people nor as JSON', async () => {
    const { apply, given, file } = await setUp()
    const runs = [
      await apply('--dry-run'),
      await run(given, ['--json', 'apply', '-f', file, '--yes']),
      await apply('--update-secrets', '--yes'),
    ]
    for (const secret of Object.values(secrets)) expect(JSON.stringify(runs)).not.toContain(secret)
    expect(runs[2]?.output).toContain('client_secret: (not shown) → (not shown)')
  })

  test('A change is shown field by field, and sends what differs', async () => {
    const { given, organization, apply, read } = await setUp()
    await apply('--yes')
    await service.as(organization, 'PATCH', '/groups/sales', { description: 'Sells things' })
    const changed = whole
      .replace('Builds things', 'Builds more')
      .replace('1500ms', '3s')
      .replace('[openid, email]', '[openid]')
      .replace('on_failure: continue', 'on_failure: fail')
    const second = await run(given, ['apply', '-f', await fileOf(changed), '--yes'])
    for (const line of [
      'description: "Builds things" → "Builds more"',
      'timeout: "1.5s" → "3s"',
      'options.provider_a.authorize_scopes: ["openid","email"] → ["openid"]',
      'on_failure: "continue" → "fail"',
    ])
      expect(second.output).toContain(line)
    expect(second.output).toContain('Plan: 0 to create, 4 to change, 0 to delete.')
    expect((await read('/groups/sales')).description).toBe('Sells things')
    expect(await run(given, ['apply', '-f', await fileOf(changed)])).toMatchObject({ code: 0, output: 'No changes.\n' })
  })

  test('What the file does not name stays, and with --prune goes, after a question of its own', async () => {
    const { given, organization, apply, read } = await setUp('version: 1\ngroups: [{name: staff}]\n')
    await service.as(organization, 'POST', '/groups', { name: 'extra' })
    const target = { target_url: 'https://receiver.example.com/', name: 'Of another section' }
    await service.as(organization, 'POST', '/organizations/webhooks', target)
    await apply('--yes')
    expect(await read('/groups')).toEqual(['extra', 'staff'])
    const file = await fileOf('version: 1\ngroups: [{name: staff}, {name: more}]\n')
    const declined = await run(given, ['apply', '-f', file, '--prune'], [true, false])
    expect(declined.output).toMatch(/Make these 1 changes\?\n[^?]*- group "extra"[^?]*\nDelete these 1 for good\?\n/)
    expect(await read('/groups')).toEqual(['extra', 'more', 'staff'])
    expect(await run(given, ['apply', '-f', file, '--prune'], [true])).toMatchObject({ code: 0 })
    expect(await read('/groups')).toEqual(['more', 'staff'])
    const none = await fileOf('version: 1\ngroups: []\n')
    expect(await run(given, ['apply', '-f', none])).toMatchObject({ output: 'No changes.\n' })
    await run(given, ['apply', '-f', none, '--prune', '--yes'])
    expect(await read('/groups')).toEqual([])
    expect(await read('/organizations/webhooks')).toMatchObject([target])
  })

  test('A trigger that the file does not have stays, and goes with --prune', async () => {
    const { given, apply, read } = await setUp()
    await apply('--yes')
    const [{ id }] = await read('/organizations/webhooks')
    const file = await fileOf(whole.replace('      - {trigger_type: event, trigger_name: PersonCreated_v1}\n', ''))
    expect(await run(given, ['apply', '-f', file])).toMatchObject({ output: 'No changes.\n' })
    expect((await run(given, ['apply', '-f', file, '--prune', '--yes'])).output).toContain(
      'Deleted trigger "PersonCreated_v1" of webhook "https://receiver.example.com/hook"',
    )
    expect(await read(`/organizations/webhooks/${id}/triggers`)).toMatchObject([{ trigger_name: 'token_minted' }])
  })

  test('Without a terminal it needs --yes, and a variable that is not set stops it before the first change', async () => {
    const { given, file, apply, read } = await setUp()
    expect(await apply()).toMatchObject({ code: 2, error: expect.stringContaining('--yes') })
    expect(await apply('--dry-run')).toMatchObject({ code: 5, error: '' })
    const unset = await run({ ...given, environment: {} }, ['apply', '-f', file, '--yes'])
    expect(unset.code).toBe(2)
    expect(unset.error).toMatch(/TOKEN is not set\n.*CLIENT_SECRET is not set\n$/)
    expect(await run(given, ['apply', '-f', file], [false])).toMatchObject({
      code: 1,
      output: expect.stringContaining('Nothing was changed.'),
    })
    expect(await read('/groups')).toEqual([])
    expect(await read('/organizations/settings')).toMatchObject({ self_registration: true })
  })

  test('Two organizations come from one file, and one key is never sent for the other', async () => {
    const [one, other] = [await service.organization(), await service.organization()]
    const documentOf = ({ id }: Organization, key: string, group: string) =>
      `---\nversion: 1\norganization: ${id}\napi_key: \${${key}}\ngroups: [{name: ${group}}]\n`
    const file = await fileOf(documentOf(one, 'ONE', 'first') + documentOf(other, 'OTHER', 'second'))
    const given = { baseUrl: service.baseUrl, organization: one, environment: { ONE: one.apiKey, OTHER: other.apiKey } }
    expect(await run(given, ['apply', '-f', file, '--yes'])).toMatchObject({ code: 0 })
    expect((await service.as(one, 'GET', '/groups')).body.result).toEqual(['first'])
    expect((await service.as(other, 'GET', '/groups')).body.result).toEqual(['second'])
    const keyless = await fileOf(`version: 1\norganization: ${other.id}\ngroups: []\n`)
    expect((await run(given, ['apply', '-f', keyless, '--prune', '--yes'])).error).toContain(
      'organization: is not the one that the command is connected to',
    )
    const twice = await fileOf(`version: 1\ngroups: []\n---\nversion: 1\ngroups: []\n`)
    expect((await run(given, ['apply', '-f', twice])).error).toContain('is that of another document')
  })

  test('The tier is changed with the operator key, and without it nothing is', async () => {
    const { given, file, read } = await setUp('version: 1\npricing_tier: free\ngroups: [{name: staff}]\n')
    const refused = await run(given, ['apply', '-f', file, '--yes'])
    expect(refused.error).toMatch(/2:15: pricing_tier: is unlimited; .*operator key/)
    expect(await read('/groups')).toEqual([])
    expect(await run({ ...given, operatorKey: service.operatorKey }, ['apply', '-f', file, '--yes'])).toMatchObject({
      code: 0,
    })
    expect(await read('/organizations/quota/current-tier')).toMatchObject({ pricing_tier: 'free' })
    expect(await run(given, ['apply', '-f', file])).toMatchObject({ output: 'No changes.\n' })
  })

  test('A target in another spelling is the same webhook', async () => {
    const { given, apply, read } = await setUp()
    await apply('--yes')
    const file = await fileOf(
      whole.replace('https://receiver.example.com/hook', 'https://RECEIVER.example.com:443/hook'),
    )
    expect((await run(given, ['apply', '-f', file, '--prune', '--yes'])).output).toContain(
      'Plan: 0 to create, 1 to change, 0 to delete.',
    )
    expect(await read('/organizations/webhooks')).toHaveLength(1)
  })

  test('A change that another makes while the question stands is noticed', async () => {
    const { given, organization, file, read } = await setUp('version: 1\ngroups: [{name: staff, description: Ours}]\n')
    const meanwhile = async () => {
      await service.as(organization, 'POST', '/groups', { name: 'staff', description: 'Theirs' })
      return true
    }
    const result = await run(given, ['apply', '-f', file], [meanwhile])
    expect(result).toMatchObject({ code: 1, error: expect.stringContaining('changed meanwhile') })
    expect((await read('/groups/staff')).description).toBe('Theirs')
  })

  test('What cannot be is said before the first change', async () => {
    const { given, organization, apply, read } = await setUp()
    await apply('--yes')
    const uris = { redirect_uris: ['https://app.example.com/'] }
    for (const name of ['Twin', 'Twin'])
      await service.as(organization, 'POST', '/organizations/applications', { name, ...uris })
    const list = (name: string) => `{name: ${name}, redirect_uris: [https://other.example.com/]}`
    const content = `version: 1\ngroups: [{name: new}]\ncredentials:\n  - {client_id: 8c1f2a7e.apps.example.com, provider: provider_b}\n  - {client_id: new, provider: provider_a}\napplications: [${list('Twin')}, ${list('X, client_id: nobody')}]\n`
    const { error } = await run(given, ['apply', '-f', await fileOf(content), '--yes'])
    expect(error).toMatch(
      /:4:.*provider: cannot be changed.*\n.*:5:.*client_secret: is required.*\n.*:6:.*several have this name.*\n.*client_id: there is no such application/,
    )
    expect(await read('/groups')).not.toContain('new')
  })

  test('What the service would refuse is said of the whole file at once, and nothing is changed', async () => {
    const { given, organization, apply, read } = await setUp()
    await apply('--yes')
    const before = await read('/organizations/audit-log')
    const wrong = `version: 1
pricing_tier: platinum
settings: {allowed_email_domains: [not a domain]}
groups:
  - {name: fine}
  - {name: two words}
  - {name: sales, description: ${'x'.repeat(1_001)}}
webhooks:
  - target_url: https://127.0.0.1/hook
    name: ''
    timeout: 25s
    triggers:
      - {trigger_type: event, trigger_name: PersonCreate_v1}
  - target_url: https://receiver.example.com/hook
    name: Customer records
    custom_headers: {host: [elsewhere]}
credentials:
  - {client_id: new, provider: provider_z, client_secret: "\${CLIENT_SECRET}"}
applications:
  - {name: Desk, redirect_uris: ["https://desk.example/", "http://desk.example/"], refresh_token_grace: 1h}
`
    for (const flag of ['--yes', '--dry-run']) {
      const asOperator = { ...given, operatorKey: service.operatorKey }
      const { code, error, output } = await run(asOperator, ['apply', '-f', await fileOf(wrong), flag])
      expect([code, output]).toEqual([2, ''])
      const places = error
        .trimEnd()
        .split('\n')
        .map((line) => /:(\d+):\d+: ([^:]+): /.exec(line)?.slice(1).join(' '))
      expect(places).toEqual([
        '2 pricing_tier',
        '3 settings.allowed_email_domains',
        '6 groups[1].name',
        '7 groups[2].description',
        '9 webhooks[0].target_url',
        '10 webhooks[0].name',
        '11 webhooks[0].timeout',
        '13 webhooks[0].triggers[0].trigger_name',
        '16 webhooks[1].custom_headers',
        '18 credentials[0].provider',
        '20 applications[0].redirect_uris',
        '20 applications[0].refresh_token_grace',
      ])
      expect(error).toContain('groups[1].name: must be 2 to 100 characters of A-Z a-z 0-9 - _ . and start')
      expect(error).not.toContain('checked_by')
    }
    expect(await read('/organizations/audit-log')).toEqual(before)
    expect((await service.as(organization, 'GET', '/groups')).body.result).toEqual(['engineering', 'sales'])
  })

  test('What was exported is applied without its secrets, until one would be sent', async () => {
    const { given, apply } = await setUp()
    await apply('--yes')
    const exported = (await run(given, ['export'])).output
    const without = async (content: string, ...flags: string[]) =>
      run({ ...given, environment: {} }, ['apply', '-f', await fileOf(content), '--yes', ...flags])
    expect(await without(exported)).toMatchObject({ code: 0, output: 'No changes.\n' })

    const changed = exported.replace('label: Staff', 'label: People').replace('name: Customer records', 'name: Records')
    expect(await without(changed)).toMatchObject({
      code: 0,
      output: expect.stringContaining('Plan: 0 to create, 2 to change, 0 to delete.'),
    })
    const header = 'WEBHOOK_CUSTOMER_RECORDS_AUTHORIZATION'
    const credential = 'CREDENTIAL_STAFF_CLIENT_SECRET'
    const refused = async (content: string, variables: string[], ...flags: string[]) => {
      const { code, error } = await without(content, ...flags)
      expect([code, error.match(/\w+(?= is not set)/g)]).toEqual([2, variables])
    }
    await refused(changed.replace('authorization:', 'x-other: [a]\n      authorization:'), [header])
    await refused(changed.replace('authorization:', 'x-other:'), [header])
    await refused(changed.replaceAll('receiver.example.com', 'other.example.com'), [header])
    await refused(changed.replaceAll('8c1f2a7e', '9d2f3b8f'), [credential])
    await refused(changed, [credential], '--update-secrets')
    const empty = { ...given, organization: await service.organization(), environment: {} }
    const { code, error } = await run(empty, ['apply', '-f', await fileOf(exported), '--yes'])
    expect([code, error.match(/\w+(?= is not set)/g)]).toEqual([2, [header, credential]])
  })

  test('Names that would steer a terminal are shown escaped', async () => {
    const { given, apply } = await setUp(
      'version: 1\nwebhooks: [{target_url: "https://x.example/", name: "\\e[2J\\u202E\\U000E0041x"}]\n',
    )
    const { output } = await apply('--yes')
    expect(output).toContain('name: "\\u001b[2J\\u202e\\U000e0041x"')
    const file = (await run(given, ['export'])).output
    expect(file).not.toMatch(/[^\P{C}\n]/u)
    expect(await run(given, ['apply', '-f', await fileOf(file)])).toMatchObject({ output: 'No changes.\n' })
  })

  test('A command line that is wrong ends with 2, and a key that is not valid with 3', async () => {
    const { given, organization, file } = await setUp()
    for (const wrong of [['apply'], ['apply', '-f', '/nowhere.yaml'], ['export', '--prune']])
      expect(await run(given, wrong), wrong.join(' ')).toMatchObject({ code: 2, output: '' })
    const stranger = { ...given, organization: { ...(await service.organization()), id: organization.id } }
    for (const refused of [['export'], ['apply', '-f', file, '--yes']])
      expect(await run(stranger, refused)).toMatchObject({
        code: 3,
        output: '',
        error: expect.stringContaining('valid'),
      })
  })
})
