import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const names = [
  'handle',
  'handle_prefix',
  'limit',
  'offset',
  'groups:read',
  'PersonCreated_v1',
  'PersonDeleted_v1',
  'provider_a',
  'provider_b',
]

test.each([
  ['hanlde', 'handle'],
  ['Limit', 'limit'],
  ['handle-prefix', 'handle_prefix'],
  ['ofset', 'offset'],
  ['group:read', 'groups:read'],
  ['PersonCreated', 'PersonCreated_v1'],
  ['PersonCreate_v1', 'PersonCreated_v1'],
  ['', undefined],
  ['page', undefined],
  ['Person_v1', undefined],
  ['provider_i', undefined],
  ['PROVIDER_A', 'provider_a'],
  ['x', undefined],
  ['persons', undefined],
  ['x'.repeat(1_000_000), undefined],
  [`${'-'.repeat(100)}limit`, undefined],
])('The name nearest to %s', (text, expected) => {
  expect(nearest(text, names)).toBe(expected)
})
