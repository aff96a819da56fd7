import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Concurrency, ConcurrencyLimits, Observation } from '../delivery.ts'
import { createRequestSlots, type WaitingRequest } from './concurrency-limits.ts'

/** Requests that begin when the slots let them, and end when the test says. */
function recorder() {
  const running: {
    webhookId: string
    organizationId: string
    isHealthy: boolean
    end: (succeeded?: boolean, tookMs?: number) => void
  }[] = []
  const begun: string[] = []
  const released: string[] = []
  const observation: (Observation | undefined)[] = []
  const late = new Set<string>()
  /** What its receiver may have after each end. */
  const seen: Concurrency[] = []
  const setAside: string[] = []
  /** `isHealthy`: its receiver answered last, as far as the claim knew. */
  const request = (webhookId: string, organizationId = 'o', isHealthy = true): WaitingRequest => ({
    webhookId,
    organizationId,
    isHealthy,
    concurrency: isHealthy ? { maxRequests: Infinity, failures: 0 } : { maxRequests: 1, failures: 5 },
    isLate: () => late.has(webhookId),
    run: (onSeen) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const end = (succeeded = isHealthy, tookMs = 1) => {
        running.splice(running.indexOf(entry), 1)
        seen.push(onSeen({ succeeded, tookMs }))
        resolve()
      }
      const entry = { webhookId, organizationId, isHealthy, end }
      running.push(entry)
      begun.push(webhookId)
      return promise
    },
    release: (_, itsSeen) => {
      released.push(webhookId)
      observation.push(itsSeen)
    },
    onSetAside: () => {
      setAside.push(webhookId)
    },
  })
  return { running, begun, released, observation, late, seen, setAside, request }
}

