import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isStream } from '../support/event-stream.ts'
import { pngOf, sendBytes } from '../support/pictures.ts'
import { keyNotValid, keyRequired, operatorKeyRequired, refused } from '../support/refused.ts'
import { type Answer, type Headings, type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

/** All that the first organization has carries this word, so that none of it can show up elsewhere unnoticed. */
const mark = 'first'
const handle = `${mark}@example.com`
const secretHeader = `${mark}-header-value`
const clientSecret = `${mark}-client-secret`
/** One who is in no group; filled when there is one. */
const otherPersons: string[] = []
/** With the tokens of links of the first organization. */
const link = { token: '' }
const [directoryLink, usedDirectoryLink] = [{ token: '' }, { token: '' }]
const linked = { token: '', client_id: 'linked', client_secret: 'linked' }
const identityId = '01890a5d-ac96-774b-bcce-b302099a8057'
const consoleSessionId = '01890a5d-ac96-774b-bcce-b302099a8058'

/**
 * What each operation is asked with, such that its own organization would succeed. An operation with a body, or with a
 * query that is required, has a row here; a row without an operation fails as well.
 */
const requests: Record<string, { body?: unknown; bytes?: Buffer; query?: string; group?: string }> = {
  'POST /organizations': { body: { name: 'New' } },
  'PATCH /organizations/{id}': { body: { name: 'Changed', pricing_tier: 'free' } },
  'POST /organizations/{id}/api-keys': { body: { name: 'New' } },
  'PATCH /organizations/settings': { body: { self_registration: true, allowed_email_domains: ['new.example'] } },
  'PUT /organizations/settings/logo': { bytes: pngOf(1, 2) },
  'POST /organizations/api-keys': { body: { name: 'New' } },
  'PATCH /organizations/api-keys/{id}': { body: { name: 'Changed' } },
  'POST /groups': { body: { name: 'new', description: 'New' } },
  'PATCH /groups/{group_name}': { body: { description: 'Changed' } },
  'POST /groups/{group_name}/persons': { body: { persons: otherPersons } },
  'POST /persons': { body: { handles: [{ type: 'EmailAddress', value: 'new@example.com' }], groups: [] } },
  'PATCH /persons/{person_id}': { body: { handles: [{ type: 'EmailAddress', value: 'changed@example.com' }] } },
  'POST /persons/{person_id}/identities': { body: { oauth_client_id: `${mark}-client`, subject: `${mark}-2` } },
  'PUT /persons/{person_id}/groups': { body: { groups: [`${mark}-staff`, `${mark}-crew`] } },
  'POST /persons/{person_id}/groups': { body: { groups: [`${mark}-guests`] } },
  'DELETE /persons/{person_id}/groups/{group_name}': { group: `${mark}-crew` },
  'POST /organizations/webhooks': { body: { name: 'New', target_url: 'https://new.example.com/' } },
  'PATCH /organizations/webhooks/{webhook_id}': { body: { name: 'Changed', custom_headers: {}, enabled: false } },
  'POST /organizations/webhooks/{webhook_id}/triggers': {
    body: { trigger_type: 'event', trigger_name: 'PersonDeleted_v1' },
  },
  'DELETE /organizations/webhooks/{webhook_id}/triggers': {
    query: '?trigger_type=event&trigger_name=PersonCreated_v1',
  },
  'POST /organizations/webhooks/{webhook_id}/redeliver': { body: { since: '2026-01-01T00:00:00Z' } },
  'POST /organizations/webhooks/verification-keys/rotate': { body: {} },
  'POST /organizations/sso/oidc/signing-keys/rotate': { body: {} },
  'POST /organizations/sso/oidc/provider-credentials': {
    body: { client_id: 'new', client_secret: 'new', provider: 'provider_a', label: 'New' },
  },
  'PATCH /organizations/sso/oidc/provider-credentials/{oauth_client_id}': { body: { label: 'Changed' } },
  'POST /organizations/sso/oidc/credential-links': { body: { provider: 'provider_a', label: 'New' } },
  'POST /organizations/directories': { body: { name: 'New', email_domains: ['new.example'] } },
  'PATCH /organizations/directories/{id}': { body: { name: `${mark} changed`, enabled: false } },
  'POST /organizations/directories/{id}/tokens': { body: { name: 'New' } },
  'POST /organizations/directories/{id}/links': { body: { name: 'New' } },
  'PATCH /organizations/directories/{id}/groups/{scim_id}': { body: { group_name: `${mark}-tied` } },
  'POST /console/directory-link': { body: directoryLink },
  'POST /console/directory-link/token': { body: usedDirectoryLink },
  'POST /organizations/console-invitations': { body: { group: 'administrators' } },
  'POST /console/link': { body: link },
  'POST /console/link/credential': { body: linked },
  'POST /organizations/applications': {
    body: { name: 'New', confidential: true, redirect_uris: ['https://new.example.com/'] },
  },
  'PATCH /organizations/applications/{client_id}': { body: { name: 'Changed' } },
  'POST /organizations/applications/{client_id}/secrets': { body: {} },
  'POST /organizations/resources': { body: { name: 'New', identifier: 'https://new.example.com' } },
  'PATCH /organizations/resources/{id}': { body: { name: 'Changed', scopes: ['read'] } },
  'GET /organizations/search': { query: `?q=${mark}` },
  'GET /organizations/statistics': { query: `?step=1h&since=${new Date(Date.now() - 3_600_000).toISOString()}` },
  'POST /test-events': { body: [{ event_name: 'PersonCreated_v1' }] },
  'POST /sdk/events': { body: { event_name: 'VirtualPageLoaded_v1', window_location: 'https://app.example.com/' } },
}

type Described = {
  operationId: string
  security: object[]
  description?: string
  responses: object
  requestBody?: object
  parameters?: { in: string; required: boolean; $ref?: string }[]
}
type Operation = {
  id: string
  name: string
  method: string
  path: string
  /** `path`: anybody, for the organization in the path; `link`: whoever has one. */
  access: 'operator' | 'key' | 'organization' | 'path' | 'link'
  needsRequest: boolean
  takesIdempotencyKey: boolean
  isAdminOnly: boolean
  /** Of the answers that the document tells of. */
  statuses: string[]
}

let inside: pg.Client
let signet: OwnSignet
let operations: Operation[]
let first: Organization
let readOnly: Organization
let second: Organization
/** What stands for a parameter, by the name before it: all of it the first organization's. */
let inPath: Record<string, string>

beforeAll(async () => {
  // Without a worker: the first organization's deliveries stay as they are. New keys may sign at once.
  const env = {
    SIGNET_ROLES: 'api',
    SIGNET_KEY_LEAD: '0s',
    SIGNET_WEBHOOK_RESOLVE: `${mark}.example.com:443:127.0.0.1`,
  }
  signet = await startOwnSignet({ env })
  inside = new pg.Client(signet.database)
  await inside.connect()
  operations = await describedOperations()
  second = await signet.organization({ name: 'Second' })
  await fillFirst()
  for (const organization of [first, second]) await nameAdministrators(organization)
})

afterAll(async () => {
  await inside?.end()
  await signet?.stop()
})

/** The group to which administrators are invited. */
async function nameAdministrators({ id }: Organization) {
  await inside.query(`
    insert into groups (org_id, name, description, created_at) values ('${id}', 'administrators', '', now());
    insert into console_access (org_id, group_name, role) values ('${id}', 'administrators', 'owner')`)
}

async function describedOperations(): Promise<Operation[]> {
  const { body } = await signet.call('GET', '/openapi.json')
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod)
      .filter(([, described]) => !isStream(described))
      .map(([verb, { operationId: id, security, responses, requestBody, parameters = [], description = '' }]) => {
        const method = verb.toUpperCase()
        const schemes = Object.keys(security[0] ?? {})
        const anybody = /^\/console\/(directory-)?link/.test(path) ? 'link' : 'path'
        const access = (['operator', 'key', 'organization'] as const).find((each) => schemes.includes(each)) ?? anybody
        const needsQuery = parameters.some((each) => each.in === 'query' && each.required)
        const needsRequest = requestBody !== undefined || needsQuery
        const takesIdempotencyKey = parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey')
        const described: Omit<Operation, 'statuses'> = {
          id,
          name: `${method} ${path}`,
          method,
          path,
          access,
          needsRequest,
          takesIdempotencyKey,
          isAdminOnly: description.endsWith(', and only admin keys.'),
        }
        return { ...described, statuses: Object.keys(responses) }
      }),
  )
}

