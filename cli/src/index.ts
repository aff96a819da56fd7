/**
 * `signet`, the command line. It owns the program, its options and settings, what it prints and its exit codes; it knows a
 * service only through its interface. `server/src/signet.ts` adds the commands that need the code of the server.
 */
export type { Connection } from './connection.ts'
export type { Context, Register } from './context.ts'
export { type Finding, finding } from './doctor/finding.ts'
export { examples } from './examples.ts'
export { CommandError, exitCodes } from './failure.ts'
export type { Output } from './output.ts'
export { runProgram, stopHandlingSignals } from './program.ts'
