import { parseArgs } from 'node:util'

/** What follows `--` on the command line; anything else is refused. */
const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, server: { type: 'string' }, 'two-processes': { type: 'boolean' } },
})

/** A run of seconds that shows whether the benchmark works. */
export const isQuick = values.quick === true

/** The DATABASE_URL of a role that may create databases. Its server is measured as it comes, in place of the embedded one. */
export const givenServer = values.server

/** Signet is measured with two processes as well. */
export const withTwoProcesses = values['two-processes'] === true

/** As typed, without the address, which may hold a password. */
export const typedOptions = [
  ...(givenServer === undefined ? [] : ['--server <DATABASE_URL>']),
  ...(withTwoProcesses ? ['--two-processes'] : []),
].join(' ')
