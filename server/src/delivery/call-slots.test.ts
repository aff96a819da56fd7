import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCallSlots, type WaitingCall } from './call-slots.ts'

/** Calls that begin when the slots let them, and end when the test says. */
function recorder() {
  const running: {
    webhookId: string
    organizationId: string
    isProven: boolean
    end: (succeeded?: boolean) => void
  }[] = []
  const begun: string[] = []
  const givenBack: string[] = []
  const call = (webhookId: string, organizationId = 'o', isProven = true): WaitingCall => ({
    webhookId,
    organizationId,
    isProven,
    run: () => {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const end = (succeeded = isProven) => {
        running.splice(running.indexOf(entry), 1)
        resolve(succeeded)
      }
      const entry = { webhookId, organizationId, isProven, end }
      running.push(entry)
      begun.push(webhookId)
      return promise
    },
    giveBack: () => givenBack.push(webhookId),
  })
  return { running, begun, givenBack, call }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('call slots', () => {
  test('webhooks take turns, however much one of them has waiting', () => {
    const { begun, call } = recorder()
    createCallSlots({ perWebhook: 10, perOrganization: 100, inAll: 4 }).add([
      ...Array.from({ length: 50 }, () => call('a')),
      call('b'),
      call('c'),
    ])
    expect(begun).toEqual(['a', 'b', 'c', 'a'])
  })

  test('a receiver that is not proven gets one call at a time, all of them together half of the slots', async () => {
    const { running, begun, call } = recorder()
    const slots = createCallSlots({ perWebhook: 10, perOrganization: 100, inAll: 8 })
    slots.add(Array.from({ length: 20 }, (_, index) => call(`dead${index % 10}`, 'o', false)))
    expect(begun).toEqual(['dead0', 'dead1', 'dead2', 'dead3'])
    slots.add(Array.from({ length: 4 }, () => call('alive')))
    expect(running.filter(({ webhookId }) => webhookId === 'alive')).toHaveLength(4)
    running[0]?.end()
    await settled()
    expect(begun.at(-1)).toBe('dead4')
  })

  test('from a failure on a receiver gets one call at a time, until one succeeds', async () => {
    const { running, call } = recorder()
    createCallSlots({ perWebhook: 3, perOrganization: 100, inAll: 8 }).add(Array.from({ length: 9 }, () => call('a')))
    expect(running).toHaveLength(3)
    for (const expected of [2, 1, 1]) {
      running[0]?.end(false)
      await settled()
      expect(running).toHaveLength(expected)
    }
    running[0]?.end(true)
    await settled()
    expect(running).toHaveLength(3)
  })

  test('what has waited is given back, and not called', async () => {
    const { running, begun, givenBack, call } = recorder()
    const slots = createCallSlots({ perWebhook: 1, perOrganization: 100, inAll: 8 })
    slots.add([call('a'), call('a'), call('b'), call('a'), call('c'), call('c')])
    slots.giveBack(({ since }) => since > performance.now())
    expect(givenBack).toEqual([])
    slots.giveBack(({ webhookId }) => webhookId !== 'c')
    expect(givenBack).toEqual(['a', 'a'])
    for (const { end } of [...running]) end()
    await settled()
    expect(begun).toEqual(['a', 'b', 'c', 'c'])
  })

  test('an organization at its cap lets the others pass', () => {
    const { begun, call } = recorder()
    createCallSlots({ perWebhook: 10, perOrganization: 2, inAll: 10 }).add([
      ...['a', 'b', 'c', 'd'].map((webhookId) => call(webhookId, 'first')),
      call('e', 'second'),
    ])
    expect(begun).toEqual(['a', 'b', 'e'])
  })

  test('never above a cap, and everything is called once, whatever comes and ends in whatever order', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ webhook: fc.integer({ min: 0, max: 6 }), isProven: fc.boolean() }),
        fc.record({ end: fc.nat() }),
      ),
      { maxLength: 80 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const { running, begun, call } = recorder()
        const caps = { perWebhook: 2, perOrganization: 3, inAll: 5 }
        const slots = createCallSlots(caps)
        const most = (keys: string[]) =>
          Math.max(
            0,
            ...Map.groupBy(keys, (key) => key)
              .values()
              .map((all) => all.length),
          )
        const check = () => {
          expect(running.length).toBeLessThanOrEqual(caps.inAll)
          expect(most(running.map(({ webhookId }) => webhookId))).toBeLessThanOrEqual(caps.perWebhook)
          expect(most(running.map(({ organizationId }) => organizationId))).toBeLessThanOrEqual(caps.perOrganization)
          expect(running.filter(({ isProven }) => !isProven).length).toBeLessThanOrEqual(2)
        }
        let added = 0
        for (const step of sequence) {
          if ('end' in step) running[step.end % Math.max(1, running.length)]?.end()
          else {
            added++
            slots.add([call(`w${step.webhook}`, `o${step.webhook % 2}`, step.isProven)])
          }
          await settled()
          check()
        }
        while (running.length > 0) {
          running[0]?.end()
          await settled()
          check()
        }
        expect(begun).toHaveLength(added)
      }),
      { numRuns: 60 },
    )
  })
})