/** One of everything that an organization can have. */
async function fillFirst() {
  first = await signet.organization({ name: `${mark} organization` })
  const make = async (path: string, body: unknown) => (await signet.as(first, 'POST', path, body)).body.result
  await signet.as(first, 'PATCH', '/organizations/settings', { allowed_email_domains: [`${mark}.example`] })
  const key = await make('/organizations/api-keys', { name: `${mark} key`, read_only: true })
  readOnly = { id: first.id, apiKey: key.api_key }
  for (const name of ['staff', 'crew', 'guests']) await make('/groups', { name: `${mark}-${name}`, description: mark })
  const webhook = await make('/organizations/webhooks', {
    name: `${mark} webhook`,
    target_url: `https://${mark}.example.com/`,
    custom_headers: { authorization: [secretHeader] },
    timeout: '100ms',
  })
  for (const trigger of [
    { trigger_type: 'event', trigger_name: 'PersonCreated_v1' },
    { trigger_type: 'sync_hook', trigger_name: 'token_minted' },
  ])
    await make(`/organizations/webhooks/${webhook.id}/triggers`, trigger)
  const handles = [{ type: 'EmailAddress', value: handle }]
  const fields = { handles, groups: [`${mark}-staff`, `${mark}-crew`] }
  const created = await signet.as(first, 'POST', '/persons', fields, { 'Idempotency-Key': 'first' })
  const { person_id } = created.body.result
  otherPersons.push((await make('/persons', {})).person_id)
  const credential = await make('/organizations/sso/oidc/provider-credentials', {
    client_id: `${mark}-client`,
    client_secret: clientSecret,
    provider: 'provider_a',
    label: mark,
  })
  const makeLink = () => make('/organizations/sso/oidc/credential-links', { provider: 'provider_a', label: mark })
  const [kept, used] = [await makeLink(), await makeLink()]
  link.token = kept.url.split('#')[1]
  linked.token = used.url.split('#')[1]
  const directory = await make('/organizations/directories', {
    name: `${mark} directory`,
    email_domains: ['new.example'],
  })
  const makeIn = (list: string) => make(`/organizations/directories/${directory.id}/${list}`, { name: mark })
  const [token, openLink, usedLink] = [await makeIn('tokens'), await makeIn('links'), await makeIn('links')]
  directoryLink.token = openLink.url.split('#')[1]
  usedDirectoryLink.token = usedLink.url.split('#')[1]
  await keepBy(directory.id)
  const test = await make(`/organizations/sso/oidc/provider-credentials/${mark}-client/test`, undefined)
  const logo = { headers: headersOf(first), bytes: pngOf(1, 1) }
  expect((await sendBytes(`${signet.baseUrl}/organizations/settings/logo`, logo)).status).toBe(200)
  const application = await make('/organizations/applications', {
    name: `${mark} application`,
    redirect_uris: [`https://${mark}.example.com/callback`],
    confidential: true,
    backchannel_logout_uri: `https://${mark}.example.com/logout`,
  })
  const { body: secrets } = await signet.as(
    first,
    'GET',
    `/organizations/applications/${application.client_id}/secrets`,
  )
  const resource = await make('/organizations/resources', {
    name: `${mark} API`,
    identifier: `https://${mark}.example.com`,
  })
  const events = await make('/test-events', Array(2).fill({ event_name: 'PersonCreated_v1' }))
  await finish(events.map(({ event_id }: { event_id: string }) => event_id))
  // A logout token has an id of its own among those of its application.
  await inside.query(`
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, content, finished_at)
    values ('${first.id}', '${application.client_id}', '${events[0].event_id}', 'logout', 'succeeded', 1, '[]', '{"sid": "a"}', now())`)
  await signInTo(person_id)
  // Counts the events now: nothing is written by who asks for statistics later, nor by the process meanwhile.
  const { query } = requests['GET /organizations/statistics'] ?? {}
  await signet.as(first, 'GET', `/organizations/statistics${query}`)
  inPath = {
    organizations: first.id,
    'api-keys': key.id,
    'console-sessions': consoleSessionId,
    'console-invitations': consoleSessionId,
    groups: `${mark}-staff`,
    persons: person_id,
    webhooks: webhook.id,
    'provider-credentials': credential.client_id,
    'credential-links': kept.id,
    directories: directory.id,
    tokens: token.id,
    links: openLink.id,
    scim_id: identityId,
    test: test.id,
    applications: application.client_id,
    secrets: secrets.result[0].id,
    resources: resource.id,
    identities: identityId,
    sessions: mark,
    deliveries: events[0].event_id,
    events: events[0].event_id,
  }
}

