import type { ClaimedDelivery } from '../../../../src/delivery/queue/delivery.ts'
import type { Claim, Model, Webhook } from '../model/model.ts'
import { longestMs } from '../rules.ts'
import type { OpenCall } from '../world/calls.ts'
import { pass, type World } from '../world/world.ts'

export type Taken = { claimed: ClaimedDelivery; claim: Claim }
export type Begun = OpenCall & { claim: Claim; startedAt: number }

/** One organization with two webhooks, which two workers call, and its model. */
export type Game = {
  world: World
  model: Model
  organizationId: string
  workers: string[]
  webhooks: Webhook[]
  /** What was claimed and not called yet. */
  taken: Taken[]
  /** The calls that wait for an answer. */
  begun: Begun[]
  /** Of the signatures so far: each has another one. */
  jtis: Set<string>
  /** Of the published keys, the signing one first; empty until somebody has to know them. */
  kids: string[]
  rotatedAt: number
}

export const nowOf = ({ world }: Game) => world.clock.now()

export const workerOf = ({ workers }: Game, { worker }: { worker: number }) => workers[worker] as string
export const webhookOf = ({ webhooks }: Game, { webhook }: { webhook: number }) => webhooks[webhook] as Webhook

/** Takes the nth of a list that wraps around; undefined when it is empty. */
export const pick = <Item>(items: Item[], { nth }: { nth: number }): Item | undefined => items[nth % items.length]

export function passUntil({ world }: Game, time: number) {
  const now = world.clock.now()
  if (time > now && time <= world.start + longestMs) pass(world, time - now)
}
