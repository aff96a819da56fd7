import { describe, expect, test } from 'vitest'
import { ApiError } from '../../ground/errors.ts'
import { readChanges, readNewWebhook } from './webhook-fields.ts'

const encrypt = (headers: object) => (Object.keys(headers).length > 0 ? Buffer.from(JSON.stringify(headers)) : null)
const required = { target_url: 'https://Receiver.example.com:443/hook', name: 'Hook' }

const problemsOf = (read: () => unknown): string[] => {
  try {
    read()
  } catch (error) {
    if (error instanceof ApiError) return error.problems.map((problem) => problem.message)
    throw error
  }
  return []
}

describe('A new webhook', () => {
  test('A new webhook has defaults for absent fields, and its target as given', () => {
    expect(readNewWebhook(required, encrypt)).toStrictEqual({
      target_url: 'https://Receiver.example.com:443/hook',
      target_key: 'https://receiver.example.com/hook',
      name: 'Hook',
      description: '',
      custom_headers: null,
      timeout_ms: 0,
    })
  })

  test('A new webhook has defaults for null, as a change does', () => {
    const nulls = { description: null, custom_headers: null, timeout: null }
    expect(readNewWebhook({ ...required, ...nulls }, encrypt)).toStrictEqual(readNewWebhook(required, encrypt))
  })

  test('A new webhook is refused with all that is wrong at once', () => {
    const body = { ...required, target_url: 'http://example.com', timeout: '1h', custom_headers: { Host: ['a'] } }
    const problems = problemsOf(() => readNewWebhook(body, encrypt))
    expect(problems.map((problem) => problem.split(/[:.]/)[0])).toEqual(['target_url', 'timeout', 'custom_headers'])
  })

  test.each([
    ['0s', 0],
    ['0', 0],
    ['-0s', 0],
    ['100ms', 100],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['20s', 20_000],
    ['0m20s', 20_000],
  ])('A new webhook may have the timeout %s', (timeout, ms) => {
    expect(readNewWebhook({ ...required, timeout }, encrypt).timeout_ms).toBeCloseTo(ms, 9)
  })

  test.each([
    '',
    '5',
    '-1s',
    '-1ns',
    '1ns',
    '1us',
    '99.999999ms',
    '-100ms',
    '20.000000001s',
    '20001ms',
    '1m',
    '1 s',
    '1s ',
    's',
    '1S',
    'NaN',
    '1e1s',
  ])('A new webhook may not have the timeout %j', (timeout) => {
    expect(problemsOf(() => readNewWebhook({ ...required, timeout }, encrypt))).toEqual([
      'timeout: must be 0s, or a duration from 100ms to 20s, such as 500ms or 2.5s',
    ])
  })
})

describe('A change of a webhook', () => {
  test('A change leaves absent fields alone', () => {
    expect(Object.values(readChanges({}, encrypt)).every((value) => value === undefined)).toBe(true)
  })

  test('A change restores the default for null', () => {
    const nulls = { description: null, custom_headers: null, timeout: null }
    expect(readChanges(nulls, encrypt)).toEqual({ description: '', custom_headers: null, timeout_ms: 0 })
  })

  test('A change replaces the given fields, all headers by the given ones', () => {
    const custom_headers = { 'X-A': ['1', '2'] }
    expect(readChanges({ name: 'n', custom_headers, timeout: '3s' }, encrypt)).toEqual({
      name: 'n',
      custom_headers: Buffer.from(JSON.stringify(custom_headers)),
      timeout_ms: 3_000,
    })
  })

  test('A change is judged by the same rules', () => {
    expect(problemsOf(() => readChanges({ target_url: 'https://localhost', timeout: '21s' }, encrypt))).toHaveLength(2)
  })
})
