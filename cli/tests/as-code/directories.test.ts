// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how a file names a variable
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileOf, run } from './as-code-program.ts'
import { closeService, newOrganization, openService, service } from './own-service.ts'

beforeAll(openService)
afterAll(closeService)

const file = `
version: 1
credentials:
  - client_id: okta
    provider: provider_h
    client_secret: \${CLIENT_SECRET}
    options: {provider_h: {organization_url: https://corp.okta.example}}
directories:
  - name: Corp staff
    oauth_client_id: okta
    email_domains: [Corp.example]
    adopt: true
    group_prefix: corp-
`

async function setUp() {
  const { organization, given, read } = await newOrganization({ CLIENT_SECRET: 'secret-that-nobody-sees' })
  const apply = async (content: string, ...flags: string[]) =>
    run(given, ['apply', '-f', await fileOf(content), '--yes', ...flags])
  const ask = (method: string, path: string, body?: unknown) => service.as(organization, method, path, body)
  const list = () => read('/organizations/directories')
  return { given, ask, apply, list }
}

describe('Directories in a file', () => {
  test('One is made with the credential that the same file makes, and the second time there are no changes', async () => {
    const { apply, list } = await setUp()
    expect(await apply(file)).toMatchObject({ code: 0, error: '' })
    const made = { name: 'Corp staff', oauth_client_id: 'okta', email_domains: ['corp.example'], adopt: true }
    expect(await list()).toMatchObject([made])
    expect(await apply(file)).toMatchObject({ output: 'No changes.\n' })
    const changed = file.replace('adopt: true', 'adopt: false\n    on_delete: deactivate')
    expect(await apply(changed)).toMatchObject({ code: 0, error: '' })
    expect(await list()).toMatchObject([{ ...made, adopt: false, on_delete: 'deactivate' }])
    expect(await apply(file.replace('oauth_client_id: okta', 'oauth_client_id: null'))).toMatchObject({ code: 0 })
    expect((await list())[0]).not.toHaveProperty('oauth_client_id')
    expect(await apply('version: 1\ndirectories: []\n', '--prune')).toMatchObject({ code: 0 })
    expect(await list()).toEqual([])
  })

  test('A directory names its credential still when the same file points that elsewhere', async () => {
    const { apply, list } = await setUp()
    await apply(file)
    const elsewhere = file.replace('corp.okta', 'other.okta')
    const { code, output } = await apply(elsewhere)
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('oauth_client_id') })
    expect(await list()).toMatchObject([{ name: 'Corp staff', oauth_client_id: 'okta' }])
    expect(await apply(elsewhere)).toMatchObject({ output: 'No changes.\n' })
  })

  test('What was exported has no token, and is no change', async () => {
    const { given, ask, apply, list } = await setUp()
    await apply(file)
    const [{ id }] = await list()
    const { token } = (await ask('POST', `/organizations/directories/${id}/tokens`, {})).body.result
    const exported = await run(given, ['export'])
    expect(exported.output).toContain('group_prefix: corp-')
    for (const word of [id, token, 'scim']) expect(exported.output).not.toContain(word)
    expect(await apply(exported.output)).toMatchObject({ output: 'No changes.\n' })
  })

  test('What the service would refuse is said before the first change; of several with a name one is named by its id', async () => {
    const { ask, apply, list } = await setUp()
    const refused = await apply(file.replace('Corp.example', 'gmail.com'))
    expect(refused).toMatchObject({ code: 2, error: expect.stringContaining('is of a public mail service') })
    expect(await list()).toEqual([])
    const make = async () => (await ask('POST', '/organizations/directories', { name: 'Twin' })).body.result.id
    const [, second] = [await make(), await make()]
    const ambiguous = await apply('version: 1\ndirectories:\n  - {name: Twin, enabled: false}\n')
    expect(ambiguous).toMatchObject({ code: 2, error: expect.stringContaining('give the id of the one that is meant') })
    const named = await apply(`version: 1\ndirectories:\n  - {id: ${second}, name: Twin, enabled: false}\n`)
    expect(named).toMatchObject({ code: 0 })
    expect((await list()).map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([false, true])
  })
})
