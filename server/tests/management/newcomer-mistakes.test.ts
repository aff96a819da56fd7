import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { readConfig } from '../../src/start/config.ts'
import { type Life, repository, run, temporaryFolder } from '../support/program.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

/** What people do in their first hour, and the words that must be in the answer so that it alone tells what to do. */
type Mistake = [what: string, method: string, path: string, request: NewcomerRequest, status: number, words: string[]]
type NewcomerRequest = { body?: unknown; headers?: Record<string, string>; without?: string[] }

const json = 'application/json'
const webhooks = '/organizations/webhooks'
const credentials = '/organizations/sso/oidc/provider-credentials'
const target = (target_url: string): NewcomerRequest => ({ body: { name: 'New', target_url } })
const trigger = (trigger_type: string, trigger_name: string): NewcomerRequest => ({
  body: { trigger_type, trigger_name },
})
const application = (redirect: string): NewcomerRequest => ({ body: { name: 'A', redirect_uris: [redirect] } })
const credential = (provider: string): NewcomerRequest => ({ body: { client_id: 'c', client_secret: 's', provider } })
const W = `${webhooks}/:webhook`
const P = '/persons/:person'

const mistakes: Mistake[] = [
  ['no organization', 'GET', '/groups', { without: ['Service-OrgID'] }, 400, ['Service-OrgID', 'is required']],
  ['no key', 'GET', '/groups', { without: ['Service-API-Key'] }, 401, ['Service-API-Key', 'is required']],
  [
    'key and organization swapped',
    'GET',
    '/groups',
    { headers: { 'Service-OrgID': ':key', 'Service-API-Key': ':organization' } },
    400,
    ['Service-OrgID', 'UUID'],
  ],
  [
    'the key of another organization',
    'GET',
    '/groups',
    { headers: { 'Service-API-Key': ':other' } },
    401,
    ['Service-API-Key', 'not valid for this organization'],
  ],
  [
    'a key cut while copying',
    'GET',
    '/groups',
    { headers: { 'Service-API-Key': 'signet_abc' } },
    401,
    ['Service-API-Key', 'not valid'],
  ],
  [
    'the key as a bearer token',
    'GET',
    '/groups',
    { headers: { Authorization: 'Bearer x' }, without: ['Service-API-Key'] },
    401,
    ['Service-API-Key', 'is required'],
  ],
  ['an organization key for the operator', 'GET', '/organizations', {}, 401, ['Service-Operator-Key', 'is required']],
  [
    'JSON without its content type',
    'POST',
    '/groups',
    { body: '{"name":"a1"}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    ['Content-Type', json],
  ],
  ['broken JSON', 'POST', '/groups', { body: "{'name': 'x'}" }, 400, ['JSON', 'line 1, column 2', 'double quotes']],
  ['JSON with a comment', 'POST', '/groups', { body: '{\n  // ours\n}' }, 400, ['line 2, column 3', 'no comments']],
  ['no body where one is needed', 'POST', '/groups', {}, 400, ['body: is required', 'JSON object']],
  ['a list for an object', 'POST', '/groups', { body: [] }, 400, ['body', 'object']],
  [
    'an unknown field',
    'POST',
    '/groups',
    { body: { name: 'ab', colour: 'red' } },
    400,
    ['colour', 'not a known field'],
  ],
  ['a number for a string', 'POST', '/groups', { body: { name: 12 } }, 400, ['name', '2 to 100 characters']],
  ['a blank in a group name', 'POST', '/groups', { body: { name: 'all staff' } }, 400, ['name']],
  ['a group name of one character', 'POST', '/groups', { body: { name: 'a' } }, 400, ['name', '2']],
  ['a closing slash', 'GET', '/groups/', {}, 404, ['/groups', 'trailing slash']],
  ['a path that is not there', 'GET', '/anything', {}, 404, ['no such operation']],
  ['the word of others in a path', 'GET', '/users', {}, 404, ['did you mean GET /persons?']],
  [
    'a path without its beginning',
    'POST',
    '/webhooks',
    { body: {} },
    404,
    ['did you mean POST /organizations/webhooks?'],
  ],
  ['a path with a version', 'GET', '/api/v1/groups', {}, 404, ['did you mean GET /groups?']],
  ['a slip in a path', 'GET', '/person/0199a3f2', {}, 404, ['did you mean GET /persons/{person_id}?']],
  ['British spelling', 'GET', '/organisations/webhooks', {}, 404, ['did you mean GET /organizations/webhooks?']],
  ['persons by e-mail', 'GET', '/persons?email=jo@example.com', {}, 400, ['email', 'handle=EmailAddress:']],
  ['persons by a telephone', 'GET', '/persons?phone_number=1', {}, 400, ['phone_number', 'handle=PhoneNumber:']],
  ['persons by a search', 'GET', '/persons?q=jo', {}, 400, ['did you mean handle_prefix?']],
  ['a slip in a query', 'GET', '/groups?ofset=2', {}, 400, ['did you mean offset?']],
  [
    'a person with an e-mail',
    'POST',
    '/persons',
    { body: { email: 'jo@example.com' } },
    400,
    ['handles: [{"type": "EmailAddress"'],
  ],
  ['a slip in a field', 'POST', '/groups', { body: { Name: 'ab' } }, 400, ['did you mean name?']],
  [
    'the word of others for a field',
    'POST',
    webhooks,
    { body: { name: 'N', url: 'https://z.example.com/' } },
    400,
    ['did you mean target_url?'],
  ],
  [
    'a slip in a scope',
    'POST',
    '/organizations/api-keys',
    { body: { name: 'K', scopes: ['group:read'] } },
    400,
    ['did you mean groups:read?'],
  ],
  ['a wrong method', 'PUT', '/groups', { body: { name: 'ab' } }, 405, ['GET', 'POST']],
  ['limit=0', 'GET', '/groups?limit=0', {}, 400, ['limit', '1']],
  ['limit=5000', 'GET', '/groups?limit=5000', {}, 400, ['limit', '1000']],
  ['an unknown query parameter', 'GET', '/groups?page=2', {}, 400, ['page', 'not a known field', 'offset']],
  ['a group that is not there', 'PUT', `${P}/groups`, { body: { groups: ['nobody'] } }, 400, ['nobody']],
  ['a group by a string', 'PUT', `${P}/groups`, { body: { groups: 'staff' } }, 400, ['groups', 'array']],
  ['a person id that is no UUID', 'GET', '/persons/jo', {}, 404, ['person', 'not found']],
  [
    'a person who is not there',
    'GET',
    '/persons/01890a5d-ac96-774b-bcce-b302099a8057',
    {},
    404,
    ['person', 'not found'],
  ],
  [
    'a handle in use',
    'POST',
    '/persons',
    { body: { handles: [{ type: 'EmailAddress', value: 'jo@example.com' }] } },
    409,
    ['handle', 'in use'],
  ],
  [
    'a handle of an unknown type',
    'POST',
    '/persons',
    { body: { handles: [{ type: 'email', value: 'a@example.com' }] } },
    400,
    ['type', 'EmailAddress', 'PhoneNumber'],
  ],
  [
    'a telephone number without its country',
    'POST',
    '/persons',
    { body: { handles: [{ type: 'PhoneNumber', value: '0301234' }] } },
    400,
    ['value', 'E.164'],
  ],
  ['an http target', 'POST', webhooks, target('http://x.example.com/'), 400, ['target_url', 'https://']],
  ['localhost as target', 'POST', webhooks, target('https://localhost/hook'), 400, ['target_url', 'signet listen']],
  [
    'localhost by http as target',
    'POST',
    webhooks,
    target('http://127.0.0.1:3000/'),
    400,
    ['https://', 'signet listen'],
  ],
  ['an address as target', 'POST', webhooks, target('https://10.0.0.1/'), 400, ['target_url', 'IP address']],
  ['a target with a query', 'POST', webhooks, target('https://x.example.com/?a=1'), 400, ['target_url', 'query']],
  ['the same target again', 'POST', webhooks, target('https://taken.example.com/'), 409, ['target_url']],
  [
    'a timeout as a number',
    'POST',
    webhooks,
    { body: { name: 'N', target_url: 'https://y.example.com/', timeout: 5 } },
    400,
    ['timeout', 'duration', '500ms'],
  ],
  [
    'a timeout too long',
    'POST',
    webhooks,
    { body: { name: 'N', target_url: 'https://y.example.com/', timeout: '1m' } },
    400,
    ['timeout', '20s'],
  ],
  [
    'an event without its version',
    'POST',
    `${W}/triggers`,
    trigger('event', 'PersonCreated'),
    400,
    ['trigger_name', 'did you mean PersonCreated_v1?'],
  ],
  ['a hook as an event', 'POST', `${W}/triggers`, trigger('event', 'token_minted'), 400, ['trigger_name']],
  [
    'a trigger of an unknown type',
    'POST',
    `${W}/triggers`,
    trigger('webhook', 'PersonCreated_v1'),
    400,
    ['trigger_type', 'event', 'sync_hook'],
  ],
  [
    'an unknown test event',
    'POST',
    '/test-events',
    { body: [{ event_name: 'UserCreated_v1' }] },
    400,
    ['event_name', 'PersonCreated'],
  ],
  [
    'one test event without a list',
    'POST',
    '/test-events',
    { body: { event_name: 'PersonCreated_v1' } },
    400,
    ['array'],
  ],
  [
    'a redirect URI with a fragment',
    'POST',
    '/organizations/applications',
    application('https://a.example.com/#x'),
    400,
    ['redirect_uris', 'fragment'],
  ],
  [
    'a redirect URI by http',
    'POST',
    '/organizations/applications',
    application('http://a.example.com/'),
    400,
    ['redirect_uris', 'https'],
  ],
  ['a provider by its name', 'POST', credentials, credential('google'), 400, ['provider', 'provider_a']],
  [
    'a consistency that is not there',
    'POST',
    '/groups',
    { body: { name: 'ab' }, headers: { 'Service-Required-Consistency': 'all' } },
    400,
    ['Service-Required-Consistency', 'local_region', 'all_regions'],
  ],
]

let signet: OwnSignet
let organization: Organization
let names: Record<string, string>

beforeAll(async () => {
  signet = await startOwnSignet()
  const other = await signet.organization()
  organization = await signet.organization()
  const make = async (path: string, body: object) => (await signet.as(organization, 'POST', path, body)).body.result
  const { id: webhook } = await make(webhooks, { name: 'Taken', target_url: 'https://taken.example.com/' })
  const { person_id: person } = await make('/persons', { handles: [{ type: 'EmailAddress', value: 'jo@example.com' }] })
  names = { webhook, person, key: organization.apiKey, organization: organization.id, other: other.apiKey }
})

afterAll(() => signet?.stop())

const filled = (text: string) =>
  text.replace(/:(webhook|person|key|organization|other)\b/g, (_, name) => names[name] ?? '')

describe('Mistakes of the first hour', () => {
  test.each(mistakes)(
    'The reply alone says what to do about a mistake of the first hour: %s (%s %s)',
    async (_, method, path, { body, headers = {}, without = [] }, status, words) => {
      const own = { 'Service-OrgID': organization.id, 'Service-API-Key': organization.apiKey }
      const others = Object.entries(headers).map(([name, value]): [string, string] => [name, filled(value)])
      const sent = Object.entries({ ...own, ...Object.fromEntries(others) }).filter(([name]) => !without.includes(name))
      const answer = await signet.call(method, filled(path), Object.fromEntries(sent), body)
      const messages = answer.body.errors.map(({ message }: { message: string }) => message).join('\n')
      expect(answer.status, messages).toBe(status)
      for (const word of words) expect(messages).toContain(word)
    },
  )
})

/** Settings that cannot be, and the words that must be in the lines about them. */
const settings: [string, Record<string, string>, string[]][] = [
  ['a setting that is misspelt', { SIGNET_BASEURL: 'x' }, ['SIGNET_BASEURL', 'did you mean SIGNET_BASE_URL?']],
  ['a port that is a word', { PORT: 'http' }, ['PORT', '1 to 65535']],
  ['a database of another kind', { DATABASE_URL: 'mysql://localhost/x' }, ['DATABASE_URL', 'postgres']],
  [
    'a database alone',
    { DATABASE_URL: 'postgresql://localhost/x' },
    ['SIGNET_BASE_URL: is required', 'SIGNET_MASTER_KEY: is required'],
  ],
  ['a master key too short', { SIGNET_MASTER_KEY: 'c2hvcnQ=' }, ['SIGNET_MASTER_KEY', '32 bytes', 'base64']],
  ['a base URL by http', { SIGNET_BASE_URL: 'http://id.example.com' }, ['SIGNET_BASE_URL', 'https']],
  ['a duration without its unit', { SIGNET_RETRY_INITIAL: '60' }, ['SIGNET_RETRY_INITIAL', '1m']],
]

const messageOf = (env: Record<string, string>): string => {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('Starts that cannot succeed', () => {
  const start = (life: Life, env: Record<string, string>) =>
    run(life, [process.execPath, join(repository, 'server/src/main.ts')], env)

  test.each(settings)('A start reports %s in a line for each setting', (_, env, words) => {
    const message = messageOf(env)
    for (const word of words) expect(message).toContain(word)
  })

  test('A start prints what is wrong with its settings before it ends', async (context) => {
    const env = { PORT: 'http', SIGNET_MASTER_KEY: 'c2hvcnQ=' }
    const program = start(context, env)
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain(messageOf(env))
  })

  test('A start reports a database that is not there', async (context) => {
    const host = `127.0.0.1:${await freePort()}`
    const key = Buffer.alloc(32, 'k').toString('base64')
    const own = {
      DATABASE_URL: `postgresql://signet@${host}/signet`,
      SIGNET_BASE_URL: 'http://localhost:8080',
      SIGNET_MASTER_KEY: key,
    }
    const program = start(context, { ...own, SIGNET_DATABASE_WAIT: '1s' })
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain(`database: connect ECONNREFUSED ${host}\n`)
  })

  test('A start reports a port that is taken', async (context) => {
    const server = createServer().listen(0, '127.0.0.1')
    context.onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const env = { PORT: `${port}`, SIGNET_DATA_DIR: join(temporaryFolder(context), 'data') }
    const program = start(context, env)
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain(`PORT: ${port} on 127.0.0.1 is taken by another program; set PORT to a free one`)
  })
})
