import fc from 'fast-check'
import { dayMs, minuteMs, rules } from '../rules.ts'
import { type Answer, answer, attempt } from './answering.ts'
import { call } from './calling.ts'
import { crash, take, wait } from './claiming.ts'
import { type Game, nowOf, passUntil, pick, webhookOf, workerOf } from './game.ts'
import { rotate } from './keys.ts'
import { publish } from './publishing.ts'
import { deliveryToRedeliver, redeliver } from './redelivery.ts'
import { expire, sweepAfter } from './time.ts'
import { addTrigger, pause, removeTrigger, replaceTrigger, replaceWebhook, resume } from './webhooks.ts'

export type Row<Drawn, Subject> = {
  /** How often it is drawn, beside the others. */
  weight: number
  /** What is drawn for it. */
  drawn: { [Field in keyof Drawn]: fc.Arbitrary<Drawn[Field]> }
  /** What it is done to; where there is nothing, it is left out. */
  on?: (game: Game, drawn: NoInfer<Drawn>) => Subject | undefined
  /** Does it, tells the model, and compares what was answered with what the model expects. */
  play: (game: Game, drawn: NoInfer<Drawn>, subject: Subject) => unknown
  /** Whether it may change what is kept, which is compared with the model afterwards. */
  writes: boolean
}

const row = <Drawn extends object, Subject>(operation: Row<Drawn, Subject>) => operation

const nth = fc.nat({ max: 7 })
const worker = fc.nat({ max: 1 })
const webhook = fc.nat({ max: 1 })
const receiversAnswer = fc.constantFrom<Answer[]>(200, 204, 'slow', 302, 500, 500, 'timeout')
const passing = [
  1_000,
  30_000,
  minuteMs,
  2 * minuteMs,
  4 * minuteMs,
  10 * minuteMs,
  31 * minuteMs,
  dayMs,
  5 * dayMs,
  5 * dayMs,
]

/** All that may happen in a sequence. A seed draws the same as long as the order of this table and its fields is the same. */
export const operations = {
  publish: row({
    weight: 9,
    drawn: {
      count: fc.integer({ min: 1, max: 3 }),
      isLost: fc.nat({ max: 3 }).map((chance) => chance === 3),
      by: fc.constantFrom(undefined, 0, 1),
    },
    play: publish,
    writes: true,
  }),
  attempt: row({
    weight: 20,
    drawn: { worker, answer: receiversAnswer, times: fc.constantFrom(1, 1, 1, 2, 6) },
    on: workerOf,
    play: (game, drawn, subject) => attempt(game, subject, drawn.answer, drawn.times),
    writes: true,
  }),
  claim: row({
    weight: 5,
    drawn: { worker, isCalled: fc.boolean() },
    on: workerOf,
    play: (game, { isCalled }, subject) => take(game, subject, isCalled),
    writes: true,
  }),
  call: row({
    weight: 7,
    drawn: { nth },
    on: (game, drawn) => pick(game.taken, drawn),
    play: async (game, _, next) => {
      game.taken = game.taken.filter((each) => each !== next)
      game.begun.push(...(await call(game, [next])))
    },
    writes: true,
  }),
  answer: row({
    weight: 9,
    drawn: { nth, answer: receiversAnswer },
    on: (game, drawn) => pick(game.begun, drawn),
    play: async (game, drawn, open) => {
      game.begun = game.begun.filter((each) => each !== open)
      await answer(game, [open], drawn.answer)
    },
    writes: true,
  }),
  crash: row({ weight: 1, drawn: { worker }, play: crash, writes: false }),
  pause: row({ weight: 2, drawn: { webhook }, on: webhookOf, play: (game, _, on) => pause(game, on), writes: true }),
  resume: row({ weight: 2, drawn: { webhook }, on: webhookOf, play: (game, _, on) => resume(game, on), writes: true }),
  removeTrigger: row({
    weight: 1,
    drawn: { webhook },
    on: webhookOf,
    play: (game, _, subject) => removeTrigger(game, subject),
    writes: true,
  }),
  addTrigger: row({
    weight: 1,
    drawn: { webhook },
    on: webhookOf,
    play: (game, _, subject) => addTrigger(game, subject),
    writes: true,
  }),
  replaceTrigger: row({
    weight: 2,
    drawn: { webhook },
    on: webhookOf,
    play: (game, _, subject) => replaceTrigger(game, subject),
    writes: true,
  }),
  replaceWebhook: row({
    weight: 1,
    drawn: { webhook },
    play: (game, drawn) => replaceWebhook(game, drawn.webhook),
    writes: true,
  }),
  redeliver: row({
    weight: 3,
    drawn: { nth },
    on: deliveryToRedeliver,
    play: (game, _, delivery) => redeliver(game, delivery),
    writes: true,
  }),
  rotate: row({ weight: 1, drawn: {}, play: rotate, writes: false }),
  sweep: row({
    weight: 5,
    drawn: { ms: fc.constantFrom(0, rules.leaseMs + 1) },
    play: (game, { ms }) => sweepAfter(game, ms),
    writes: true,
  }),
  expire: row({ weight: 2, drawn: {}, play: expire, writes: true }),
  pass: row({
    weight: 5,
    drawn: { ms: fc.constantFrom(...passing) },
    play: (game, { ms }) => passUntil(game, nowOf(game) + ms),
    writes: false,
  }),
  wait: row({
    weight: 2,
    drawn: { worker },
    on: workerOf,
    play: (game, _, subject) => wait(game, subject),
    writes: false,
  }),
}

type Operations = typeof operations
type DrawnOf<Name extends keyof Operations> = Operations[Name] extends Row<infer Drawn, infer _> ? Drawn : never

/** One of a sequence: which, and what was drawn for it. */
export type Operation = { [Name in keyof Operations]: { do: Name } & DrawnOf<Name> }[keyof Operations]
