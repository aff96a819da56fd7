import { describe, expect, test } from 'vitest'
import { createInFlight, createThrottle } from './in-flight.ts'
import { leaseMs } from './lease.ts'

const limits = { perWebhook: 10, perOrganization: 4, total: 16 }
const idle = () => ({ idle: 1, active: 0, utilization: 0 })
/** What says which delivery it is, and that it has a row in the queue. */
const queued = { webhookId: 'w', eventId: 'e', rowLocation: '(0,1)' }
const times = <Result>(count: number, work: (index: number) => Result) =>
  Array.from({ length: count }, (_, index) => work(index))

test('Deliveries for healthy receivers are claimed up to the limit and four thousand more; a claim takes a quarter of what is left', () => {
  const inFlight = createInFlight({ limits, onCapacity: () => {}, onBusy: () => {}, utilization: idle })
  const add = (count: number) =>
    times(count, (index) =>
      inFlight.hold({ ...queued, organizationId: `o${index}`, isHealthy: true, isFailing: false, maxInFlight: 1 }),
    )
  const most = { limit: 4, excluded: [] }
  const nothing = { limit: 0, excluded: [] }
  const ofNew = { maxInFlight: 1, crowded: [] }
  expect(inFlight.claimable('healthy')).toEqual({
    healthy: { limit: 400, excluded: [] },
    degraded: nothing,
    failing: nothing,
    ofNew,
  })
  expect(inFlight.claimable('unhealthy')).toEqual({ healthy: nothing, degraded: most, failing: most, ofNew })
  add(3_616)
  expect(inFlight.publishLimitOf('o')).toBe(32)
  add(1)
  expect(inFlight.publishLimitOf('o')).toBe(0)
  add(383)
  expect(inFlight.claimable('healthy').healthy.limit).toBe(4)
  add(16)
  expect(inFlight.claimable('healthy').healthy.limit).toBe(0)
  expect(inFlight.claimable('unhealthy')).toMatchObject({ degraded: { limit: 4 }, failing: { limit: 4 } })
})

test('A receiver that has not answered yet may have several while half of the place for new ones is free', () => {
  const inFlight = createInFlight({
    limits: { perWebhook: 4, perOrganization: 16, total: 32 },
    onCapacity: () => {},
    onBusy: () => {},
    utilization: idle,
  })
  const hold = (organizationId: string) =>
    inFlight.hold({ ...queued, organizationId, isHealthy: false, isFailing: false, maxInFlight: 10 })
  const ofNew = () => inFlight.claimable('unhealthy').ofNew
  hold('a')
  hold('a')
  expect(ofNew()).toEqual({ maxInFlight: 3, crowded: [] })
  const release = hold('a')
  expect(ofNew()).toEqual({ maxInFlight: 3, crowded: ['a'] })
  release()
  times(5, (index) => hold(`o${index}`))
  expect(ofNew()).toEqual({ maxInFlight: 1, crowded: [] })
})

test('A large event takes the capacity of several, and gives it back', () => {
  const inFlight = createInFlight({ limits, onCapacity: () => {}, onBusy: () => {}, utilization: idle })
  const claimed = { ...queued, organizationId: 'o', isHealthy: true, isFailing: false, maxInFlight: 1 }
  const release = inFlight.hold(claimed, 2_004)
  expect(inFlight.claimable('healthy').healthy.excluded).toEqual(['o'])
  release()
  expect(inFlight.claimable('healthy').healthy.excluded).toEqual([])
})

