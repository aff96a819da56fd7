// Asks an adapter every case of the kit, and judges its answers.
import { setTimeout as wait } from 'node:timers/promises'
import { type KeySetPlace, startKeySetServer } from './key-set-server.ts'
import { type Request, type Step, type Story, storiesFor } from './key-set-stories.ts'
import { type Body, organizationId, published, type Situation } from './make-token.ts'
import type { Adapter } from './protocol.ts'
import { type Token, tokensFor } from './token-cases.ts'

export const levels = ['verify', 'key-set'] as const
export type Level = (typeof levels)[number]
/** `left out`: it needs a clock that can be set. */
export type Result = { level: Level; name: string; outcome: 'passed' | 'failed' | 'left out'; why: string }
type Options = {
  /** Which cases are tried. Default: all. */
  isWanted?: (level: Level, name: string) => boolean
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

async function judgeAll(adapter: Adapter, placeFor: () => KeySetPlace, options: Options): Promise<Result[]> {
  const { isWanted = () => true, onResult = () => {} } = options
  const trial = new Trial(adapter)
  const results: Result[] = []
  const judge = async (level: Level, name: string, whyNot: () => Promise<string | undefined>) => {
    if (!isWanted(level, name)) return
    const why = await whyNot().catch((error: Error) => error.message)
    const outcome = why === undefined ? 'passed' : why === tooLong ? 'left out' : 'failed'
    const result: Result = { level, name, outcome, why: why ?? '' }
    results.push(result)
    onResult(result)
  }
  const shared = placeFor()
  shared.answerWith({ status: 200, body: published('current', 'next') })
  for (const token of trial.tokens(shared)) await judge('verify', token.name, () => trial.token(shared, token))
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
  async token(place: KeySetPlace, token: Token): Promise<string | undefined> {
    if (this.hasGivenClock) return this.whyWrong(token, place, this.now())
    const ofNow = () => this.tokens(place).find(({ name }) => name === token.name) as Token
    if (token.name !== 'last second') return this.whyWrong(ofNow(), place, this.now())
    for (let attempt = 1; ; attempt++) {
      await wait(1_000 - (Date.now() % 1_000))
      const why = await this.whyWrong(ofNow(), place, this.now())
      if (why === undefined || attempt === attemptsInTheLastSecond) return why
    }
  }

  async story(place: KeySetPlace, name: string): Promise<string | undefined> {
    const { steps } = this.stories(place).find((one) => one.name === name) as Story
    if (!this.hasGivenClock && (steps.at(-1)?.at ?? 0) > longestStorySeconds) return tooLong
    const began = this.now()
    const counts = { fetches: 0, allowed: 0 }
    for (const step of steps) {
      if (!this.hasGivenClock) await wait(Math.max(0, (began + step.at) * 1_000 - Date.now()))
      const begun = performance.now()
      const why = await this.step(place, step, began)
      if (why) return `at ${step.at} s: ${why}`
      const seconds = (performance.now() - begun) / 1_000
      this.count(counts, place.fetches(), step.fetches_at_most, seconds)
      if (counts.fetches > counts.allowed) return `at ${step.at} s: ${tooManyFetches(counts)}`
    }
    return undefined
  }

  /** A clock of its own goes on while it is asked: then all steps count together, and a second more may bring a fetch more. */
  private count(counts: { fetches: number; allowed: number }, fetches: number, atMost: number, seconds: number) {
    const before = this.hasGivenClock ? { fetches: 0, allowed: 0 } : counts
    counts.fetches = before.fetches + fetches
    counts.allowed = before.allowed + atMost + (this.hasGivenClock ? 0 : Math.floor(seconds))
  }

  private async step(place: KeySetPlace, step: Step, began: number): Promise<string | undefined> {
    const now = began + step.at
    place.answerWith(step.key_set)
    const answered = Promise.all(step.requests.map((request) => this.whyWrong(request, place, now)))
    const reasons = await inTime(answered, step.answered_within)
    return reasons.find((why) => why !== undefined)
  }

  private async whyWrong(request: Request, { issuer }: KeySetPlace, now: number): Promise<string | undefined> {
    const { receiver } = this.at({ issuer })
    const answer = await this.adapter.ask({ id: ++this.asked, now, ...receiver, body: textOf(request.body) })
    const saysTemporary = answer.result === 'refused' && answer.temporary !== undefined
    const { codes } = this.adapter.hello
    const [got, wanted] = [answer, rightAnswer(request)].map((one) => inWords(one, codes, saysTemporary))
    return got === wanted ? undefined : `was ${got}, must be ${wanted}`
  }

  private at({ issuer }: { issuer: string }): Situation {
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

/** Most steps have all the time that the adapter has. */
function inTime<Value>(answered: Promise<Value>, seconds: number | undefined): Promise<Value> {
  if (seconds === undefined) return answered
  const stopped = new AbortController()
  const late = wait(seconds * 1_000, undefined, { signal: stopped.signal }).then(() => {
    throw new Error(`was not answered within ${seconds} s`)
  })
  return Promise.race([answered, late]).finally(() => {
    late.catch(() => {})
    stopped.abort()
  })
}

const textOf = (body: Body) => (typeof body === 'string' ? body : body.repeat.repeat(body.times))

type Judged = { result: string; code?: string; temporary?: boolean }

/** What the receiver should say: only where there are no keys may the same request be accepted later. */
const rightAnswer = (request: Request): Judged =>
  request.expect === 'accepted'
    ? { result: 'accepted' }
    : { result: 'refused', code: request.code, temporary: temporaryCodes.includes(request.code) }
const temporaryCodes = ['keys_unavailable', 'wrong_setting']

/** Of an answer what counts: the code of an adapter that has codes, and whether it is for a time if the adapter says so. */
const inWords = ({ result, code, temporary }: Judged, hasCodes: boolean, saysTemporary: boolean) =>
  [
    result,
    ...(result === 'refused' && hasCodes ? [`as ${code}`] : []),
    ...(result === 'refused' && saysTemporary ? [temporary ? 'for a time' : 'for good'] : []),
  ].join(' ')

const tooManyFetches = ({ fetches, allowed }: { fetches: number; allowed: number }) =>
  `the key set was fetched ${fetches} times, at most ${allowed} were due`
