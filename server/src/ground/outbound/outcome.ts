import type { Outcome } from './send-request.ts'

type Answered = Extract<Outcome, { kind: 'answered' }>

/** The part of an outcome that a log shows. */
export type ShownOutcome = Exclude<Outcome, Answered> | Omit<Answered, 'headers' | 'isText'>

/** 2XX alone (6.2, rule 2). */
export const isSuccess = <Some extends ShownOutcome>(outcome: Some): outcome is Some & { kind: 'answered' } =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299
