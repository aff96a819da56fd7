import { SignetError } from '@signet/management'
import { describeFailure, exitCodes } from '../failure.ts'
import type { Plan } from './plan.ts'
import type { Report } from './report.ts'

/** One step after the other; after one that failed, none. Gives the exit code. */
export async function applyPlans(plans: Plan[], report: Report): Promise<number> {
  // A list is emptied only when all that was to be made is there.
  const steps = [
    ...plans.flatMap(({ organizationId, changes }) => changes.map((change) => ({ organizationId, change }))),
    ...plans.flatMap(({ organizationId, deletions }) => deletions.map((change) => ({ organizationId, change }))),
  ]
  for (const [index, { organizationId, change }] of steps.entries()) {
    try {
      report.done(organizationId, change, await change.run())
    } catch (error) {
      const { message, exitCode } = describeFailure(error)
      const notDone = steps.slice(index + 1).map(({ change }) => change)
      report.failed(organizationId, change, `${message}${isUnsure(error) ? unsureText : ''}`, notDone)
      return exitCode
    }
  }
  report.applied(steps.length)
  return exitCodes.done
}

const unsureText = ' (it may have been done all the same)'

/** Where the reply is not the service's word, nobody knows what it did; a 429 says that it did nothing. */
const isUnsure = (error: unknown) => error instanceof SignetError && error.isTemporary && error.status !== 429
