import { type Output, type Printed, printable } from '../output.ts'
import type { Change } from './change.ts'
import type { Plan } from './plan.ts'
import type { Outcome } from './section.ts'
import { countChanges, describeDone, describePlan, recordOf, summarize, titleOf } from './show-plan.ts'

/** What `apply` says: lines for people, or the records of `--json`. */
export type Report = ReturnType<typeof createReport>

type Said = { text: string; records: Printed[] }

export function createReport({ isJson, line, record }: Output) {
  const say = ({ text, records }: Said) => {
    if (!isJson) void line(text)
    else for (const each of records) void record(each)
  }
  return {
    noChanges: () => say({ text: 'No changes.', records: [{ type: 'no_changes' }] }),
    plan: (plans: Plan[]) => say(planned(plans)),
    /** The question that follows is asked of people alone. */
    deletions: (plans: Plan[]) => say({ text: listDeletions(plans), records: [] }),
    declined: () => say({ text: 'Nothing was changed.', records: [] }),
    done: (organizationId: string, change: Change, outcome: Outcome | undefined) => {
      say({ text: describeDone(change), records: [{ type: 'done', ...recordOf(organizationId, change) }] })
      if (outcome?.clientSecret) say(secretShown(change, outcome))
    },
    failed: (...failure: Parameters<typeof failed>) => say(failed(...failure)),
    applied: (count: number) =>
      say({ text: `Applied: ${count} of ${count} done.`, records: [{ type: 'applied', count }] }),
  }
}

function planned(plans: Plan[]): Said {
  const busy = plans.filter(({ changes, deletions }) => changes.length + deletions.length > 0)
  const steps = busy.flatMap(({ organizationId, changes, deletions }) =>
    [...changes, ...deletions].map((change) => ({ type: 'change', ...recordOf(organizationId, change) })),
  )
  return {
    text: [...busy.flatMap(describePlan), summarize(plans)].join('\n'),
    records: [...steps, { type: 'plan', ...countChanges(plans) }],
  }
}

function listDeletions(plans: Plan[]): string {
  const titles = plans.flatMap(({ organizationId, deletions }) =>
    deletions.map((change) => `  - ${titleOf(change)} in organization ${organizationId}`),
  )
  return ['Not in the file:', ...titles].join('\n')
}

const secretShown = (change: Change, { id, clientSecret }: Outcome): Said => ({
  text: `client_secret of ${titleOf(change)}, client_id ${id}, shown this once: ${clientSecret}`,
  records: [{ type: 'secret', name: change.name, client_id: id, client_secret: clientSecret }],
})

function failed(organizationId: string, change: Change, reason: string, notDone: Change[]): Said {
  const rest = notDone.map((change) => `  not done: ${change.action} ${titleOf(change)}`)
  const lines = [`Failed: ${change.action} ${titleOf(change)}: ${printable(reason)}`, ...rest]
  return {
    text: [...lines, 'Apply again to go on.'].join('\n'),
    records: [{ type: 'failed', ...recordOf(organizationId, change), message: reason, not_done: notDone.length }],
  }
}
