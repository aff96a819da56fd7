import { type Static, Type } from 'typebox'
import { named, Timestamp, Uuid } from '../../../ground/http/chain/schemas.ts'
import { exampleOf } from '../../../ground/http/document/example.ts'
import { isSuccess, type Outcome, publicErrors, toPublicError } from '../../../ground/outbound/index.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'
import type { Invocation } from './request.ts'
import { SentRequestSchema, showSent } from './sent-request.ts'

/** Kept for the log of the response to a failed attempt. */
export const shownAnswerBytes = 1_024

/** What is wrong with the body of a 2XX, where one is needed. */
const answerProblems = ['answer_too_large', 'answer_not_utf8', 'answer_not_an_object', 'claims_too_large'] as const
export type AnswerProblem = (typeof answerProblems)[number]
/** Each word that `error` may be. */
export const attemptErrors = [...new Set([...publicErrors, ...answerProblems])]
export type AttemptError = (typeof attemptErrors)[number]

/** As the delivery log shows it. */
export const AttemptSchema = named(
  'Attempt',
  Type.Object(
    {
      number: Type.Integer({ description: 'Counted from the first one ever.' }),
      jti: { ...Uuid, description: 'The claim `jti` of its JWT.' },
      started_at: { ...Timestamp, description: 'When the request began.' },
      duration_ms: Type.Number({
        description: 'How long it took until the status was read, or nothing more was waited for.',
      }),
      resent: Type.Optional(
        Type.Boolean({
          description:
            'True where a kept connection ended before the answer began, and the request was sent once more on a new one: the ' +
            'receiver may have had it twice, with one `jti`. Otherwise absent.',
        }),
      ),
      status_code: Type.Optional(Type.Integer({ description: 'Absent when there was no answer.' })),
      error: Type.Optional(Type.String({ description: 'One word: why there is no answer, or what is wrong with it.' })),
      refusal_code: Type.Optional(
        Type.String({ description: 'The code of a refusal; its reason is for the application alone.' }),
      ),
      request: Type.Optional(SentRequestSchema),
      answer: Type.Optional(Type.String({ description: 'Of a failed attempt, the first 1 KiB of the answer.' })),
    },
    {
      description: 'One request to a webhook.',
      examples: [
        {
          number: 1,
          jti: '0199a3f2-5c00-7000-8000-0242ac120005',
          started_at: '2026-11-25T09:30:00.012Z',
          duration_ms: 48.2,
          status_code: 500,
          request: exampleOf(SentRequestSchema),
          answer: 'Internal Server Error',
        },
      ],
    },
  ),
)

type ShownAttempt = Static<typeof AttemptSchema>
/** As the log keeps it. `sent`: see `sentAlike`; attempts of earlier versions have none. */
export type AttemptRecord = Omit<ShownAttempt, 'request'> & { sent?: string }

export type MadeAttempt = { jti: string; startedAt: number; outcome: Outcome; sent: string }

/** `problem` makes a failure of a 2XX: the code of what is wrong with its body. */
export function recordOf(
  { jti, startedAt, outcome, sent }: MadeAttempt,
  number: number,
  problem?: AnswerProblem,
): AttemptRecord {
  const duration_ms = Math.round(outcome.durationMs * 1000) / 1000
  const made = { number, jti, started_at: toTimestamp(startedAt), duration_ms, sent }
  const record = outcome.resent ? { ...made, resent: true } : made
  if (outcome.kind === 'failed') return { ...record, error: toPublicError(outcome.error) }
  const answered = { ...record, status_code: outcome.status, ...(problem && { error: problem }) }
  return isSuccess(outcome) && !problem ? answered : { ...answered, answer: shownAnswer(outcome.answer) }
}

/** `iss`: the base URL. */
export const showAttempts = (
  attempts: AttemptRecord[],
  invocation: Omit<Invocation, 'targetUrl' | 'content'>,
  iss: string,
): ShownAttempt[] =>
  attempts.map(({ sent, ...attempt }) =>
    sent === undefined ? attempt : { ...attempt, request: showSent(sent, invocation, { iss, jti: attempt.jti }) },
  )

/** The first 1 KiB, without a character that would be cut in two. PostgreSQL stores no U+0000. */
export function shownAnswer(answer: string): string {
  const bytes = Buffer.alloc(shownAnswerBytes)
  return bytes.toString('utf8', 0, bytes.write(answer)).replaceAll('\0', '\ufffd')
}