/** What the client of a directory makes. */
async function keepBy(directoryId: string) {
  await inside.query(`
    with made as (
      insert into persons (org_id, id, active, region, created_at)
        values ('${first.id}', gen_random_uuid(), true, 'local', now()) returning org_id, id
    )
    insert into directory_users
      (org_id, person_id, directory_id, user_name, user_name_key, adopted, attributes, created_at, updated_at)
      select org_id, id, '${directoryId}', '${mark}', '${mark}', false, '{}', now(), now() from made;
    insert into groups (org_id, name, description, created_at) values ('${first.id}', '${mark}-kept', '', now());
    insert into directory_groups
      (org_id, directory_id, id, group_name, display_name, display_key, tied, members_count, created_at, updated_at)
      values ('${first.id}', '${directoryId}', '${identityId}', '${mark}-kept', '${mark}', '${mark}', false, 0, now(), now());
    insert into groups (org_id, name, description, created_at) values ('${first.id}', '${mark}-tied', '', now());
    insert into directory_refusals (org_id, id, directory_id, at, method, path, status, detail)
      values ('${first.id}', '${identityId}', '${directoryId}', now(), 'POST', '/Users', 409, '${mark}')`)
}

/** What a worker writes at the end of deliveries. */
async function finish(eventIds: string[]) {
  await inside.query(`
    with finished as (delete from deliveries where event_id in ('${eventIds.join("','")}') returning *), counted as (
      insert into delivery_counts (org_id, webhook_id, day, status, count)
      select org_id, webhook_id, now(), 'succeeded', count(*) from finished group by 1, 2
    ), counted_by_minute as (
      insert into delivery_minute_counts (org_id, minute, status, session, count)
      select org_id, now(), 'succeeded', 1, count(*) from finished group by 1
    ), attempts_counted as (
      insert into attempt_counts (org_id, webhook_id, hour, trigger_type, failure, session, count, durations, last_at)
      select org_id, webhook_id, date_trunc('hour', now()), 'event', '', 1, count(*), count(*), now() from finished group by 1, 2
    )
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
    select org_id, webhook_id, event_id, trigger_name, 'succeeded', 1, '[]', now() from finished`)
}

