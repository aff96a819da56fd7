import { isStorable } from '../../ground/http/chain/validation.ts'
import { isSuccess, type Outcome } from '../../ground/outbound/index.ts'
import { isRawJSON, parseExactly } from '../../ground/runtime/exact-json.ts'
import type { AnswerProblem } from '../webhooks/attempts/index.ts'
import { keepHookClaims } from './protected-claims.ts'
import { type Refusal, readRefusal } from './refusal.ts'

/** What one hook, and all of a run, may add to a token. */
export const maxClaimsBytes = 8 * 1024
/** As much as may arrive: a refusal with a reason that is far too long is still a refusal. */
export const maxResponseBytes = 64 * 1024
/** As that of a request's body: recursive functions walk through claims. */
const maxDepth = 32

/** What a hook adds to the token: any JSON values. */
export type Claims = Record<string, unknown>

export type Reading =
  /** `dropped`: the protected claims that the receiver gave all the same. */
  | { kind: 'claims'; claims: Claims; dropped: string[] }
  | { kind: 'refused'; refusal: Refusal }
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
  const bytes = Buffer.byteLength(outcome.answer)
  if (!outcome.isText) return bytes > maxClaimsBytes ? tooLarge : { kind: 'unusable', problem: 'answer_not_utf8' }
  const text = outcome.answer.replace(/^\ufeff/, '')
  const object = /^[\t\n\r ]*$/.test(text) ? {} : parseObject(text)
  const refusal = readRefusal(object?.deny)
  if (refusal) return { kind: 'refused', refusal }
  return readClaims(object, bytes)
}

/** After a refusal was looked for: no member beside it makes it unusable. */
function readClaims(object: ParsedObject | undefined, bytes: number): Reading {
  if (bytes > maxClaimsBytes) return tooLarge
  const { deny: _, ...claims } = object ?? {}
  if (!object || !canBeClaims(claims)) return { kind: 'unusable', problem: 'answer_not_an_object' }
  return { kind: 'claims', ...keepHookClaims(claims) }
}

type ParsedObject = { deny?: unknown }

function parseObject(text: string): ParsedObject | undefined {
  try {
    const value = parseExactly(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
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