describe('Receivers that are not healthy', () => {
  /** Every `add` begins a pause, whose end is awaited with `nextCapacity`. */
  function watched() {
    let tell = () => {}
    const inFlight = createInFlight({
      limits: { ...limits, perOrganization: 100 },
      onCapacity: (kind) => kind === 'unhealthy' && tell(),
      onBusy: () => {},
      utilization: idle,
    })
    const add = (count: number, isFailing: boolean) =>
      times(count, (index) =>
        inFlight.hold({ ...queued, organizationId: `o${index}`, isHealthy: false, isFailing, maxInFlight: 1 }),
      )
    return { ...inFlight, add, nextCapacity: () => new Promise<void>((resolve) => (tell = resolve)) }
  }

  test('Receivers that are not healthy get half of the limit, a few at a time', async () => {
    const { add, claimable, isScarce, nextCapacity } = watched()
    add(2, false)
    expect(claimable('healthy').healthy.limit).toBe(400)
    expect(claimable('unhealthy')).toMatchObject({ degraded: { limit: 0 }, failing: { limit: 0 } })
    await nextCapacity()
    expect(claimable('unhealthy')).toMatchObject({ degraded: { limit: 3 }, failing: { limit: 3 } })
    expect(isScarce()).toBe(false)
    add(3, false)
    add(3, true)
    await nextCapacity()
    expect(claimable('healthy').healthy.limit).toBe(400)
    expect(claimable('unhealthy')).toMatchObject({ degraded: { limit: 0 }, failing: { limit: 0 } })
    expect(isScarce()).toBe(true)
  })

  test.each([
    ['those that are failing', true],
    ['the degraded', false],
  ])('Among unhealthy receivers %s get three quarters of that half, and leave the rest', async (_, isFailing) => {
    const { add, claimable, isScarce, nextCapacity } = watched()
    add(5, isFailing)
    await nextCapacity()
    const [mine, theirs] = isFailing ? (['failing', 'degraded'] as const) : (['degraded', 'failing'] as const)
    expect(claimable('unhealthy')[mine].limit).toBe(1)
    add(1, isFailing)
    await nextCapacity()
    expect(claimable('unhealthy')[mine].limit).toBe(0)
    expect(claimable('unhealthy')[theirs].limit).toBe(1)
    expect(isScarce()).toBe(true)
  })

  test('Either class of receivers may have the last request', async () => {
    const { add, claimable, nextCapacity } = watched()
    add(4, true)
    add(3, false)
    await nextCapacity()
    expect(claimable('unhealthy')).toMatchObject({ degraded: { limit: 1 }, failing: { limit: 1 } })
  })

  test('Each organization has the same shares for receivers that are not healthy', async () => {
    let tell = () => {}
    const inFlight = createInFlight({
      limits: { perWebhook: 10, perOrganization: 16, total: 512 },
      onCapacity: (kind) => kind === 'unhealthy' && tell(),
      onBusy: () => {},
      utilization: idle,
    })
    const nextCapacity = () => new Promise<void>((resolve) => (tell = resolve))
    const add = (count: number, isFailing: boolean) =>
      times(count, () => inFlight.hold({ ...queued, organizationId: 'a', isHealthy: false, isFailing, maxInFlight: 1 }))
    const releases = add(6, true)
    await nextCapacity()
    expect(inFlight.claimable('unhealthy')).toMatchObject({ degraded: { excluded: [] }, failing: { excluded: ['a'] } })
    expect(inFlight.isScarce()).toBe(true)
    add(2, false)
    expect(inFlight.claimable('unhealthy').degraded.excluded).toEqual(['a'])
    await nextCapacity()
    const freed = nextCapacity()
    releases[0]?.()
    await freed
    expect(inFlight.claimable('unhealthy')).toMatchObject({ degraded: { excluded: [] }, failing: { excluded: [] } })
  })

  test.each([1, 2, 3])('Either class of receivers may have one of %d requests in total', async (total) => {
    const { claimable } = createInFlight({
      limits: { ...limits, total },
      onCapacity: () => {},
      onBusy: () => {},
      utilization: idle,
    })
    expect(claimable('unhealthy')).toMatchObject({ degraded: { limit: 1 }, failing: { limit: 1 } })
  })
})

test('An organization with its limit and two thousand more is left out until it has less, and that is announced', () => {
  const reported: string[] = []
  const inFlight = createInFlight({
    limits,
    onCapacity: (kind) => reported.push(kind),
    onBusy: () => {},
    utilization: idle,
  })
  const [a, b] = [
    { ...queued, organizationId: 'a', isHealthy: true, isFailing: false, maxInFlight: 1_600 },
    { ...queued, organizationId: 'b', isHealthy: true, isFailing: false, maxInFlight: 1_600 },
  ]
  const [releaseA] = times(2_004, () => inFlight.hold(a))
  const releaseB = inFlight.hold(b)
  expect(inFlight.claimable('healthy').healthy.excluded).toEqual(['a'])
  expect(inFlight.publishLimitOf('a')).toBe(0)
  releaseB()
  expect(reported).toEqual([])
  releaseA?.()
  expect(reported).toEqual(['healthy'])
  expect(inFlight.claimable('healthy').healthy.excluded).toEqual([])
  expect(inFlight.publishLimitOf('a')).toBeGreaterThan(0)
})

