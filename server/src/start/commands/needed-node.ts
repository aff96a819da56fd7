import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { CommandError, exitCodes, stopHandlingSignals } from '@signet/cli'
import { fetchPackage } from '../../ground/runtime/fetch-package.ts'
import { findFetchable } from '../../ground/runtime/fetchable.ts'

/** Runs the same command line under the Node of the service, which is fetched once, and ends as that ends. */
export async function continueUnderNeededNode(tooOld: string): Promise<never> {
  const fetchable = findFetchable(`node-${process.platform}-${process.arch}`)
  if (!fetchable)
    throw new CommandError(`${tooOld}; the commands that need only a running service go on working`, exitCodes.usage)
  const folder = await fetchPackage(fetchable, upperFirst(tooOld)).catch((error: Error) => {
    throw new CommandError(`${tooOld}; ${error.message}`)
  })
  return runUnder(join(folder, 'bin/node'))
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function runUnder(node: string): Promise<never> {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // A terminal sends these to the whole group, and then the program counts both as one; others send them to this process alone.
  stopHandlingSignals()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((_, reject) => {
    child.once('error', ({ message }) => reject(new CommandError(`${node} cannot be run: ${message}`)))
    child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']))
  })
}
