import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import {
  badRequest,
  conflict,
  organizationMoved,
  organizationMoving,
  tierLimitReached,
} from '../../../ground/errors.ts'
import { invalidFilter } from '../errors.ts'
import { toRefusal } from './error-answer.ts'

const logged: unknown[] = []
const request = { id: 'r', log: { error: (...line: unknown[]) => logged.push(line) } } as unknown as FastifyRequest
const refusal = (error: unknown) => {
  const { status, scimType, message, headers } = toRefusal(error, request)
  return [status, scimType, message, headers['retry-after']]
}

test.each([
  [invalidFilter('filter: ends too early'), [400, 'invalidFilter', 'filter: ends too early', undefined]],
  [
    badRequest('invalid_value', 'a: is required', 'b: is required'),
    [400, 'invalidSyntax', 'a: is required; b: is required', undefined],
  ],
  [tierLimitReached('groups: at most 10'), [403, undefined, 'groups: at most 10', undefined]],
  [conflict('last_owner', 'owners: one must be left'), [409, undefined, 'owners: one must be left', undefined]],
  [organizationMoving(), [503, undefined, expect.stringContaining('moving'), '5']],
  [organizationMoved(), [503, undefined, expect.stringContaining('moved'), '60']],
])('%s is said in SCIM', (error, said) => {
  expect(refusal(error)).toEqual(said)
  expect(logged).toEqual([])
})

test('What is unexpected shows nothing of the inside, and is logged', () => {
  expect(refusal(new Error('secret'))).toEqual([500, undefined, 'internal error; request id r', undefined])
  expect(logged).toHaveLength(1)
})
