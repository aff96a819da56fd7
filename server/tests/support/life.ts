import { afterAll } from 'vitest'
import type { Life } from './program.ts'

/** Ends with the test file that calls this at its top, what was started last first. */
export function lifeOfFile(): Life {
  const cleanings: (() => void)[] = []
  afterAll(() => {
    for (const clean of cleanings) clean()
  })
  return { onTestFinished: (clean) => void cleanings.unshift(clean) }
}
