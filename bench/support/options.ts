import { parseArgs } from 'node:util'

/** What follows `--` on the command line; anything else is refused. */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    server: { type: 'string' },
    'two-processes': { type: 'boolean' },
    hanging: { type: 'boolean' },
    seconds: { type: 'string' },
  },
})

/** A run of seconds that shows whether the benchmark works. */
export const isQuick = values.quick === true

/** The DATABASE_URL of a role that may create databases. Its server is measured as it comes, in place of the embedded one. */
export const givenServer = values.server

/** Signet is measured with two processes as well. */
export const withTwoProcesses = values['two-processes'] === true

/** Of `bench:isolation` only what hanging events cost the others of their webhook; it is printed, and not kept. */
export const isHangingOnly = values.hanging === true

/** How long each of those is measured; undefined: as long as the benchmark says. */
export const typedSeconds = values.seconds === undefined ? undefined : Number(values.seconds)
if (Number.isNaN(typedSeconds)) throw new Error('--seconds: is not a number')

/** As typed, without the address, which may hold a password. */
export const typedOptions = [
  ...(givenServer === undefined ? [] : ['--server <DATABASE_URL>']),
  ...(withTwoProcesses ? ['--two-processes'] : []),
  ...(isHangingOnly ? ['--hanging'] : []),
  ...(typedSeconds === undefined ? [] : [`--seconds ${typedSeconds}`]),
].join(' ')
