// Asks an adapter every case of the kit, and judges its answers.
import { setTimeout as wait } from 'node:timers/promises'
import { type KeySetPlace, startKeySetServer } from './key-set-server.ts'
import { type Request, type Step, type Story, storiesFor } from './key-set-stories.ts'
import { type Body, organizationId, type Place, published } from './make-token.ts'
import type { Adapter, Answer } from './protocol.ts'
import { type Token, tokensFor } from './token-cases.ts'

export const levels = ['verify', 'key-set'] as const
export type Level = (typeof levels)[number]
/** `left out`: it needs a clock that can be set. */
export type Result = { level: Level; name: string; outcome: 'passed' | 'failed' | 'left out'; why: string }
type Options = {
  /** Only the cases whose name contains this. */
  only?: string
  onResult?: (result: Result) => void
}

/** The time of an adapter whose clock can be set: 2027-01-15T08:00:00Z. */
const givenNow = 1_800_000_000
const defaultTarget = 'https://hooks.example.com/signet'
/** Stories that end later are left out for an adapter with a clock of its own. */
const longestStorySeconds = 15
/** A token of the last second may be over before it arrives: then it is made anew. */
const attemptsInTheLastSecond = 20

export async function tryReceiver(adapter: Adapter, options: Options = {}): Promise<Result[]> {
  const server = await startKeySetServer()
  try {
    return await judgeAll(adapter, server.placeFor, options)
  } finally {
    server.stop()
  }
}

async function judgeAll(adapter: Adapter, placeFor: () => KeySetPlace, { only = '', onResult = () => {} }: Options) {
  const trial = new Trial(adapter)
  const results: Result[] = []
  const judge = async (level: Level, name: string, whyNot: () => Promise<string | undefined>) => {
    if (!name.includes(only)) return
    const why = await whyNot().catch((error: Error) => error.message)
    const outcome = why === undefined ? 'passed' : why === tooLong ? 'left out' : 'failed'
    const result: Result = { level, name, outcome, why: why ?? '' }
    results.push(result)
    onResult(result)
  }
  const shared = placeFor()
  shared.answerWith({ status: 200, body: published('current', 'next') })
  for (const { name } of trial.tokens(shared)) await judge('verify', name, () => trial.token(shared, name))
  for (const { name } of trial.stories(shared)) await judge('key-set', name, () => trial.story(placeFor(), name))
  return results
}

const tooLong = 'needs a clock that can be set'

class Trial {
  private readonly adapter: Adapter
  private asked = 0

  constructor(adapter: Adapter) {
    this.adapter = adapter
  }

  tokens(place: KeySetPlace): Token[] {
    return tokensFor(this.at(place))
  }

  stories(place: KeySetPlace): Story[] {
    return storiesFor(this.at(place))
  }

  /** Why the answer is wrong; undefined where it is right. */
  async token(place: KeySetPlace, name: string): Promise<string | undefined> {
    const once = async () => {
      const token = this.tokens(place).find((one) => one.name === name) as Token
      return this.whyWrong(token, place, this.now())
    }
    if (this.hasGivenClock || name !== 'last second') return once()
    for (let attempt = 1; ; attempt++) {
      await wait(1_000 - (Date.now() % 1_000))
      const why = await once()
      if (why === undefined || attempt === attemptsInTheLastSecond) return why
    }
  }

  async story(place: KeySetPlace, name: string): Promise<string | undefined> {
    const { steps } = this.stories(place).find((one) => one.name === name) as Story
    if (!this.hasGivenClock && (steps.at(-1)?.at ?? 0) > longestStorySeconds) return tooLong
    const began = this.now()
    const counts = { fetches: 0, allowed: 0 }
    for (const step of steps) {
      const why = await this.step(place, step, began)
      if (why) return `at ${step.at} s: ${why}`
      counts.fetches = place.fetches() + (this.hasGivenClock ? 0 : counts.fetches)
      counts.allowed = step.fetches_at_most + (this.hasGivenClock ? 0 : counts.allowed)
      if (counts.fetches > counts.allowed) return `at ${step.at} s: ${tooManyFetches(counts)}`
    }
    return undefined
  }

  private async step(place: KeySetPlace, step: Step, began: number): Promise<string | undefined> {
    const now = began + step.at
    if (!this.hasGivenClock) await wait(Math.max(0, now * 1_000 - Date.now()))
    place.answerWith(step.key_set)
    const begun = performance.now()
    const reasons = await Promise.all(step.requests.map((request) => this.whyWrong(request, place, now)))
    const seconds = (performance.now() - begun) / 1_000
    const wrong = reasons.find((why) => why !== undefined)
    const isLate = step.answered_within !== undefined && seconds > step.answered_within
    return wrong ?? (isLate ? `was answered after ${seconds.toFixed(1)} s, not within ${step.answered_within}` : undefined)
  }

  private async whyWrong(request: Request, { issuer }: KeySetPlace, now: number): Promise<string | undefined> {
    const { receiver } = this.at({ issuer })
    const answer = await this.adapter.ask({ id: ++this.asked, now, ...receiver, body: textOf(request.body) })
    const [got, wanted] = [inWords(answer), request.expect === 'refused' ? `refused as ${request.code}` : 'accepted']
    const counts = this.adapter.hello.codes ? got === wanted : answer.result === request.expect
    return counts ? undefined : `was ${got}, must be ${wanted}`
  }

  private at({ issuer }: { issuer: string }): Place {
    const target_url = this.adapter.hello.target_url ?? defaultTarget
    return { now: this.now(), receiver: { issuer, organization_id: organizationId, target_url } }
  }

  private get hasGivenClock() {
    return this.adapter.hello.clock === 'given'
  }

  private now() {
    return this.hasGivenClock ? givenNow : Math.floor(Date.now() / 1_000)
  }
}

const textOf = (body: Body) => (typeof body === 'string' ? body : body.repeat.repeat(body.times))

const inWords = (answer: Answer) =>
  answer.result === 'accepted' ? 'accepted' : `refused${answer.code === undefined ? '' : ` as ${answer.code}`}`

const tooManyFetches = ({ fetches, allowed }: { fetches: number; allowed: number }) =>
  `the key set was fetched ${fetches} times, at most ${allowed} were due`