test('A wait for the end of what is in flight lasts until it is released, and no longer than asked', async () => {
  const inFlight = createInFlight({ limits, onCapacity: () => {}, onBusy: () => {}, utilization: idle })
  const held = { ...queued, organizationId: 'o', isHealthy: true, isFailing: false, maxInFlight: 1 }
  await inFlight.allSettled(60_000)
  const [first, second] = [inFlight.hold(held), inFlight.hold(held)]
  first()
  const began = performance.now()
  await inFlight.allSettled(50)
  expect(performance.now() - began).toBeGreaterThan(45)
  const all = inFlight.allSettled(60_000)
  second()
  await all
})

describe('A revocation', () => {
  const open = () => createInFlight({ limits, onCapacity: () => {}, onBusy: () => {}, utilization: idle })
  const lane = (webhookId: string) => ({ organizationId: 'o', webhookId })

  test('A revocation concerns what was claimed before, and nothing that is claimed afterwards', () => {
    const inFlight = open()
    inFlight.revoke('a', 100)
    expect([99, 100, 101].map((since) => inFlight.wasRevoked(lane('a'), since))).toEqual([true, true, false])
    expect(inFlight.wasRevoked(lane('b'), 0)).toBe(false)
    inFlight.revoke('o', 200)
    expect(inFlight.wasRevoked(lane('b'), 199)).toBe(true)
  })

  test('A revocation is remembered for as long as a lease, counted from the last one', () => {
    const inFlight = open()
    for (const id of ['a', 'b']) inFlight.revoke(id, 0)
    inFlight.revoke('a', 1)
    inFlight.revoke('c', leaseMs + 1)
    expect(['a', 'b', 'c'].map((id) => inFlight.wasRevoked(lane(id), 0))).toEqual([true, false, true])
  })
})

/** Begins a pause; gives how long it took, and whether it was one until then. */
async function pauseFor(work: (isPaused: () => boolean) => void, connects = true) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const throttle = createThrottle(resolve, performance.eventLoopUtilization)
  const began = performance.now()
  throttle.pause(connects)
  work(throttle.isPaused)
  await promise
  expect(throttle.isPaused()).toBe(false)
  return performance.now() - began
}

function beBusy(ms: number) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('A throttling pause takes 20 ms at least', async () => {
  expect(await pauseFor((isPaused) => expect(isPaused()).toBe(true))).toBeGreaterThan(19)
})

test('A throttling pause in which the thread was idle takes one interval', async () => {
  // Asked again: others may use the machine.
  await expect.poll(() => pauseFor(() => {}), { timeout: 20_000 }).toBeLessThan(40)
})

test('A throttling pause in which the thread was busy is longer by another interval', async () => {
  expect(await pauseFor(() => beBusy(30))).toBeGreaterThan(49)
})

test('A throttling pause ends though the thread stays busy', async () => {
  const stayBusy = (isPaused: () => boolean) => {
    beBusy(1)
    if (isPaused()) setImmediate(stayBusy, isPaused)
  }
  expect(await pauseFor(stayBusy)).toBeGreaterThan(59)
  await expect.poll(() => pauseFor(stayBusy), { timeout: 20_000 }).toBeLessThan(75)
})

test('A throttling pause for requests without a new connection takes one interval however busy the thread is', async () => {
  await expect.poll(() => pauseFor(() => beBusy(30), false), { timeout: 20_000 }).toBeLessThan(45)
})

test('A second throttling pause during the first is none of its own', async () => {
  let ends = 0
  const throttle = createThrottle(() => ends++, performance.eventLoopUtilization)
  throttle.pause(true)
  throttle.pause(true)
  await expect.poll(throttle.isPaused).toBe(false)
  throttle.pause(true)
  await expect.poll(throttle.isPaused).toBe(false)
  expect(ends).toBe(2)
})