/** No time passes in them, unless a test lets it. */
const open = (limits: ConcurrencyLimits, now = () => 0) => createRequestSlots(limits, now)

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('Request slots', () => {
  test('Webhooks take turns, however much one of them has waiting', () => {
    const { begun, request } = recorder()
    open({ perWebhook: 10, perOrganization: 100, total: 8 }).add([
      ...Array.from({ length: 50 }, () => request('a')),
      request('b'),
      request('c'),
    ])
    expect(begun).toEqual(['a', 'a', 'a', 'a', 'b', 'c', 'a', 'a'])
  })

  test('A lane is that of a webhook in its organization', () => {
    const { running, request } = recorder()
    open({ perWebhook: 1, perOrganization: 10, total: 10 }).add([
      request('a', 'o'),
      request('a', 'p'),
      request('a', 'o'),
    ])
    expect(running.map(({ organizationId }) => organizationId)).toEqual(['o', 'p'])
  })

  test('A turn of four requests goes on when slots become free one by one, and then the next one has its turn', async () => {
    const { running, begun, request } = recorder()
    const slots = open({ perWebhook: 10, perOrganization: 100, total: 1 })
    slots.add(['a', 'b', 'c'].flatMap((webhookId) => Array.from({ length: 6 }, () => request(webhookId))))
    while (running.length > 0) {
      running[0]?.end()
      await settled()
    }
    expect(begun.join('')).toBe('aaaabbbbccccaabbcc')
  })

  test('A turn is over when the receiver may have no more requests', async () => {
    const { running, begun, request } = recorder()
    const slots = open({ perWebhook: 2, perOrganization: 100, total: 4 })
    slots.add(['a', 'b', 'c'].flatMap((webhookId) => Array.from({ length: 4 }, () => request(webhookId))))
    expect(begun.join('')).toBe('aabb')
    running[0]?.end()
    await settled()
    expect(begun.at(-1)).toBe('c')
  })

  test('Receivers that did not answer last get one request at a time, all of them together half of the slots', async () => {
    const { running, begun, request } = recorder()
    const slots = open({ perWebhook: 10, perOrganization: 100, total: 8 })
    slots.add(Array.from({ length: 20 }, (_, index) => request(`dead${index % 10}`, 'o', false)))
    expect(begun).toEqual(['dead0', 'dead1', 'dead2', 'dead3'])
    slots.add(Array.from({ length: 4 }, () => request('alive')))
    expect(running.filter(({ webhookId }) => webhookId === 'alive')).toHaveLength(4)
    running[0]?.end()
    await settled()
    expect(begun.at(-1)).toBe('dead4')
  })

  const sixteen = { perWebhook: 16, perOrganization: 100, total: 100 }

  test('Failures of requests that were in flight together halve the limit once; each success adds one', async () => {
    const { running, request, seen } = recorder()
    open(sixteen).add(Array.from({ length: 60 }, () => request('a')))
    const [first, second, ...others] = [...running]
    first?.end(false)
    second?.end(false)
    await settled()
    expect([running.length, seen.at(-1)]).toEqual([14, { maxRequests: 8, failures: 2 }])
    for (const { end } of others.slice(0, 7)) end(true)
    await settled()
    expect([running.length, seen.at(-1)]).toEqual([15, { maxRequests: 15, failures: 0 }])
    // The one that began after it was halved is of another flight.
    running.at(-1)?.end(false)
    await settled()
    expect(seen.at(-1)).toEqual({ maxRequests: 7, failures: 1 })
  })

  test('After five failures without a success between a receiver gets one request at a time, until one succeeds', async () => {
    const { running, request, seen } = recorder()
    open(sixteen).add(Array.from({ length: 60 }, () => request('a')))
    for (const { end } of [...running]) end(false)
    await settled()
    expect([running.length, seen.at(-1)]).toEqual([1, { maxRequests: 1, failures: 16 }])
    running[0]?.end(false)
    await settled()
    expect(running).toHaveLength(1)
    running[0]?.end(true)
    await settled()
    expect([running.length, seen.at(-1)]).toEqual([2, { maxRequests: 2, failures: 0 }])
  })

  test('A receiver that fails at every second request never stops', async () => {
    const { running, request } = recorder()
    open(sixteen).add(Array.from({ length: 100 }, () => request('a')))
    for (let ended = 0; ended < 80; ended++) {
      running[0]?.end(ended % 2 === 0)
      await settled()
      expect(running.length).toBeGreaterThan(0)
    }
  })

  test('Requests that hang for a second count no more beside others that succeed, and never more than fifty are under way', async () => {
    const { running, begun, released, setAside, request } = recorder()
    let now = 0
    const slots = open({ perWebhook: 4, perOrganization: 200, total: 200 }, () => now)
    /** One in three hangs. */
    for (let added = 0; added < 300; added++) {
      now += 100
      slots.add([request('a')])
      if (added % 3 !== 0) running.at(-1)?.end(true)
      await settled()
      slots.setAsideOverdue()
      slots.releaseSlow(1_000)
      expect(running.length).toBeLessThanOrEqual(50)
      // What does not hang has begun at once, until fifty hang.
      if (running.length < 50) expect([begun.length, released]).toEqual([added + 1, []])
    }
    expect(running).toHaveLength(50)
    expect(setAside.length).toBeGreaterThan(48)
  })

  test('A receiver that hangs at everything has no more requests than its limit, whether it answered before or not', async () => {
    for (const answersBefore of [0, 20]) {
      const { running, request } = recorder()
      let now = 0
      const slots = open({ perWebhook: 10, perOrganization: 200, total: 200 }, () => now)
      for (let before = 0; before < answersBefore; before++) {
        slots.add([request('a')])
        running[0]?.end(true)
        await settled()
      }
      for (let added = 0; added < 200; added++) {
        now += 50
        slots.add([request('a')])
        slots.setAsideOverdue()
        expect(running.length).toBeLessThanOrEqual(10)
      }
      expect(running).toHaveLength(10)
      // They time out together, and then it gets one at a time.
      for (const { end } of [...running]) end(false, 10_000)
      await settled()
      now += 10_000
      slots.setAsideOverdue()
      expect(running).toHaveLength(1)
    }
  })

  test('One request that hangs stands in the way of a receiver with a limit of one for a second', async () => {
    const { running, released, request } = recorder()
    let now = 0
    const slots = open({ perWebhook: 1, perOrganization: 200, total: 200 }, () => now)
    for (let before = 0; before < 5; before++) {
      slots.add([request('a')])
      running[0]?.end(true)
      await settled()
    }
    slots.add([request('a'), request('a'), request('a')])
    now = 1_000
    slots.setAsideOverdue()
    slots.releaseSlow(1_000)
    expect([running.length, released]).toEqual([2, []])
  })

  test('A receiver whose last attempts failed has no more requests than its limit when the next one hangs', () => {
    const { running, request } = recorder()
    let now = 0
    const slots = open(sixteen, () => now)
    const concurrency = { maxRequests: 1, failures: 4 }
    slots.add(Array.from({ length: 4 }, () => ({ ...request('a'), concurrency })))
    for (; now < 6_000; now += 250) slots.setAsideOverdue()
    expect(running).toHaveLength(1)
  })

  test('Requests that hang are set aside up to half of the slots, in all and of an organization', () => {
    const { running, setAside, request } = recorder()
    let now = 0
    const slots = open({ perWebhook: 10, perOrganization: 8, total: 12 }, () => now)
    for (const [webhook, organization] of [
      ['a', 'o'],
      ['b', 'p'],
    ] as const)
      slots.add(Array.from({ length: 6 }, () => request(webhook, organization)))
    now = 1_000
    slots.setAsideOverdue()
    expect(running).toHaveLength(12)
    expect(setAside.toSorted()).toEqual(['a', 'a', 'a', 'a', 'b', 'b'])
  })

  test('A receiver keeps its limit between its requests, until a claim knows better', async () => {
    const { running, request } = recorder()
    let now = 0
    const slots = open(sixteen, () => now)
    const fail = async () => {
      slots.add([request('a')])
      running[0]?.end(false)
      await settled()
    }
    for (let failure = 0; failure < 5; failure++) await fail()
    slots.add(Array.from({ length: 4 }, () => request('a')))
    expect(running).toHaveLength(1)
    slots.release('revoked', () => true)
    running[0]?.end(false)
    await settled()
    now = 1_000
    slots.add(Array.from({ length: 4 }, () => request('a')))
    expect(running).toHaveLength(4)
  })

  test('Receivers that take a second and more keep their requests, all of them together half of the slots', async () => {
    const { running, request } = recorder()
    const slots = open({ perWebhook: 3, perOrganization: 100, total: 8 })
    slots.add(['a', 'b', 'c'].flatMap((webhookId) => Array.from({ length: 9 }, () => request(webhookId))))
    expect(running).toHaveLength(8)
    for (let round = 0; round < 2; round++) {
      for (const { end } of [...running]) end(true, 1_000)
      await settled()
    }
    expect(running).toHaveLength(4)
  })

  test('A request that is released is not sent', async () => {
    const { running, begun, released, request } = recorder()
    const slots = open({ perWebhook: 1, perOrganization: 100, total: 8 })
    slots.add([request('a'), request('a'), request('b'), request('a'), request('c'), request('c')])
    slots.release('revoked', ({ webhookId }) => webhookId === 'a')
    expect(released).toEqual(['a', 'a'])
    for (const { end } of [...running]) end()
    await settled()
    expect(begun).toEqual(['a', 'b', 'c', 'c'])
  })

  test('A request that waits too long for its own receiver is released with that reason', () => {
    const { released, observation, request } = recorder()
    let now = 0
    const slots = open({ perWebhook: 2, perOrganization: 100, total: 8 }, () => now)
    slots.add([request('a'), request('a'), request('a'), request('b')])
    now = 500
    slots.add([request('a')])
    slots.releaseSlow(501)
    expect(released).toEqual([])
    slots.releaseSlow(500)
    expect([released, observation]).toEqual([['a'], [{ waitedMs: 500 }]])
  })

  test('A request that waits too long for others that are not healthy is released', () => {
    const { released, observation, request } = recorder()
    const slots = open({ perWebhook: 10, perOrganization: 1, total: 2 })
    slots.add([request('a', 'o', false), request('b', 'p', false), request('c', 'o')])
    slots.releaseSlow(0)
    expect([released, observation]).toEqual([['b'], [{ waitedMs: 0 }]])
  })

  test("A request that waits for its organization's share stays until that organization's healthy receivers hold more than half", async () => {
    const { running, released, observation, request } = recorder()
    let now = 0
    const slots = open({ perWebhook: 10, perOrganization: 4, total: 100 }, () => now)
    slots.add([...['a', 'b', 'c', 'd', 'e'].map((webhookId) => request(webhookId)), request('f', 'p')])
    now = 1
    for (const { end } of running.filter(({ webhookId }) => ['a', 'b'].includes(webhookId))) end()
    await settled()
    slots.add(['g', 'h'].map((webhookId) => request(webhookId)))
    now = 1_000
    slots.releaseSlow(1_000)
    expect([running.length, released]).toEqual([5, []])
    now = 1_001
    slots.releaseSlow(1_000)
    expect([released, observation]).toEqual([['h'], [{ waitedMs: 1_000 }]])
  })

  test('A receiver with waiting requests is not healthy from a claim on that knows so', () => {
    const { running, request } = recorder()
    const slots = open({ perWebhook: 10, perOrganization: 100, total: 4 })
    slots.add([request('a'), request('a', 'o', false), request('a'), request('a')])
    expect(running).toHaveLength(2)
  })

  test('A request that waits for a free slot alone stays while requests of healthy receivers end, whatever the others do', async () => {
    const { running, released, request } = recorder()
    let now = 0
    const slots = open({ perWebhook: 2, perOrganization: 100, total: 8 }, () => now)
    slots.add(['e', 'f', 'g', 'h'].map((webhookId) => request(webhookId, 'o', false)))
    now = 600
    slots.add(Array.from({ length: 20 }, (_, n) => request(`w${n}`)))
    now = 1_500
    for (const { end } of running.filter(({ isHealthy }) => isHealthy)) end()
    await settled()
    now = 1_600
    slots.releaseSlow(1_000)
    expect([running.length, released]).toEqual([8, []])
  })

  test('A request that waits for a free slot is released as slow when healthy receivers hold more than half of theirs', async () => {
    const { running, released, observation, request } = recorder()
    let now = 0
    const slots = open({ perWebhook: 2, perOrganization: 100, total: 8 }, () => now)
    slots.add(['e', 'f', 'g', 'h'].map((webhookId) => request(webhookId, 'o', false)))
    slots.add(['a', 'b', 'c', 'd', 'i', 'j', 'k'].map((webhookId) => request(webhookId)))
    now = 600
    for (const { end } of running.filter(({ webhookId }) => ['c', 'd'].includes(webhookId))) end()
    await settled()
    now = 1_599
    slots.releaseSlow(1_000)
    expect([running.length, released]).toEqual([8, []])
    now = 1_600
    slots.releaseSlow(1_000)
    expect([released, observation]).toEqual([['k'], [{ waitedMs: 1_000 }]])
  })

  test('A request that is too late is released, whatever it waits for', () => {
    const { released, observation, late, request } = recorder()
    const slots = open({ perWebhook: 2, perOrganization: 100, total: 1 })
    slots.add([request('a'), request('b'), request('c')])
    late.add('b')
    slots.releaseSlow(1)
    expect([released, observation]).toEqual([['b'], [undefined]])
  })

  test('An organization at its limit lets the others pass', () => {
    const { begun, request } = recorder()
    open({ perWebhook: 10, perOrganization: 2, total: 10 }).add([
      ...['a', 'b', 'c', 'd'].map((webhookId) => request(webhookId, 'first')),
      request('e', 'second'),
    ])
    expect(begun).toEqual(['a', 'b', 'e'])
  })

  test('Requests never exceed a limit, and each is sent or released once, whatever comes and ends in whatever order', async () => {
    const operations = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ webhook: fc.integer({ min: 0, max: 6 }), isHealthy: fc.boolean() }) },
        { weight: 3, arbitrary: fc.record({ end: fc.nat(), succeeded: fc.boolean(), tookMs: fc.nat(2_000) }) },
        { weight: 1, arbitrary: fc.record({ revoke: fc.integer({ min: 0, max: 6 }) }) },
        { weight: 1, arbitrary: fc.record({ waitedMs: fc.constant(0) }) },
      ),
      { maxLength: 80 },
    )
    await fc.assert(
      fc.asyncProperty(operations, async (sequence) => {
        const { running, begun, released, request } = recorder()
        const limits = { perWebhook: 2, perOrganization: 3, total: 5 }
        const slots = open(limits)
        const largestOf = (keys: string[]) => {
          const groups = Map.groupBy(keys, (key) => key).values()
          return Math.max(0, ...groups.map((all) => all.length))
        }
        const check = () => {
          expect(running.length).toBeLessThanOrEqual(limits.total)
          expect(largestOf(running.map(({ webhookId }) => webhookId))).toBeLessThanOrEqual(limits.perWebhook)
          expect(largestOf(running.map(({ organizationId }) => organizationId))).toBeLessThanOrEqual(
            limits.perOrganization,
          )
        }
        let added = 0
        for (const operation of sequence) {
          if ('end' in operation)
            running[operation.end % Math.max(1, running.length)]?.end(operation.succeeded, operation.tookMs)
          else if ('waitedMs' in operation) slots.releaseSlow(operation.waitedMs)
          else if ('revoke' in operation)
            slots.release('revoked', ({ webhookId }) => webhookId === `w${operation.revoke}`)
          else {
            added++
            slots.add([request(`w${operation.webhook}`, `o${operation.webhook % 2}`, operation.isHealthy)])
          }
          await settled()
          check()
        }
        while (running.length > 0) {
          running[0]?.end()
          await settled()
          check()
        }
        expect(begun.length + released.length).toBe(added)
      }),
      { numRuns: 60 },
    )
  })
})
