import { expect } from 'vitest'
import type { ClaimedDelivery, Settlement } from '../../src/delivery/queue/delivery.ts'
import { makeId, timeOf } from '../../src/ground/runtime/identifiers.ts'
import {
  type Claim,
  createModel,
  type Delivery,
  dayMs,
  kept,
  keptCounts,
  rules,
  type Seen,
  shown,
  type Webhook,
} from './delivery-model.ts'
import type { Operation } from './delivery-operations.ts'
import { answered, failed, longestMs, type OpenCall, type World } from './delivery-world.ts'
import { claimsOf, kidOf } from './jwt.ts'

const webhookPath = '/organizations/webhooks/:webhook_id'
const rotatePath = '/organizations/webhooks/verification-keys/rotate'
const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
const keyLeadMs = dayMs
/** After a rotation a process may sign with the key before for so long. */
const sentForMs = 5_000

type Taken = { claimed: ClaimedDelivery; claim: Claim }
type Begun = OpenCall & { claim: Claim; startedAt: number }
type Answer = number | 'slow' | 'timeout'

const outcomeOf = (answer: Answer) => {
  if (answer === 'timeout') return failed
  return answer === 'slow' ? answered(200, 'slow') : answered(answer)
}

const seenOf = (answer: Answer): Seen => {
  if (answer === 'slow') return 'slow'
  return answer === 200 || answer === 204 ? 'healthy' : 'failed'
}

