import { SignetError } from '@signet/management'
import type { Plan } from './plan.ts'
import type { Report } from './report.ts'

/** One step after the other; after one that failed, none. Gives the exit code. */
export async function carryOut(plans: Plan[], report: Report): Promise<number> {
  // A list is emptied only when all that was to be made is there.
  const steps = [
    ...plans.flatMap(({ organizationId, changes }) => changes.map((change) => ({ organizationId, change }))),
    ...plans.flatMap(({ organizationId, deletions }) => deletions.map((change) => ({ organizationId, change }))),
  ]
  for (const [index, { organizationId, change }] of steps.entries()) {
    try {
      const made = await change.run()
      report.done(organizationId, change, made)
    } catch (error) {
      report.failed(
        organizationId,
        change,
        reasonOf(error),
        steps.slice(index + 1).map(({ change }) => change),
      )
      return 1
    }
  }
  report.applied(steps.length)
  return 0
}

/** Where the reply is not the service's word, nobody knows what it did. */
function reasonOf(error: unknown): string {
  if (!(error instanceof SignetError)) return String((error as Error)?.message ?? error)
  const isUnsure = error.status === undefined || error.status === 408 || error.status >= 500
  return `${error.message}${isUnsure ? ' (it may have been done all the same)' : ''}`
}
