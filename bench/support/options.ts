import { parseArgs } from 'node:util'

/** What follows the name of the benchmark on the command line; anything else is refused. */
const values = readOptions()

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean' },
        server: { type: 'string' },
        'two-processes': { type: 'boolean' },
        keyed: { type: 'boolean' },
        hanging: { type: 'boolean' },
        seconds: { type: 'string' },
      },
    })
    if (Number.isNaN(Number(values.seconds ?? 0))) throw new Error('--seconds is not a number')
    return values
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

/** A run of seconds that shows whether the benchmark works. */
export const isQuick = values.quick === true

/** The first, or the second in a quick run. */
export const orQuick = <Value>(full: Value, quick: Value): Value => (isQuick ? quick : full)

/** The DATABASE_URL of a role that may create databases. Its server is measured as it comes, in place of the embedded one. */
export const givenServer = values.server

/** Signet is measured with two processes as well. */
export const withTwoProcesses = values['two-processes'] === true

/** Each request of `write-cost` has an Idempotency-Key; it is printed, and not kept. */
export const isKeyed = values.keyed === true

/** Of `isolation` only what hanging events cost the others of their webhook; it is printed, and not kept. */
export const isHangingOnly = values.hanging === true

/** How long each of those is measured; undefined: as long as the benchmark says. */
export const typedSeconds = values.seconds === undefined ? undefined : Number(values.seconds)

/** As typed, without the address, which may hold a password. */
export const typedOptions = [
  ...(givenServer === undefined ? [] : ['--server <DATABASE_URL>']),
  ...(withTwoProcesses ? ['--two-processes'] : []),
  ...(isKeyed ? ['--keyed'] : []),
  ...(isHangingOnly ? ['--hanging'] : []),
  ...(typedSeconds === undefined ? [] : [`--seconds ${typedSeconds}`]),
].join(' ')
