import { ScimError } from './errors.ts'

/** Others may change the person between a read and the lock; then both are repeated. */
const maxTries = 5

/** Runs `work` until it gives something. Throws a 503 where it does not. */
export async function untilCurrent<Result>(work: () => Promise<Result | undefined>): Promise<Result> {
  for (let tries = 1; tries <= maxTries; tries++) {
    const result = await work()
    if (result !== undefined) return result
  }
  throw new ScimError(503, 'id: was changed by others each time; try again', undefined, { 'retry-after': '1' })
}
