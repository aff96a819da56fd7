import type { Signet } from '@signet/management'
import { sections } from './document.ts'
import { inParallel } from './in-parallel.ts'
import { type Actual, type Fields, type MakeVariable, pick, type Section } from './section.ts'
import { readSettings, readTier } from './settings.ts'
import { createVariableNames, escapeVariables } from './variables.ts'
import { type Variable, writeDocument } from './write-document.ts'

/** An organization as a file that `apply` takes. What the key may not read is an error, never an empty list. */
export async function exportOrganization(signet: Signet, organizationId: string): Promise<string> {
  const pricing_tier = await readTier(signet)
  const settings = await readSettings(signet)
  const secrets = createSecrets()
  const lists: Fields = {}
  for (const section of sections) lists[section.name] = await exportSection(signet, section, secrets)
  const content = { version: 1, ...(escapeAll({ pricing_tier, settings }) as Fields), ...lists }
  return writeDocument(content, { organizationId, variables: secrets.variables })
}

/** Variables in place of values. */
function createSecrets() {
  const makeName = createVariableNames()
  const variables: Variable[] = []
  const replace: MakeVariable = (about, ...words) => {
    const name = makeName(...words)
    variables.push({ name, about })
    return `\${${name}}`
  }
  return { variables, replace }
}

type Secrets = ReturnType<typeof createSecrets>

async function exportSection(signet: Signet, section: Section, secrets: Secrets): Promise<Fields[]> {
  const actuals = await section.list(signet)
  const details = await inParallel(actuals, async (actual) => ({
    ...(await section.details?.(signet, actual)),
    ...(section.nested && { [section.nested.name]: await section.nested.list(signet, actual.id) }),
  }))
  const resources = actuals.map((actual, index) => ({ ...actual, fields: { ...actual.fields, ...details[index] } }))
  const ambiguous = namesOfSeveral(section, resources)
  return resources.map((resource) => exportResource(section, resource, ambiguous, secrets))
}

/** Names by which a resource is not found, because several have it. */
function namesOfSeveral({ title }: Section, resources: Actual[]): Set<unknown> {
  const names = resources.map(({ fields }) => fields[title])
  return new Set(names.filter((name, index) => names.indexOf(name) !== index))
}

function exportResource(section: Section, actual: Actual, ambiguous: Set<unknown>, { replace }: Secrets): Fields {
  const { title, computed, conceal } = section
  const isAmbiguous = ambiguous.has(actual.fields[title])
  const kept = Object.keys(actual.fields).filter((field) => field !== computed || isAmbiguous)
  const fields = escapeAll(pick(actual.fields, kept)) as Fields
  return conceal ? conceal(fields, actual, replace) : fields
}

/** What stands in names and descriptions must not be taken for a variable. */
function escapeAll(value: unknown): unknown {
  if (typeof value === 'string') return escapeVariables(value)
  if (Array.isArray(value)) return value.map(escapeAll)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escapeAll(member)]))
}
