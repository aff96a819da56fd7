import { isStorable } from '../../ground/http/chain/validation.ts'
import { isSuccess, type Outcome } from '../../ground/outbound/index.ts'
import { isRawJSON, parseExactly } from '../../ground/runtime/exact-json.ts'
import type { AnswerProblem } from '../webhooks/attempts/index.ts'
import { keepHookClaims } from './protected-claims.ts'

/** A response that becomes claims is no longer than this. */
export const maxResponseBytes = 8 * 1024
/** As that of a request's body: recursive functions walk through claims. */
const maxDepth = 32

/** What a hook adds to the token: any JSON values. */
export type Claims = Record<string, unknown>

type Reading =
  /** `dropped`: the protected claims that the receiver gave all the same. */
  | { kind: 'claims'; claims: Claims; dropped: string[] }
  /** A 2XX without claims: not tried again. */
  | { kind: 'unusable'; problem: AnswerProblem }
  /** Another status or none: tried again (6.2, rule 5). */
  | { kind: 'failed' }

const tooLarge = { kind: 'unusable', problem: 'answer_too_large' } as const

/** A byte order mark and white space around the response are ignored. */
export function readResponse(outcome: Outcome): Reading {
  const isFlood = outcome.kind === 'failed' && outcome.error === 'answer_too_large'
  if (!isSuccess(outcome)) return isFlood ? tooLarge : { kind: 'failed' }
  if (outcome.truncated) return tooLarge
  if (!outcome.isText) return { kind: 'unusable', problem: 'answer_not_utf8' }
  const text = outcome.answer.replace(/^\ufeff/, '')
  const object = /^[\t\n\r ]*$/.test(text) ? {} : parseObject(text)
  if (!object) return { kind: 'unusable', problem: 'answer_not_an_object' }
  return { kind: 'claims', ...keepHookClaims(object) }
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

/** Not too deep, and only with text that PostgreSQL can store. */
function canBeClaims(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return true
  return (
    depth < maxDepth && Object.entries(value).every((member) => member.every((each) => canBeClaims(each, depth + 1)))
  )
}
