import type { Output } from '../output.ts'
import { printable } from '../output.ts'
import type { Change } from './change.ts'
import type { Plan } from './plan.ts'
import type { Made } from './section.ts'
import { countChanges, describeDone, describePlan, recordOf, summarize, titleOf } from './show-plan.ts'

/** What `apply` says: lines for people, or the records of `--json`. */
export type Report = ReturnType<typeof createReport>

type Record = { type: string; [member: string]: unknown }

export function createReport({ isJson, line, record }: Output) {
  const say = (text: string, ...records: Record[]) => {
    if (!isJson) void line(text)
    else for (const each of records) void record(each)
  }

  const sayMade = (change: Change, { id, clientSecret }: Made) =>
    say(`client_secret of ${titleOf(change)}, client_id ${id}, shown this once: ${clientSecret}`, {
      type: 'secret',
      name: change.name,
      client_id: id,
      client_secret: clientSecret,
    })

  return {
    noChanges() {
      say('No changes.', { type: 'no_changes' })
      return 0
    },
    plan(plans: Plan[]) {
      const busy = plans.filter(({ changes, deletions }) => changes.length + deletions.length > 0)
      const steps = busy.flatMap(({ organizationId, changes, deletions }) =>
        [...changes, ...deletions].map((change) => ({ type: 'change', ...recordOf(organizationId, change) })),
      )
      say([...busy.flatMap(describePlan), summarize(plans)].join('\n'), ...steps, {
        type: 'plan',
        ...countChanges(plans),
      })
    },
    deletions(plans: Plan[]) {
      const titles = plans.flatMap(({ organizationId, deletions }) =>
        deletions.map((change) => `  - ${titleOf(change)} of organization ${organizationId}`),
      )
      say(['Not in the file:', ...titles].join('\n'))
    },
    declined() {
      say('Nothing was changed.', { type: 'declined' })
    },
    done(organizationId: string, change: Change, made: Made | undefined) {
      say(describeDone(change), { type: 'done', ...recordOf(organizationId, change) })
      if (made?.clientSecret) sayMade(change, made)
    },
    failed(organizationId: string, change: Change, reason: string, notDone: Change[]) {
      const rest = notDone.map((change) => `  not done: ${change.action} ${titleOf(change)}`)
      const lines = [`Failed: ${change.action} ${titleOf(change)}: ${printable(reason)}`, ...rest]
      say([...lines, 'Apply again to go on.'].join('\n'), {
        type: 'failed',
        ...recordOf(organizationId, change),
        message: reason,
        not_done: notDone.length,
      })
    },
    applied(count: number) {
      say(`Applied: ${count} of ${count} done.`, { type: 'applied', count })
    },
  }
}