/** What is kept of a person who has signed in, while another sign-in is under way. */
async function signInTo(personId: string) {
  const later = `now() + interval '1 hour'`
  await insertSession(personId)
  await inside.query(`
    insert into event_low_watermarks (org_id, position) values ('${first.id}', 1);
    insert into dry_run_allowances (org_id, tokens, refilled_at) values ('${first.id}', 1, now());
    insert into provider_counts (org_id, minute, outcome, method, provider, count)
      values ('${first.id}', now(), 'succeeded', 'oidc', 'provider_a', 1);
    insert into console_sessions (org_id, id, token_hash, api_key_id, created_at, used_at, ends_at)
      select org_id, '${consoleSessionId}', '', id, now(), now(), ${later} from api_keys where org_id = '${first.id}' and not read_only;
    insert into console_access (org_id, group_name, role) values ('${first.id}', '${mark}-guests', 'reader');
    insert into console_invitations (org_id, id, token_hash, group_name, created_at, expires_at)
      values ('${first.id}', '${consoleSessionId}', '', '${mark}-guests', now(), ${later});
    insert into issuer_keys (org_id, kid, alg, private_key, published_at)
      values ('${first.id}', '${mark}', 'RS256', '', now()), ('${first.id}', '${mark}-2', 'ES256', '', now());
    insert into issuer_interactions (org_id, uid, payload, window_location, expires_at)
      values ('${first.id}', '${mark}', '{}', '', ${later});
    insert into console_sign_ins (org_id, state_hash, secret_hash, return_to, expires_at)
      values ('${first.id}', '${mark}', '', '/console/', ${later});
    insert into ended_credentials (org_id, credential_id, ended_at) values ('${first.id}', '${personId}', now());
    insert into issuer_grants (org_id, id, person_id, session_uid, payload, claims, authenticated_methods, expires_at)
      values ('${first.id}', '${mark}', '${personId}', '${mark}', '{}', '{}', '{}', ${later});
    insert into issuer_tokens (org_id, id_hash, kind, grant_id, payload, expires_at)
      values ('${first.id}', '', 'AccessToken', '${mark}', '{}', ${later});
    insert into former_identities (org_id, person_id, provider, issuer, subject_hash)
      values ('${first.id}', '${personId}', 'provider_a', '${mark}', '');
    insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, created_at)
      values ('${first.id}', '${identityId}', '${personId}', 'provider_a', '${mark}', '${mark}', '${personId}', now());
    insert into vouchers (org_id, type, key, kind) select org_id, type, key, 'key' from handles where org_id = '${first.id}';
    insert into flows
      (org_id, id, interaction_uid, correlation_id, client_address, user_agent, window_location, expires_at)
      values ('${first.id}', '${identityId}', '${mark}', '${personId}', '', '', '', ${later})`)
}

