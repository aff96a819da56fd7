import { expect, test } from 'vitest'
import { explained } from './explained.ts'

/** Fails so many times, as handles do that others take and give back. */
const failing = (times: number) => {
  let tries = 0
  return async () => {
    tries++
    if (tries <= times) throw new Error(`try ${tries}`)
    return tries
  }
}

test('What nothing explains any more is tried again, up to five times in all', async () => {
  expect(await explained(failing(4), async () => {})).toBe(5)
  await expect(explained(failing(9), async () => {})).rejects.toThrow('try 5')
})

test('An explanation takes the place of the failure', async () => {
  const explain = async (failure: unknown) => {
    throw new Error(`because of ${(failure as Error).message}`)
  }
  await expect(explained(failing(9), explain)).rejects.toThrow('because of try 1')
})
