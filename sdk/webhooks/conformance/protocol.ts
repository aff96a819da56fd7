// What a runner and an adapter say to each other: one JSON object on a line. README.md says the same in words.
import type { Receiver } from './make-token.ts'

/** The adapter's first line. */
export type Hello = {
  library: string
  version: string
  /** `given`: it takes `now` of each question for the time. `own`: it has a clock that cannot be set. */
  clock: 'given' | 'own'
  /** Whether its refusals have the codes of the kit; without them it counts only that it refused. */
  codes: boolean
  /** The target URL of its receiver, where that is not to be chosen. */
  target_url?: string
}

type Question = Receiver & { id: number; now: number; body: string }
export type Answer = { id: number; result: 'accepted' } | Refusal
type Refusal = {
  id: number
  result: 'refused'
  code?: string
  /** Whether the receiver says that the same request may be accepted later, as by an HTTP status of 500 and above. */
  temporary?: boolean
}

export type Adapter = {
  hello: Hello
  /** Throws where the adapter has ended, answers too late, or in another form. */
  ask(question: Question): Promise<Answer>
}
