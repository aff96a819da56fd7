import { describe, expect, test } from 'vitest'
import { readResponse } from './read-response.ts'

const answered = (answer: string, status = 200, truncated = false, isText = true) =>
  readResponse({ kind: 'answered', status, headers: {}, durationMs: 1, answer, truncated, isText })

describe('The response of a hook', () => {
  test.each(['', '{}', '\ufeff', '\n', ' \t\r\n', '\ufeff \r\n{ }\n'])('The response %j adds nothing', (body) => {
    expect(answered(body)).toEqual({ kind: 'claims', claims: {}, dropped: [] })
  })

  test('A response gives a claim for each member, whatever JSON it is', () => {
    const claims = { text: 'x', number: 1.5, yes: true, none: null, list: [1, ['two']], object: { deep: { er: [] } } }
    expect(answered(` ${JSON.stringify(claims)}\n`)).toEqual({ kind: 'claims', claims, dropped: [] })
  })

  test.each([
    ['claims', 32],
    ['unusable', 33],
    ['unusable', 4_000],
  ])('A response is %s when it is %i levels deep', (kind, levels) => {
    const body = `{"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(answered(body)).toMatchObject({ kind })
  })

  test.each([
    ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'azp', 'auth_time', 'at_hash', 'c_hash', 's_hash'],
    ...['sid', 'acr', 'amr', 'client_id', 'scope', 'cnf', 'act', 'may_act', 'org_id', 'groups', 'region'],
    ...['groups_truncated', 'authenticated_methods', '__proto__', 'constructor', 'prototype'],
    ...['email', 'email_verified', 'phone_number', 'phone_number_verified', 'preferred_username'],
    ...['events', 'typ', '_claim_names', '_claim_sources'],
  ])('A response cannot set the protected claim %s', (name) => {
    expect(answered(`{"a":1,"${name}":{"b":2}}`)).toEqual({ kind: 'claims', claims: { a: 1 }, dropped: [name] })
  })

  test('A response may set a claim that only resembles a protected one', () => {
    const claims = {
      Iss: 1,
      'sub ': 2,
      group: 3,
      Constructor: 4,
      toString: 5,
      name: 'Jo',
      picture: 'x',
      locale: 'de',
      roles: [],
    }
    expect(answered(JSON.stringify(claims))).toEqual({ kind: 'claims', claims, dropped: [] })
  })

  test.each([
    ...['null', '[]', '[{}]', '"{}"', '1', 'true', 'OK', '{', '{"a":1}{', "{'a':1}", '<html></html>'],
    ...['\ufeff\ufeff{}', ' \ufeff{}', '{}\ufeff', '\u00a0', '\u00a0{}', '{"a":01}', '{"a":+1}', '{"a":NaN}'],
    ...['{"a":"\\u0000"}', '{"a":["\\ud800"]}', '{"\\u0000":1}', '{"a":{"\\udc00":1}}'],
  ])('The response %j is unusable', (body) => {
    expect(answered(body)).toEqual({ kind: 'unusable', problem: 'answer_not_an_object' })
  })

  test.each([
    ...[
      '9007199254740993',
      '-9007199254740993',
      '1.0',
      '-0',
      '1e400',
      '1E2',
      '0.1000',
      '12345678901234567890.123456789',
    ],
    ...['1', '0.1', '-1.5', '1e21'],
  ])('A response keeps a number as it was given: %s', (number) => {
    const text = `{"a":${number},"b":[{"c":${number}},"${number}"]}`
    const reading = answered(text)
    expect(reading.kind === 'claims' && JSON.stringify(reading.claims)).toBe(text)
  })

  test('A response that goes on beyond 8 KiB is unusable', () => {
    expect(answered('{}', 200, true)).toEqual({ kind: 'unusable', problem: 'answer_too_large' })
  })

  test('A response of which more came than is read, before any status, is unusable', () => {
    const reading = readResponse({ kind: 'failed', error: 'answer_too_large', durationMs: 1 })
    expect(reading).toEqual({ kind: 'unusable', problem: 'answer_too_large' })
  })

  test('A response that is no UTF-8 is unusable', () => {
    expect(answered('{"a":"\ufffd"}', 200, false, false)).toEqual({ kind: 'unusable', problem: 'answer_not_utf8' })
    expect(answered('{"a":"\ufffd"}').kind).toBe('claims')
  })

  test.each([200, 201, 204, 299])('A response of status %i is read', (status) => {
    expect(answered('{"a":1}', status).kind).toBe('claims')
  })

  test.each([300, 302, 400, 410, 429, 500])('A response of status %i is not read (6.2, rule 2)', (status) => {
    expect(answered('{"a":1}', status)).toEqual({ kind: 'failed' })
  })
})
