import { CommandError, exitCodes } from '../failure.ts'
import { applyPlans } from './apply-plans.ts'
import type { Change, PlanOptions } from './change.ts'
import { checkWithService } from './check-with-service.ts'
import { type DesiredOrganization, readFile } from './document.ts'
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
  const { plans, stopAtProblems } = await plan()
  await checkWithService(plans.flatMap(({ changes }) => changes))
  stopAtProblems()
  if (isEmpty(plans)) {
    report.noChanges()
    return exitCodes.done
  }
  report.plan(plans)
  if (options.dryRun) return exitCodes.pending
  if (options.yes) return applyPlans(plans, report)
  if (!ask) throw new CommandError(nobodyToAsk, exitCodes.usage)
  const approval = await askAll(plans, ask, report)
  if (isEmpty(approved(plans, approval))) {
    report.declined()
    return exitCodes.failed
  }
  // Somebody may have changed something while the question stood.
  const { plans: again } = await plan()
  if (describe(again) !== describe(plans))
    throw new Error('The organization changed meanwhile: nothing was changed by this. Apply again.')
  return applyPlans(approved(again, approval), report)
}

const nobodyToAsk = 'There is no terminal to ask at: nothing was changed. Give --yes to apply, or --dry-run to look.'

async function planAll(file: string, content: string, { environment, connect }: Applying, options: PlanOptions) {
  const { organizations, stopAtProblems } = readFile(file, content, environment)
  const seen = new Set<string>()
  const planned = organizations.map((desired) => {
    const context = connectOrRefuse(desired, connect)
    if (context && seen.has(context.organizationId))
      desired.refuse('organization', 'is that of another document of this file')
    if (context) seen.add(context.organizationId)
    return { desired, context }
  })
  stopAtProblems()
  const plans: Plan[] = []
  for (const { desired, context } of planned) if (context) plans.push(await makePlan(desired, context, options))
  stopAtProblems()
  return { plans, stopAtProblems }
}

/** A key is never sent for an organization that it was not given for. */
function connectOrRefuse(desired: DesiredOrganization, connect: Applying['connect']): PlanContext | undefined {
  const { organizationId, apiKey } = desired
  if (apiKey !== undefined && organizationId === undefined) desired.refuse('api_key', 'needs organization beside it')
  const connected = organizationId !== undefined && apiKey === undefined ? connect(undefined, undefined) : undefined
  if (connected && connected.organizationId !== organizationId) {
    desired.refuse('organization', 'is not the one that the command is connected to: give its api_key beside it')
    return undefined
  }
  return connected ?? connect(organizationId, apiKey)
}

const isEmpty = (plans: Plan[]) => plans.every(({ changes, deletions }) => changes.length + deletions.length === 0)

type Approval = { changes: boolean; deletions: boolean }

/** Two questions, for what is deleted does not come back. Both are asked before anything is changed. */
async function askAll(plans: Plan[], ask: NonNullable<Applying['ask']>, report: Report): Promise<Approval> {
  const changes = plans.flatMap((plan) => plan.changes)
  const deletions = plans.flatMap((plan) => plan.deletions)
  const areChangesApproved = changes.length === 0 || (await ask(`Make these ${changes.length} changes?`))
  if (!areChangesApproved || deletions.length === 0) return { changes: areChangesApproved, deletions: false }
  report.deletions(plans)
  return { changes: true, deletions: await ask(`Delete these ${deletions.length} for good?`) }
}

const approved = (plans: Plan[], approval: Approval): Plan[] =>
  plans.map(({ organizationId, changes, deletions }) => ({
    organizationId,
    changes: approval.changes ? changes : [],
    deletions: approval.deletions ? deletions : [],
  }))

/** Hidden values count too. */
const describe = (plans: Plan[]) =>
  JSON.stringify(plans.map(({ changes, deletions }) => [...changes, ...deletions].map(describeStep)))
const describeStep = ({ action, kind, name, parent, fields }: Change) => [action, kind, name, parent, fields]