const insertSession = (personId: string) =>
  inside.query(`
    insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
      values ('${first.id}', '${mark}', '', '${personId}', '${personId}', '[]', '{}', now() + interval '1 hour')
      on conflict do nothing`)

async function send({ name, method, path, statuses }: Operation, headers: Headings): Promise<Answer> {
  const { body, bytes, query = '', group } = requests[name] ?? {}
  const filled = path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_parameter, before: string, name: string) => {
    const value = before === 'groups' && group ? group : (inPath[name] ?? inPath[before])
    if (!value) throw new Error(`${name}: this test has no value for the parameter after ${before}`)
    return `${before}/${value}`
  })
  const answer = bytes
    ? await sendBytes(signet.baseUrl + filled, { method, headers, bytes })
    : await signet.call(method, filled + query, headers, body)
  expect(statuses, `${name}: the document has this answer`).toContain(String(answer.status))
  // A rotation removes those that were there.
  if (name.endsWith('/secrets') && answer.status === 201) inPath.secrets = answer.body.result.id
  return answer
}

const headersOf = ({ id, apiKey }: Organization): Headings => ({ 'Service-OrgID': id, 'Service-API-Key': apiKey })

/** Every row of an organization, without the time of a key's last use. */
async function rowsOf(organizationId: string): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await inside.query<{ name: string }>(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relkind in ('r', 'p') and not c.relispartition`)
  const found: Record<string, unknown[]> = {}
  for (const { name, column } of [
    ...tables.map(({ name }) => ({ name, column: 'org_id' })),
    { name: 'organizations', column: 'id' },
  ]) {
    const text = `select to_jsonb(t) - 'last_used_at' as row from ${name} t where ${column} = $1 order by 1`
    const { rows } = await inside.query(text, [organizationId])
    found[name] = rows.map(({ row }) => row)
  }
  return found
}

/** What anybody may write who names the organization: page events. */
const isForAnybody = ({ access, method }: Operation) => access === 'organization' && method !== 'GET'

/** Sends every operation that is not for anybody, nor for whoever has a link, and shows that no row of the first organization has changed. */
async function walk(headers: Headings, check: (operation: Operation, answer: Answer) => void) {
  const before = await rowsOf(first.id)
  const isAllowed = (operation: Operation) =>
    operation.access === 'link' || (headers['Service-OrgID'] === first.id && isForAnybody(operation))
  for (const operation of operations) if (!isAllowed(operation)) check(operation, await send(operation, headers))
  expect(await rowsOf(first.id)).toEqual(before)
}

const expectNothingOfFirst = ({ name }: Operation, { body }: Answer) => {
  const shown = JSON.stringify(body ?? '')
  for (const word of [mark, first.id, ...Object.values(inPath)]) expect(shown, name).not.toContain(word)
}

describe('Every operation', () => {
  test('Every operation has a request in this test, and every request an operation', () => {
    const names = operations.map((operation) => operation.name)
    expect(Object.keys(requests).filter((name) => !names.includes(name))).toEqual([])
    const missing = operations.filter(({ name, needsRequest }) => needsRequest && !(name in requests))
    expect(missing.map((operation) => operation.name)).toEqual([])
  })

  test('The requests are made with rows in every table that has rows of organizations', async () => {
    const empty = Object.entries(await rowsOf(first.id)).filter(([, rows]) => rows.length === 0)
    // What only a move between installations writes.
    const ofMoves = ['moved_organizations', 'moved_positions']
    expect(empty.map(([name]) => name).filter((name) => !ofMoves.includes(name))).toEqual([])
  })

  // Proves 4/1, 4.1/2, 4.2/2, 4.3/2, 4.4/2, 4.5/2, 4.6/2, 4.7/2, 5, rule 1/1, 5, rule 2/1, 5, rule 4/1, 5, rule 4/2.
  test('Every operation refuses an anonymous request: 400 without an organization, 401 without a key', async () => {
    const noOrganization = refused(400, 'Service-OrgID: is required')
    await walk({}, ({ name, access }, answer) => {
      if (access === 'path') expect(answer.status, name).toBe(200)
      else expect(answer, name).toMatchObject(access === 'operator' ? operatorKeyRequired : noOrganization)
    })
    await walk({ 'Service-OrgID': first.id }, ({ name, access }, answer) => {
      if (access === 'organization' || access === 'path') expect(answer.status, name).toBe(200)
      else expect(answer, name).toMatchObject(access === 'operator' ? operatorKeyRequired : keyRequired)
    })
  })

  // Proves 5, rule 2/1.
  test('Every operation of the first organization refuses the key of another one: 401', async () => {
    await walk({ 'Service-OrgID': first.id, 'Service-API-Key': second.apiKey }, ({ name, access }, answer) => {
      if (access === 'organization' || access === 'path') return
      expect(answer, name).toMatchObject(access === 'operator' ? operatorKeyRequired : keyNotValid)
    })
  })

  test('No operation finds things of the first organization for the second: 404 for each of them, and none in a list', async () => {
    await walk(headersOf(second), (operation, answer) => {
      const { name, access, path } = operation
      if (access === 'operator') return expect(answer, name).toMatchObject(operatorKeyRequired)
      // Public keys are anybody's to read.
      if (access === 'path') return
      if (path.includes('{')) return expect(answer.status, name).toBe(404)
      expect(answer.status, name).toBeLessThan(300)
      expectNothingOfFirst(operation, answer)
    })
  })

  test('Every operation that writes refuses a read-only key with 403, and those that read show it no secret', async () => {
    await walk(headersOf(readOnly), (operation, answer) => {
      const { name, method, access, isAdminOnly } = operation
      if (access === 'operator') return expect(answer, name).toMatchObject(operatorKeyRequired)
      expect(answer.status, name).toBe(method === 'GET' && !isAdminOnly ? 200 : 403)
      for (const secret of [secretHeader, clientSecret]) expect(JSON.stringify(answer.body), name).not.toContain(secret)
    })
  })

  const entries = async () =>
    (await inside.query('select action, actor_type, to_jsonb(e)::text as text from audit_entries e order by position'))
      .rows
  /** The one that it wrote, if it is one for the management of an organization that writes. */
  const expectedEntries = ({ id, method, access }: Operation) => {
    // Of test events their events tell.
    const isWriting = method !== 'GET' && !['openCredentialLink', 'openDirectoryLink', 'publishTestEvents'].includes(id)
    return isWriting && ['key', 'operator', 'link'].includes(access) ? [{ action: id, actor_type: access }] : []
  }

  test('Every POST with an API key takes an Idempotency-Key, but for those that change nothing', () => {
    const taking = operations.filter(({ takesIdempotencyKey }) => takesIdempotencyKey)
    const posts = operations.filter(
      ({ method, access, id }) =>
        method === 'POST' && access === 'key' && !['dryRunWebhook', 'signDelivery'].includes(id),
    )
    expect(taking).toEqual(posts)
    expect(taking.length).toBeGreaterThan(15)
    for (const { id, statuses } of taking) expect(statuses, id).toEqual(expect.arrayContaining(['409', '422']))
  })

  /** Of a POST that was just made with its id as the key. */
  const expectSameAgain = async (operation: Operation, headers: Headings, answer: Answer) => {
    const before = await rowsOf(first.id)
    const again = await send(operation, headers)
    expect(again.headers.get('idempotent-replayed'), operation.name).toBe('true')
    expect([again.status, again.body], operation.name).toEqual([answer.status, answer.body])
    expect(await rowsOf(first.id), operation.name).toEqual(before)
    expect((await signet.as(first, 'POST', '/groups', { name: 'other' }, headers)).status, operation.name).toBe(422)
  }

  /** Answers that no change was committed with. */
  const answersOfOtherTransactions = async () => {
    const { rows } = await inside.query(`
      select answer from idempotency_keys k
       where not exists (select from audit_entries a where a.org_id = k.org_id and a.xmin = k.xmin)
         and not exists (select from events e where e.org_id = k.org_id and e.xmin = k.xmin)`)
    return rows
  }

  /** Secrets, and what a person could be known by. */
  const confidential = /"(?:api_key|client_secret|custom_headers|handles|email|token|url)":/

  /** Settings and key sets are one each; a deleted person has no name, and nobody reads the log of a deleted organization. */
  const ofNothingNamed = [
    'rotateSigningKeys',
    'rotateVerificationKeys',
    'changeLogo',
    'changeSettings',
    'deleteLogo',
    'deletePerson',
    'deleteOrganization',
  ]

  const nameOfNewestTarget = async () =>
    (await signet.as(first, 'GET', '/organizations/audit-log?limit=1')).body.result?.[0].target.name

  // Last, for it uses up what there is: it shows that the requests above were refused for who asked, not for what.
  test('Every operation succeeds for its own organization, leaves one entry in the audit log if it is a management write, and if it takes a key is done once', async () => {
    const secrets = [
      handle,
      'new@example.com',
      'changed@example.com',
      secretHeader,
      clientSecret,
      first.apiKey,
      readOnly.apiKey,
      linked.token,
      directoryLink.token,
      usedDirectoryLink.token,
    ]
    const named: [string, string | undefined][] = []
    const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
    const depth = ({ path }: Operation) => path.split('/').length
    const rank = ({ method, path }: Operation) =>
      path === '/organizations/{id}' ? order.length : order.indexOf(method)
    for (const operation of operations.toSorted((a, b) => rank(a) - rank(b) || depth(b) - depth(a))) {
      const operator = { 'Service-Operator-Key': signet.operatorKey }
      // It has ended with the identity of its person.
      if (operation.id === 'endPersonSession') await insertSession(inPath.persons as string)
      const before = await entries()
      const headers = {
        ...(operation.access === 'operator' ? operator : headersOf(first)),
        'Idempotency-Key': operation.id,
      }
      const answer = await send(operation, headers)
      expect(answer.headers.get('idempotent-replayed'), operation.name).toBeNull()
      expect(answer.status, `${operation.name} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
      const written = (await entries()).slice(before.length)
      expect(written, operation.name).toMatchObject(expectedEntries(operation))
      if (written.length > 0) named.push([operation.id, await nameOfNewestTarget()])
      if (operation.takesIdempotencyKey) await expectSameAgain(operation, headers, answer)
      for (const name of ['api_key', 'client_secret', 'token'])
        if (answer.body?.result?.[name]) secrets.push(answer.body.result[name])
    }
    expect(named.flatMap(([id, name]) => (name ? [] : [id]))).toEqual(ofNothingNamed)
    const log = (await entries()).map(({ text }) => text).join()
    expect(secrets.length).toBeGreaterThan(7)
    for (const secret of secrets) expect(log).not.toContain(secret)
    const { rows } = await inside.query('select answer from idempotency_keys where answer is not null')
    expect(rows.filter(({ answer }) => confidential.test(answer))).toEqual([])
    expect(await answersOfOtherTransactions()).toEqual([])
  })
})
