import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultOfCodes } from '../support/codes.ts'
import {
  closeHttp,
  closing,
  credentials,
  openHttp,
  organization,
  signet,
  speak,
  unknownId,
} from '../support/own-http.ts'
import type { Answer, Headings } from '../support/signet.ts'

beforeAll(openHttp)
afterAll(closeHttp)

const codesOf = ({ headers }: Answer) => headers.get('signet-error')
const page = { event_name: 'VirtualPageLoaded_v1', window_location: 'https://app.example.com/' }

function expectCode(answer: Answer, code: string) {
  expect([codesOf(answer), faultOfCodes(codesOf(answer), answer.body)]).toEqual([code, undefined])
}

describe('Codes of errors', () => {
  test('The header has one code for each thing that is wrong, in the order of the errors', async () => {
    const body = { handles: 'none', colour: 'red', groups: ['missing', 'missing-too'] }
    const answer = await signet.as(organization, 'POST', '/persons', body)
    expect([
      answer.status,
      answer.body.errors.map(({ message }: { message: string }) => message.split(':')[0]),
    ]).toEqual([400, ['colour', 'handles', 'groups[0]', 'groups[1]']])
    expect(codesOf(answer)).toBe('unknown_field, invalid_value, unknown_reference, unknown_reference')
  })

  test('However much is wrong, an answer lists 50 things', async () => {
    const body = { groups: Array.from({ length: 1_000 }, (_, index) => `missing-${index}`) }
    const answer = await signet.as(organization, 'POST', '/persons', body)
    expect(answer.body.errors).toHaveLength(50)
    expect(codesOf(answer)).toBe(Array(50).fill('unknown_reference').join(', '))
  })

  test.each<[code: string, method: string, path: string, headers?: Headings, body?: unknown]>([
    ['required', 'GET', '/groups'],
    ['key_required', 'GET', '/groups', { 'Service-OrgID': unknownId }],
    ['key_not_valid', 'GET', '/groups', { 'Service-OrgID': unknownId, 'Service-API-Key': 'x' }],
    ['key_required', 'GET', '/organizations'],
    ['operator_key_not_valid', 'GET', '/organizations', { 'Service-Operator-Key': 'x' }],
    ['organization_not_found', 'POST', '/sdk/events', { 'Service-OrgID': unknownId }, {}],
    ['not_from_console', 'DELETE', '/console/session'],
    ['unknown_path', 'GET', '/nowhere'],
    ['unknown_path', 'GET', '/groups/'],
    ['unknown_path', 'GET', '/.well-known/openid-configuration'],
    ['issuer_not_found', 'GET', `/oidc/${unknownId}/jwks`],
    ['method_not_allowed', 'PUT', '/groups'],
    ['malformed_request', 'GET', '/groups/%ff'],
  ])('%s: %s %s without a key that is right', async (code, method, path, headers, body) => {
    expectCode(await signet.call(method, path, headers, body), code)
  })

  test.each<[code: string, method: string, path: string, body?: unknown, headers?: Headings]>([
    ['malformed_json', 'POST', '/groups', '{'],
    ['given_twice', 'POST', '/groups', '{"name":"a","name":"b"}'],
    ['wrong_content_type', 'POST', '/groups', 'x', { 'content-type': 'text/plain' }],
    ['body_too_large', 'POST', '/groups', `"${'x'.repeat(1_048_576)}"`],
    ['not_acceptable', 'GET', '/events', undefined, { accept: 'image/png' }],
    ['invalid_value', 'GET', '/events', undefined, { accept: 'text/event-stream', 'Last-Event-ID': 'x' }],
    ['person_not_found', 'GET', `/persons/${unknownId}`],
    ['api_key_not_found', 'DELETE', `/organizations/api-keys/${unknownId}`],
    ['foreign_origin', 'POST', '/sdk/events', {}, { Origin: 'https://foreign.example' }],
    ['id_token_not_valid', 'POST', '/sdk/events', page, { Authorization: 'Bearer x' }],
  ])('%s: %s %s of an organization', async (code, method, path, body, headers) => {
    expectCode(await signet.as(organization, method, path, body, headers), code)
  })

  test.each([
    ['malformed_request', 'GET / nonsense'],
    ['malformed_request', 'GET /groups HTTP/1.1', 'Host: a b'],
    ['required', 'GET /groups HTTP/1.1'],
    ['headers_too_large', 'GET /groups HTTP/1.1', 'Host: a', `X-Large: ${'x'.repeat(40_000)}`],
    ['unknown_expectation', 'GET /groups HTTP/1.1', 'Host: a', 'Expect: something'],
    ['unknown_transfer_coding', 'POST /groups HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked'],
    ['given_twice, given_twice', 'GET /groups HTTP/1.1', 'Host: a', 'Host: b', 'Origin: a', 'Origin: b'],
  ])('%s: what is no request, or none that is read: %s', async (codes, ...lines) => {
    const { head, body } = await speak(...lines, ...credentials(), ...closing)
    const [, header] = /^signet-error: (.*)$/m.exec(head) ?? []
    expect([header, faultOfCodes(header, JSON.parse(body))]).toEqual([codes, undefined])
  })

  test('A page of an application may read the codes of a refusal', async () => {
    const origin = 'https://codes.example.com'
    const application = { name: 'Codes', redirect_uris: [`${origin}/callback`] }
    await signet.as(organization, 'POST', '/organizations/applications', application)
    const headers = { 'Service-OrgID': organization.id, Origin: origin }
    const answer = await signet.call('POST', '/sdk/events', headers, {})
    expect([answer.status, codesOf(answer)?.includes('required')]).toEqual([400, true])
    expect(answer.headers.get('access-control-expose-headers')).toBe('Signet-Error')
  })

  test('Neither a page, nor SCIM, nor an endpoint of an issuer has a code', async () => {
    const shown = await fetch(`${signet.baseUrl}/oidc/${organization.id}/authorize`, {
      headers: { accept: 'text/html' },
    })
    const scim = await fetch(`${signet.baseUrl}/scim/v2/${unknownId}/Users`)
    const token = await fetch(`${signet.baseUrl}/oidc/${organization.id}/token`, { method: 'POST' })
    const answers = [shown, scim, token].map(({ status, headers }) => [status >= 400, headers.has('signet-error')])
    expect(answers).toEqual(Array(3).fill([true, false]))
  })
})
