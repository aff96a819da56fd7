import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginSession } from '../support/console.ts'
import { administer } from '../support/database.ts'
import { isStream } from '../support/event-stream.ts'
import { pngOf, sendBytes } from '../support/pictures.ts'
import { type Answer, type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

type Content = Record<string, { schema: object; example?: unknown }>
type Operation = {
  operationId: string
  security: object[]
  parameters: { in?: string; name: string; required?: boolean; example?: unknown; schema?: { examples?: unknown[] } }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Called = Operation & { method: string; path: string }

/** The id that stands in the examples for a person who is there. */
const exampleId = '0199a3f2-5c00-7000-8000-0242ac120002'
const order = ['POST', 'PUT', 'GET', 'PATCH', 'DELETE']

let signet: OwnSignet
let organization: Organization
let operations: Called[]
let isFit: (pointer: string, value: unknown) => string
/** What stands for a parameter, by the part of the path before it. */
let inPath: Record<string, string>

beforeAll(async () => {
  // Without a worker: a delivery stays where it is.
  const env = { SIGNET_ROLES: 'api', SIGNET_KEY_LEAD: '0s', SIGNET_WEBHOOK_RESOLVE: 'hook.example.com:443:127.0.0.1' }
  signet = await startOwnSignet({ env })
  organization = await signet.organization()
  const { body: document } = await signet.call('GET', '/openapi.json')
  operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  isFit = (pointer, value) => {
    const validate = ajv.compile({ $ref: `document#${pointer}` })
    return validate(value) ? '' : ajv.errorsText(validate.errors)
  }
})

afterAll(() => signet?.stop())

const pointerTo = ({ path, method }: Called, ...parts: string[]) =>
  ['', 'paths', path, method.toLowerCase(), ...parts, 'content', 'application/json', 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')

const statusOf = ({ responses }: Called) => Object.keys(responses).find((code) => code < '300') as string
const jsonOf = (part: { content?: Content } | undefined) => part?.content?.['application/json']

test('Every example of a body and of a reply matches its schema', () => {
  for (const operation of operations) {
    const status = statusOf(operation)
    const answer = jsonOf(operation.responses[status])
    const body = jsonOf(operation.requestBody)
    if (status !== '204') expect(answer?.example, operation.operationId).toBeDefined()
    if (answer) expect(isFit(pointerTo(operation, 'responses', status), answer.example), operation.operationId).toBe('')
    if (!body) continue
    expect(body.example, operation.operationId).toBeDefined()
    expect(isFit(pointerTo(operation, 'requestBody'), body.example), operation.operationId).toBe('')
  }
})

test('Every example of a body is accepted, and answered as the document says', async () => {
  await makeWhatIsNeeded()
  const rank = ({ method, path }: Called) => (path === '/organizations/{id}' ? order.length : order.indexOf(method))
  const depth = ({ path }: Called) => path.split('/').length
  for (const operation of operations.toSorted((a, b) => rank(a) - rank(b) || depth(b) - depth(a))) {
    if (takesGroupAway.includes(operation.operationId)) await join()
    // One that opens the console stays.
    if (operation.operationId === 'deleteGroup')
      await signet.as(organization, 'PATCH', '/organizations/settings', { console_access: null })
    // It has ended with the access of its group.
    if (operation.operationId === 'deleteConsoleInvitation') inPath['console-invitations'] = await invite()
    // It has ended with the identity of its person.
    if (operation.operationId === 'endPersonSession') await insertSession(inPath.persons as string)
    const answer = await send(operation)
    const message = `${operation.operationId}: ${JSON.stringify(answer.body)}`
    expect(String(answer.status), message).toBe(statusOf(operation))
    // A rotation removes those that were made before.
    if (operation.operationId === 'createClientSecret') inPath.secrets = answer.body.result.id
    if (answer.status === 204) continue
    expect(isFit(pointerTo(operation, 'responses', statusOf(operation)), answer.body), message).toBe('')
  }
})

/** Gives the id of an invitation. */
async function invite(): Promise<string> {
  const console_access = [{ group: 'administrators', role: 'owner' }]
  await signet.as(organization, 'PATCH', '/organizations/settings', { console_access })
  const path = '/organizations/console-invitations'
  return (await signet.as(organization, 'POST', path, { group: 'administrators' })).body.result.id
}

/** Of one membership there is only one end. */
const takesGroupAway = ['removeGroupMember', 'removePersonGroup']
const join = () =>
  signet.as(organization, 'PUT', `/persons/${inPath.persons}/groups`, { groups: [inPath.groups as string] })

const insertSession = (personId: string) =>
  administer(
    signet.database,
    `insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
     values ('${organization.id}', 'session', '', '${personId}', '${personId}', '[]', '{}', now() + interval '1 hour')
     on conflict do nothing`,
  )

/** The group and the person of the examples, and one of whatever else a path names. */
async function makeWhatIsNeeded() {
  const make = async (path: string, body: unknown) => (await signet.as(organization, 'POST', path, body)).body.result
  const { person_id: person } = await make('/persons', {})
  await make('/groups', { name: 'engineering' })
  const webhook = await make('/organizations/webhooks', {
    name: 'Hook',
    target_url: 'https://hook.example.com/',
    timeout: '100ms',
  })
  for (const trigger of [
    { trigger_type: 'event', trigger_name: 'PersonCreated_v1' },
    { trigger_type: 'event', trigger_name: 'AuthenticationSucceeded_v1' },
    { trigger_type: 'sync_hook', trigger_name: 'token_minted' },
  ])
    await make(`/organizations/webhooks/${webhook.id}/triggers`, trigger)
  const [event] = await make('/test-events', [{ event_name: 'PersonCreated_v1' }])
  await administer(
    signet.database,
    `
    with finished as (delete from deliveries where event_id = '${event.event_id}' returning *)
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
    select org_id, webhook_id, event_id, trigger_name, 'dropped', 1,
           '[{"number": 1, "jti": "${exampleId}", "started_at": "2026-11-25T09:30:00.000Z", "duration_ms": 1, "error": "timeout"}]',
           now() from finished`,
  )
  // What a sign-in makes.
  await administer(
    signet.database,
    `insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, created_at)
     values ('${organization.id}', '${exampleId}', '${person}', 'provider_a', 'issuer', 'jo', '${person}', now())`,
  )
  await insertSession(person)
  const key = await make('/organizations/api-keys', { read_only: true })
  const application = await make('/organizations/applications', {
    name: 'Portal',
    redirect_uris: ['https://portal.example.com/'],
    confidential: true,
    backchannel_logout_uri: 'https://portal.example.com/logout',
  })
  await administer(
    signet.database,
    `insert into finished_deliveries
       (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, content, finished_at)
     values ('${organization.id}', '${application.client_id}', '${event.event_id}', 'logout', 'dropped', 1, '[]', '{"sid": "a"}', now())`,
  )
  const resource = await make('/organizations/resources', { name: 'API', identifier: 'urn:example:api' })
  const link = await make('/organizations/sso/oidc/credential-links', { provider: 'provider_a' })
  const directory = await make('/organizations/directories', { name: 'Corp staff' })
  const token = await make(`/organizations/directories/${directory.id}/tokens`, {})
  await make('/groups', { name: 'corp-engineering' })
  await administer(
    signet.database,
    `insert into groups (org_id, name, description, created_at) values ('${organization.id}', 'made', '', now());
     insert into directory_groups
       (org_id, directory_id, id, group_name, display_name, display_key, tied, members_count, created_at, updated_at)
       values ('${organization.id}', '${directory.id}', '${exampleId}', 'made', 'Made', 'made', false, 0, now(), now())`,
  )
  const directoryLink = await make(`/organizations/directories/${directory.id}/links`, {})
  await make('/groups', { name: 'administrators' })
  const credential = await make('/organizations/sso/oidc/provider-credentials', {
    client_id: 'client',
    client_secret: 'secret',
    provider: 'provider_a',
  })
  const test = await make('/organizations/sso/oidc/provider-credentials/client/test', undefined)
  inPath = {
    'console-sessions': await beginSession(signet, organization),
    test: test.id,
    organizations: organization.id,
    'api-keys': key.id,
    groups: 'engineering',
    persons: person,
    webhooks: webhook.id,
    deliveries: event.event_id,
    events: event.event_id,
    identities: exampleId,
    sessions: 'session',
    applications: application.client_id,
    resources: resource.id,
    'provider-credentials': credential.client_id,
    'credential-links': link.id,
    directories: directory.id,
    tokens: token.id,
    links: directoryLink.id,
    scim_id: exampleId,
    'console-invitations': await invite(),
  }
}

/** What stands in the examples for the token of a link. */
const exampleToken = '0'.repeat(96)

async function newToken(operationId: string): Promise<string> {
  const link = operationId.endsWith('DirectoryLink')
    ? await signet.as(organization, 'POST', `/organizations/directories/${inPath.directories}/links`, {})
    : await signet.as(organization, 'POST', '/organizations/sso/oidc/credential-links', { provider: 'provider_a' })
  return link.body.result.url.split('#')[1]
}

/** A picture has no example in the document. */
const putLogo = (address: string) =>
  sendBytes(signet.baseUrl + address, {
    headers: { 'service-orgid': organization.id, 'service-api-key': organization.apiKey },
    bytes: pngOf(1, 1),
  })

async function send(operation: Called): Promise<Answer> {
  const { method, path, security, parameters } = operation
  const filled = path.replaceAll(
    /([\w-]+)\/\{(\w+)\}/g,
    (_parameter, before: string, name: string) => `${before}/${inPath[name] ?? inPath[before]}`,
  )
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, example }) => `${name}=${example}`)
  const address = query.length > 0 ? `${filled}?${query.join('&')}` : filled
  const example = jsonOf(operation.requestBody)?.example
  const text = JSON.stringify(example)?.replaceAll(exampleId, inPath.persons as string)
  const token = text?.includes(exampleToken) ? await newToken(operation.operationId) : exampleToken
  const body = text && JSON.parse(text.replace(exampleToken, token))
  if (operation.operationId === 'changeLogo') return putLogo(address)
  const isOperators = 'operator' in (security[0] ?? {})
  return isOperators ? signet.operate(method, address, body) : signet.as(organization, method, address, body)
}
