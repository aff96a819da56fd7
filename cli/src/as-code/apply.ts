import { exitCodes } from '../failure.ts'
import { carryOut } from './carry-out.ts'
import type { Change, FieldChange, PlanOptions } from './change.ts'
import { readFile, type WantedOrganization } from './document.ts'
import { makePlan, type Plan, type PlanContext } from './plan.ts'
import type { Report } from './report.ts'
import type { Environment } from './variables.ts'

export type ApplyOptions = PlanOptions & {
  /** The plan alone. */
  dryRun: boolean
  /** Answers both questions. */
  yes: boolean
}

export type Applying = {
  environment: Environment
  /** The client for an organization; both absent: the one that the command is connected to. */
  connect: (organizationId: string | undefined, apiKey: string | undefined) => PlanContext
  /** Absent where nobody can answer. */
  ask: ((question: string) => Promise<boolean>) | undefined
  report: Report
}

/** Makes of an organization what the file says. Gives the exit code; throws where nothing was changed. */
export async function apply(file: string, content: string, applying: Applying, options: ApplyOptions): Promise<number> {
  const { report, ask } = applying
  const plan = () => planAll(file, content, applying, options)
  let plans = await plan()
  if (isEmpty(plans)) return report.noChanges()
  report.plan(plans)
  if (options.dryRun) return exitCodes.pending
  if (!options.yes) {
    if (!ask)
      throw new Error('There is no terminal to ask at: nothing was changed. Give --yes to apply, or --dry-run to look.')
    const answer = await askAll(plans, ask, report)
    if (!answer) return 1
    // Somebody may have changed something while the question stood.
    const again = await plan()
    if (describe(again) !== describe(plans))
      throw new Error('The organization changed meanwhile: nothing was changed by this. Apply again.')
    plans = answer === 'without deletions' ? again.map((plan) => ({ ...plan, deletions: [] })) : again
  }
  return carryOut(plans, report)
}

async function planAll(file: string, content: string, { environment, connect }: Applying, options: PlanOptions) {
  const { organizations, stopAtProblems } = readFile(file, content, environment)
  const seen = new Set<string>()
  const planned = organizations.map((wanted) => {
    const context = connectOrRefuse(wanted, connect)
    if (context && seen.has(context.organizationId))
      wanted.refuse('organization', 'is that of another document of this file')
    if (context) seen.add(context.organizationId)
    return { wanted, context }
  })
  stopAtProblems()
  const plans: Plan[] = []
  for (const { wanted, context } of planned) if (context) plans.push(await makePlan(wanted, context, options))
  stopAtProblems()
  return plans
}

/** A key is never sent for an organization that it was not given for. */
function connectOrRefuse(wanted: WantedOrganization, connect: Applying['connect']): PlanContext | undefined {
  const { organizationId, apiKey } = wanted
  if (apiKey !== undefined && organizationId === undefined) wanted.refuse('api_key', 'needs organization beside it')
  const connected = organizationId !== undefined && apiKey === undefined ? connect(undefined, undefined) : undefined
  if (connected && connected.organizationId !== organizationId) {
    wanted.refuse('organization', 'is not the one that the command is connected to: give its api_key beside it')
    return undefined
  }
  return connected ?? connect(organizationId, apiKey)
}

const isEmpty = (plans: Plan[]) => plans.every(({ changes, deletions }) => changes.length + deletions.length === 0)

/** Two questions, for what is deleted does not come back. Both are asked before anything is changed. */
async function askAll(plans: Plan[], ask: (question: string) => Promise<boolean>, report: Report) {
  const changes = plans.flatMap((plan) => plan.changes)
  const deletions = plans.flatMap((plan) => plan.deletions)
  if (changes.length > 0 && !(await ask(`Make these ${changes.length} changes?`))) return report.declined()
  if (deletions.length === 0) return 'all'
  report.deletions(plans)
  if (await ask(`Delete these ${deletions.length} for good?`)) return 'all'
  return changes.length > 0 ? 'without deletions' : report.declined()
}

/** Hidden values count too. */
const describe = (plans: Plan[]) =>
  JSON.stringify(plans.map(({ changes, deletions }) => [...changes, ...deletions].map(describeStep)))
const describeStep = ({ action, kind, name, fields }: Change): [string, string, string, FieldChange[]] => [
  action,
  kind,
  name,
  fields,
]