/** One organization with two webhooks, which two workers call, and its model. */
export async function beginGame(world: World, organizationId: string) {
  const model = createModel()
  const workers = [makeId(world.start), makeId(world.start)] as [string, string]
  const webhooks = await Promise.all([addWebhook(0), addWebhook(1)])
  const jtis = new Set<string>()
  let taken: Taken[] = []
  let begun: Begun[] = []
  let kids: string[] = []
  let rotatedAt = world.start

  const now = () => world.clock.now()
  const ask = (name: string, webhookId: string, options: object = {}) =>
    world.ask(organizationId, name, { ...options, params: { webhook_id: webhookId } })

  async function addWebhook(slot: number) {
    const body = { target_url: `https://receiver-${slot}.example.com`, name: 'x' }
    const { id } = (await world.ask(organizationId, 'POST /organizations/webhooks', { body })) as { id: string }
    await world.ask(organizationId, `POST ${webhookPath}/triggers`, { params: { webhook_id: id }, body: trigger })
    return model.addWebhook(id)
  }

  const wake = async (isLost = false) => {
    const woken = await world.wake(organizationId, workers[0], { isLost })
    for (const webhook of model.webhooks.filter(({ id }) => woken.includes(id))) {
      model.wake(webhook)
    }
    return woken
  }

  const claim = async (worker: string): Promise<Taken[]> => {
    const claimed = await world.claim(worker)
    expect(model.wrongWith(claimed.map(deliveryOf), worker, now())).toBeUndefined()
    return claimed.map((each) => taking(each, worker))
  }

  const deliveryOf = ({ webhookId, eventId }: ClaimedDelivery) =>
    model.deliveries.find((each) => each.webhook.id === webhookId && each.eventId === eventId) as Delivery

  const taking = (claimed: ClaimedDelivery, worker: string): Taken => {
    const delivery = deliveryOf(claimed)
    const made = model.claim(delivery, worker, now())
    const { number, leaseEndsAt } = made
    const { windowAttempts, windowOpenedAt = null } = delivery
    expect(claimed).toMatchObject({ attemptNumber: number, leaseEndsAt, windowAttempts, windowOpenedAt })
    return { claimed, claim: made }
  }

  /** Of the keys that the organization began with; most sequences need none. */
  const learnKids = async () => {
    if (kids.length === 0) kids = await world.publishedKids(organizationId)
  }

  /** Gives the calls that were begun; what is not called is settled. */
  const call = async (called: Taken[]): Promise<Begun[]> => {
    if (called.length === 0) return []
    const prepared = await world.prepare(called.map(({ claimed }) => claimed))
    await learnKids()
    const calls: Begun[] = []
    for (const [index, next] of prepared.entries()) {
      const { claim: made } = called[index] as Taken
      if ('attempt' in next) await cancel(made, next)
      else {
        const begins = world.begin(next)
        if ('call' in begins) calls.push(checked({ ...begins, claim: made, startedAt: now() }))
        else await release(made, await begins)
      }
    }
    return calls
  }

  const cancel = async (made: Claim, settlement: Settlement) => {
    const reason = model.cancellation(made)
    expect(settlement).toMatchObject({ status: 'cancelled', reason })
    model.cancel(made, reason as string, now())
    await world.settle([settlement])
  }

  const release = async (made: Claim, settlement: Settlement) => {
    expect(now() + rules.callMs).toBeGreaterThan(made.leaseEndsAt)
    model.release(made, now())
    await world.settle([settlement])
  }

  /** A call that may be made, and is signed anew with a key that receivers know (6.3). */
  const checked = (open: Begun): Begun => {
    const { delivery, leaseEndsAt } = open.claim
    const { body } = open.call
    const { jti, sub, iat, exp, trigger_content } = claimsOf(body)
    expect(trigger_content.event_metadata.event_id).toBe(delivery.eventId)
    expect([model.cancellation(open.claim), model.isCurrent(open.claim)]).toEqual([undefined, true])
    expect(now() + rules.callMs).toBeLessThanOrEqual(leaseEndsAt)
    expect([sub, iat, exp - iat]).toEqual([delivery.eventId, Math.floor(now() / 1_000), 300])
    expect(jtis.has(jti)).toBe(false)
    jtis.add(jti)
    expect(now() - rotatedAt < sentForMs ? kids : kids.slice(0, 1)).toContain(kidOf(body))
    return open
  }

  const settleAll = async (answers: { open: Begun; answer: Answer }[]) => {
    const settlements = answers.map(async ({ open, answer }) => {
      open.answer(outcomeOf(answer))
      model.answer(open.claim, seenOf(answer), open.startedAt, now())
      return open.settled
    })
    if (answers.length > 0) await world.settle(await Promise.all(settlements))
  }

  /** Takes the nth of a list that wraps around; undefined when it is empty. */
  const pick = <Item>(items: Item[], index: number): Item | undefined => items[index % items.length]

  /** Gives whether anything may have been written. */
  const play = async (operation: Operation): Promise<boolean> => {
    switch (operation.do) {
      case 'publish':
        return publish(operation)
      case 'attempt': {
        let made = 0
        while (made < operation.times && (await attempt(workerOf(operation), operation.answer))) made++
        return made > 0
      }
      case 'claim':
        return take(workerOf(operation), operation.isCalled)
      case 'call': {
        const next = pick(taken, operation.nth)
        taken = taken.filter((each) => each !== next)
        if (next) begun.push(...(await call([next])))
        return next !== undefined
      }
      case 'answer': {
        const open = pick(begun, operation.nth)
        begun = begun.filter((each) => each !== open)
        if (open) await settleAll([{ open, answer: operation.answer }])
        return open !== undefined
      }
      case 'crash':
        return crash(operation.worker)
      case 'pause':
      case 'resume':
        return enable(webhookOf(operation), operation.do === 'resume')
      case 'removeTrigger':
        return removeTrigger(webhookOf(operation))
      case 'addTrigger':
        return addTrigger(webhookOf(operation))
      case 'replaceTrigger':
        await removeTrigger(webhookOf(operation))
        return addTrigger(webhookOf(operation))
      case 'replaceWebhook':
        return replaceWebhook(operation.webhook)
      case 'redeliver': {
        const finished = model.deliveries.filter((each) => each.finishedAt !== undefined)
        const delivery = pick(finished, operation.nth) ?? pick(model.deliveries, operation.nth)
        return delivery !== undefined && redeliver(delivery)
      }
      case 'rotate':
        return rotate()
      case 'sweep':
        passUntil(now() + operation.ms)
        return sweep()
      case 'expire':
        await world.expire()
        model.expire(now())
        return true
      case 'pass':
        return passUntil(now() + operation.ms)
      case 'wait':
        return wait(workerOf(operation))
    }
  }

  const workerOf = ({ worker }: { worker: number }) => workers[worker] as string
  const webhookOf = ({ webhook }: { webhook: number }) => webhooks[webhook] as Webhook

  /** Nobody else claims meanwhile, so neither more nor less is claimed as published than may be. */
  const publish = async ({ count, isLost, by }: { count: number; isLost: boolean; by: number | undefined }) => {
    const worker = by === undefined ? undefined : workerOf({ worker: by })
    const { eventIds, claimed, due } = await world.publish(organizationId, count, worker)
    const events = eventIds.map((eventId) => ({ eventId, createdAt: timeOf(eventId) }))
    const expected = model.publish(events, now(), due, worker)
    expect(claimed.map(keyOf).toSorted()).toEqual(
      expected.claimed.map(({ webhook, eventId }) => keyOf({ webhookId: webhook.id, eventId })).toSorted(),
    )
    const made = claimed.map((each) => taking(each, worker as string))
    if (!isLost) taken.push(...made)
    expect((await wake(isLost)).toSorted()).toEqual(isLost ? [] : expected.waiting.map(({ id }) => id).toSorted())
    return true
  }

  /** What it had claimed is forgotten; the next worker has another name. */
  const crash = (worker: number) => {
    const dead = workers[worker]
    taken = taken.filter((each) => each.claim.worker !== dead)
    begun = begun.filter((each) => each.claim.worker !== dead)
    workers[worker] = makeId(now())
    return false
  }

  const enable = async (webhook: Webhook, enabled: boolean) => {
    await ask(`PATCH ${webhookPath}`, webhook.id, { body: { enabled } })
    if (enabled) model.resume(webhook, now())
    else model.pause(webhook)
    await wake()
    return true
  }

  const removeTrigger = async (webhook: Webhook) => {
    const answer = await ask(`DELETE ${webhookPath}/triggers`, webhook.id, { query: trigger })
    expect(answer).toBe(webhook.trigger === undefined ? 404 : undefined)
    webhook.trigger = undefined
    return true
  }

  const addTrigger = async (webhook: Webhook) => {
    await ask(`POST ${webhookPath}/triggers`, webhook.id, { body: trigger })
    model.addTrigger(webhook)
    return true
  }

  const replaceWebhook = async (slot: number) => {
    const webhook = webhooks[slot] as Webhook
    await ask(`DELETE ${webhookPath}`, webhook.id)
    model.removeWebhook(webhook)
    webhooks[slot] = await addWebhook(slot)
    return true
  }

  const sweep = async () => {
    await world.rescue()
    model.rescue(now())
    await world.sweep()
    model.sweep(now())
    return true
  }

  /** Sleeps as a worker does, until something is due. */
  const wait = async (worker: string) => {
    const due = model.nextDue(worker)
    expect(await world.nextDue(worker)).toBeLessThanOrEqual(Math.max(due, now()))
    return passUntil(due)
  }

  /** Claims, and begins the calls or leaves them for later. */
  const take = async (worker: string, isCalled: boolean) => {
    if (model.nextDue(worker) > now()) await wait(worker)
    const claimed = await claim(worker)
    if (isCalled) begun.push(...(await call(claimed)))
    else taken.push(...claimed)
    return claimed.length > 0
  }

  /** Gives whether there was one. */
  const attempt = async (worker: string, answer: Answer): Promise<boolean> => {
    if (model.nextDue(worker) > now()) await wait(worker)
    const claimed = await claim(worker)
    const calls = await call(claimed)
    await settleAll(calls.map((open) => ({ open, answer })))
    return claimed.length > 0
  }

  const passUntil = (time: number) => {
    if (time > now() && time <= world.start + longestMs) world.pass(time - now())
    return false
  }

  const redeliver = async (delivery: Delivery) => {
    const { webhook, eventId } = delivery
    const params = { webhook_id: webhook.id, delivery_id: eventId }
    const answer = await world.ask(organizationId, `POST ${webhookPath}/deliveries/:delivery_id/redeliver`, { params })
    const may = model.mayRedeliver(delivery, now())
    expect(answer).toBe(!webhook.isThere ? 404 : may ? undefined : 409)
    if (webhook.isThere && may) model.redeliver(delivery, now())
    await wake()
    return true
  }

  /** The next key signs once it was published for a day. */
  const rotate = async () => {
    await learnKids()
    const isSoon = now() - rotatedAt < keyLeadMs
    expect(await world.ask(organizationId, `POST ${rotatePath}`)).toBe(isSoon ? 409 : undefined)
    if (isSoon) return false
    const published = await world.publishedKids(organizationId)
    expect([published[0], published[1]]).toEqual([kids.at(-1), kids[0]])
    kids = published
    rotatedAt = now()
    return false
  }

  const compareKept = async () => {
    const { deliveries, lanes, counts } = await world.kept(organizationId)
    const there = model.webhooks.filter(({ isThere }) => isThere)
    expect(deliveries.toSorted(byKey)).toEqual(model.deliveries.map(kept).toSorted(byKey))
    expect(new Map(lanes.map((lane) => [lane.webhook_id, lane.paused_reason ?? undefined]))).toEqual(
      new Map(there.map((webhook) => [webhook.id, webhook.pausedReason])),
    )
    expect(counts.filter(ofOneOf(there)).toSorted(byKey)).toEqual(there.flatMap(keptCounts).toSorted(byKey))
  }

  const compareAnswers = async () => {
    await Promise.all(model.webhooks.map(compareAnswer))
    expect(await world.wrongLanes(organizationId)).toEqual([])
  }

  const compareAnswer = async (webhook: Webhook) => {
    const answer = await world.look(organizationId, webhook.id)
    expect(answer !== undefined).toBe(webhook.isThere)
    if (!answer) return
    const expected = model
      .of(webhook)
      .toSorted((a, b) => (a.eventId < b.eventId ? 1 : -1))
      .map(shown)
    expect(answer.record).toMatchObject({ enabled: !webhook.pausedReason, paused_reason: webhook.pausedReason })
    expect(answer.deliveries).toEqual(expected)
    expect(answer.counts).toEqual([...webhook.counts.values()].toReversed())
    const last = model.of(webhook).findLast(({ log }) => log.length > 0)
    if (last) expect(await world.attemptNumbers(organizationId, webhook.id, last.eventId)).toEqual(last.log)
  }

  const states = () => [
    ...model.deliveries.map(({ status, reason }) => reason ?? status),
    ...model.webhooks.map(({ pausedReason }) => `paused as ${pausedReason}`),
  ]

  return { play, compareKept, compareAnswers, states }
}

/** The same order for what is kept and for what should be. */
const byKey = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const keyOf = ({ webhookId, eventId }: { webhookId: string; eventId: string }) => `${webhookId} ${eventId}`

const ofOneOf = (webhooks: Webhook[]) => (row: { webhook_id: string }) =>
  webhooks.some(({ id }) => id === row.webhook_id)
