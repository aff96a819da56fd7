import { isStorable } from '../http/validation.ts'
import { isSuccess, type Outcome } from '../outbound/index.ts'
import { isRawJSON, parseExactly } from '../runtime/exact-json.ts'

/** Of an answer: what becomes claims is no longer than this. */
export const maxResponseBytes = 8 * 1024
/** As the body of a request: claims are walked through by functions that call themselves for each level. */
const maxDepth = 32

/** What a hook adds to the token: any JSON values. */
export type Claims = Record<string, unknown>

export type Reading =
  /** `dropped`: the protected claims that the receiver gave all the same. */
  | { kind: 'claims'; claims: Claims; dropped: string[] }
  /** Nothing that claims could be made of: not tried again. */
  | { kind: 'unusable'; problem: 'answer_too_large' | 'answer_not_utf8' | 'answer_not_an_object' | 'claims_too_large' }
  /** Another status or none, to be tried again (6.2, rule 5). */
  | { kind: 'failed' }

/**
 * The service's own: no hook overrides them. Those of the last line say of which kind an object is: one with them is taken for
 * something else than claims, and loses all the others.
 */
const protectedClaims = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'azp', 'auth_time', 'at_hash', 'c_hash', 's_hash'],
  ...['sid', 'acr', 'amr', 'client_id', 'scope', 'cnf', 'act', 'may_act'],
  ...['org_id', 'groups', 'groups_truncated', 'region', 'authenticated_methods'],
  ...['__proto__', 'constructor', 'prototype'],
])

const tooLarge = { kind: 'unusable', problem: 'answer_too_large' } as const

/** A byte order mark, and white space around the answer, count for nothing. */
export function readAnswer(outcome: Outcome): Reading {
  const isFlood = outcome.kind === 'failed' && outcome.error === 'answer_too_large'
  if (!isSuccess(outcome)) return isFlood ? tooLarge : { kind: 'failed' }
  if (outcome.truncated) return tooLarge
  if (!outcome.isText) return { kind: 'unusable', problem: 'answer_not_utf8' }
  const text = outcome.answer.replace(/^\ufeff/, '')
  const object = /^[\t\n\r ]*$/.test(text) ? {} : parseObject(text)
  if (!object) return { kind: 'unusable', problem: 'answer_not_an_object' }
  const isProtected = ([name]: [string, unknown]) => protectedClaims.has(name)
  const members = Object.entries(object)
  return {
    kind: 'claims',
    claims: Object.fromEntries(members.filter((member) => !isProtected(member))),
    dropped: members.filter(isProtected).map(([name]) => name),
  }
}

function parseObject(text: string): object | undefined {
  try {
    const value = parseExactly(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && canBeClaims(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Not too deep, and of text that PostgreSQL stores. */
function canBeClaims(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return true
  return (
    depth < maxDepth && Object.entries(value).every((member) => member.every((each) => canBeClaims(each, depth + 1)))
  )
}
